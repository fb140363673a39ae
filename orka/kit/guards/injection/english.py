"""The rules for English: being told to drop the instructions, to show them, to be somebody else.

They are matched against small letters without accents, in which nothing is invisible. Every repeat
is bounded, so that the time they take grows with the text and no faster.
"""

from __future__ import annotations

import re

from orka.kit.guards.injection.rule import FAIR, FIRM, STRONG, WEAK, Rule, rule

_DROP = (
    r"\b(?:ignor(?:e|es|ed|ing)|disregard(?:ing)?|forget|overlook|neglect|overrid(?:e|ing)"
    r"|overrule"
    r"|bypass|skip|drop|discard|abandon|dismiss|erase|delete|wipe|clear|cancel|revoke|suspend"
    r"|set aside"
    r"|put aside|pay no (?:attention|heed) to|throw (?:out|away)|do(?:n'?t| not) (?:follow"
    r"|obey|heed"
    r"|listen to|comply with|adhere to)|(?:stop|cease|quit) (?:following|obeying|listening to))"
)
# What people do to orders of goods.
_ENDS = r"\b(?:skip|drop|delete|clear|cancel|revoke|suspend|dismiss|forget)"
_RULES = (
    r"(?:instructions?|directives?|directions|guidelines?|guardrails?|prompts?|commands?"
    r"|constraints?"
    r"|restrictions?|programming|safeguards?|rules?|orders|polic(?:y|ies)|protocols?|training"
    r"|directive"
    r"|system messages?|safety \w+|ethic\w*)"
)
_ALL = (
    r"(?:all|any|every|each|your|previous|previously|prior|earlier|above|preceding|former"
    r"|past|existing"
    r"|original|initial|foregoing|system|developers?'?|given|other|safety|security|pre-?set"
    r"|built-in"
    r"|standard|default|ethical|core|content)"
)
# Words behind which somebody tells what others do, or what could not be done.
TOLD = re.compile(
    r"(?:\b(?:i|we|he|she|they|it|who|which|students?|pupils|users?|customers?|employees|staff"
    r"|people|drivers?|readers|candidates|participants|visitors|guests|players?|admins?)"
    r"(?:'(?:ve|d|ll|m|re))?(?:[ ,]{1,2}(?:must|should|shall|can|could|may|might|will|would|do"
    r"|did|does|have|has|had|be|been|am|was|is|are|were|always|never|just|often|simply|also"
    r"|then|want|wants|wanted|need|needs|like|try|tries|tried|trying|wish|going|able|plan|n[o']t"
    r"|don't|didn't|cannot|to|tend|told|asked|used|already|accidentally)){0,4}"
    r"|\b(?:can(?:no|')t|could(?: not|n't)|unable to|fail(?:ed|s|ure)? to|refuse[sd]? to"
    r"|why does (?:it|\w{1,12})|does(?: not|n't)))\s{1,2}$"
)
# Instructions about goods and ways, not for the reader.
GOODS = re.compile(
    r"\b(?:deliver|shipp|assembl|wash|park|cook|install|driv|payment|engrav|care )"
    r"|livraison|entrega|liefer|versand|consegna|bezorg|levering|leverans|dostaw|teslimat|montag"
    r"|montaje|toimitus|szallit|isporuk|dostav|достав|配送|送货|送貨|交货|发货|배송|توصيل|تسليم|giao.hang"
    r"|pengiriman"
)
_FILL = r"(?:\W{1,3}(?:the|of|these|those|and|that|this|its|his|or|such|set)){0,3}"
_GAP = r"(?:\W{1,3}(?!my\b|our\b)\w{1,14}){0,%d}?\W{1,3}"
_SAY = (
    r"\b(?:reveal|show|print|display|output|repeat|tell(?: me| us)?|give(?: me| us)?|share"
    r"|disclose"
    r"|expose|dump|leak|recite|write(?: out| down)?|quote|list|echo|return|provide|translate"
    r"|summari[sz]e"
    r"|reproduce|copy|paste|describe|explain|send(?: me)?|spell out|append|include|encode"
    r"|what(?:'s| is"
    r"| are| was| were)|release|unlock|report|state)"
)
_NOT_A_SHELL = (
    r"(?!\W{1,2}(?:colou?r|font|in (?:my|the) (?:terminal|shell|console)|window|size|is"
    r" (?:blue|green)))"
)
_BE = (
    r"\b(?:act|behave|respond|answer|repl(?:y|ies)|roleplay|role-play|pretend|imagine|operate"
    r"|function|you(?:'re| are)|be|become|speak|write)\b(?:[^\w.!?\n]{1,3}\w{1,14}){0,8}?"
    r"[^\w.!?\n]{1,3}"
)
_WITHOUT = (
    r"(?:without|with no|have no|has no|had no|free (?:of|from)|no) (?:\w{1,12}\W{1,3}){0,2}?"
)
_MODE = r"(?:admin(?:istrator)?|god|debug(?:ging)?|dan|jailbr\w+|root|sudo|unrestricted|unfiltered)"

ENGLISH: tuple[Rule, ...] = (
    rule(
        "override_rules",
        "instruction_override",
        STRONG,
        "ignor disregard forget overlook neglect overrid overrul bypass skip drop discard"
        " abandon dismiss "
        "erase delete wipe clear cancel revoke suspend aside attention heed throw follow obey"
        " listen comply "
        "adhere & instruction direct guideline guardrail prompt command constraint restriction "
        "programming safeguard rule order polic protocol training message safety ethic",
        rf"(?!{_ENDS}\b[^.!?\n]{{0,60}}?\borders\b)"
        rf"{_DROP}{_FILL}{_GAP % 1}{_ALL}{_GAP % 4}{_RULES}\b",
    ),
    rule(
        "override_rules_after",
        "instruction_override",
        STRONG,
        "ignor disregard forget overlook neglect overrid overrul bypass skip drop discard"
        " abandon dismiss "
        "erase delete wipe clear cancel revoke suspend aside attention heed throw follow obey"
        " listen comply "
        "adhere & instruction direct guideline prompt command rule",
        rf"{_DROP}{_GAP % 2}(?:instructions?|directives?|guidelines?|prompts?|commands?|rules?)"
        r"\W{1,3}(?:(?:that |which )?(?:you (?:were|have|had|got)|(?:were|was) given"
        r"|(?:stated |given )?"
        r"(?:above|before|previously|earlier|so far)\b|of your (?:developers?|creators?"
        r"|operators?)))",
    ),
    rule(
        "override_everything",
        "instruction_override",
        FIRM,
        "ignor disregard forget overlook neglect overrid overrul bypass skip drop discard"
        " abandon dismiss "
        "erase delete wipe clear cancel revoke suspend aside attention heed throw follow obey"
        " listen comply "
        "adhere & everything anything all what",
        rf"{_DROP}\W{{1,3}}(?:everything|anything|all|whatever|what)\W{{1,3}}(?:(?:that|which"
        rf"|of)\W{{1,3}})?"
        r"(?:(?:is|was|stands?|came|comes|written|said)\W{1,3})?(?:above\b|before (?:this"
        r"|that|it)|previously"
        r"|you(?:'ve| have| were| had)? (?:been |were )?(?:told|taught|given|instructed"
        r"|learned|know(?!\W{1,3}about\W{1,3}(?!you|the (?:rules|instruct)|being|ai\b)))"
        r"|your (?:developers?|creators?))",
    ),
    rule(
        "override_what_was_told",
        "instruction_override",
        FIRM,
        "told taught gave instructed above your",
        rf"{_DROP}\W{{1,3}}(?:everything|anything|all|whatever|what)(?:\W{{1,3}}the)?\W{{1,3}}"
        r"(?:operators?|developers?|systems?|admin\w*|creators?|company|owners?|programmers?)"
        r"(?:\W{1,3}\w{1,10}){0,2}?\W{1,3}(?:told|taught|gave|instructed|ordered)\W{1,3}you\b"
        rf"|{_DROP}\W{{1,3}}(?:the )?above(?: \w{{1,14}})?\W{{1,3}}(?:and|then|instead)\W{{1,3}}"
        r"(?:instead )?(?:say|print|write|output|tell|respond|reply|answer|translate|do|give)\b"
        r"|\byour (?:real|actual|true|only) (?:tasks?|job|goal|mission|instructions?|purpose)"
        r"\s{0,2}(?::|is to\b|now\b)",
    ),
    rule(
        "new_rules",
        "instruction_override",
        FIRM,
        "instruction rule directive task order objective goal mission",
        r"(?:^|[.!?\]>#*=-]\s{0,3}|\byour )new (?:(?:system )?(?:instructions?|directives?)"
        r"|system (?:rules?|tasks?|orders?|prompt))\s{0,2}(?::|(?:is|are) (?:to|as follows"
        r"|now)\b)|\b(?:your|#+) new (?:rules?|tasks?|orders?|objectives?|goals?|mission)\b"
        r"\s{0,2}(?::|(?:is|are) (?:to|as follows|now)\b)|^[\W_]{0,3}new (?:rules?|tasks?"
        r"|orders?|objectives?|goals?|mission)\s{0,2}:(?=[^\n]{0,80}?\b(?:you|ignor|disregard"
        r"|always|never|reveal|approv|grant|refund|print|output|repl(?:y|ies)|say|prompt))",
    ),
    rule(
        "rules_are_void",
        "instruction_override",
        FIRM,
        "rule instruction guideline restriction safety filter protocol",
        r"\b(?:your|previous|prior|all|safety|old|earlier|original"
        r"|content)(?:\W{1,3}\w{1,14}){0,2}?\W{1,3}(?:rules"
        r"|instructions|guidelines|restrictions|filters?|protocols?|guardrails"
        r"|safeguards)\W{1,3}(?:are|is|were|have"
        r"|has|do|no)\W{1,3}(?:\w{1,6}\W{1,3}){0,2}?(?:void|null|cancell?ed|suspended|lifted"
        r"|removed|overridden"
        r"|changed|disabled|invalid|obsolete|off|longer (?:apply|valid|in force)|not apply)",
    ),
    rule(
        "rules_disabled",
        "instruction_override",
        FAIR,
        "disable override turn deactivate remove without circumvent bypass",
        r"\b(?:disabl(?:e|ed|ing)|override|turn(?:ed)? off|deactivat(?:e|ed)|remov(?:e|ed)"
        r"|circumvent|bypass(?:ing)?"
        r"|evade)\W{1,3}(?:(?:all|the|your|any|its|of|these|those)\W{1,3}){0,3}(?:safety"
        r"|security|content|moderation"
        r"|ethic\w*|censor\w*|ai|authentication|authori[sz]ation|validation"
        r"|approval)(?:\W{1,3}\w{1,14})?\W{0,3}"
        r"(?:filter|check|protocol|guard|measure|restriction|polic|moderation|mechanism"
        r"|control|constraint|gate)\w*",
    ),
    rule(
        "obey_me",
        "instruction_override",
        FAIR,
        "obey comply follow supersede precedence outrank say tell",
        r"\byou (?:will |must |shall )?(?:only )?(?:do|obey|follow) (?:only )?(?:what|as|whatever)"
        r" i (?:say|tell|order|command)|\b(?:obey|follow|comply with|listen to"
        r"|answer to)\W{1,3}(?:only )?(?:my (?:commands"
        r"|orders|instructions) only"
        r"|only (?:me|my)|me only|every request|nothing but)|\b(?:supersedes?|takes?"
        r" precedence over|outranks?)"
        r"\W{1,3}(?:\w{1,12}\W{1,3}){0,3}(?:instructions?|rules?|directives?|prompts?)",
    ),
    rule(
        "leak_prompt",
        "prompt_leak",
        STRONG,
        "reveal show print display output repeat tell give share disclose expose dump leak"
        " recite write quote list echo "
        "return provide translate summar reproduce copy paste describe explain send spell"
        " append include encode what "
        "release unlock report state & prompt message instruction directive & system initial"
        " original hidden "
        "secret internal base developer master pre first full underlying core starting guiding",
        rf"{_SAY}{_GAP % 6}(?:(?:system|initial|original|hidden|secret|internal|base"
        rf"|developer|master|pre|first|full"
        r"|underlying|core|starting|guiding)[\W_]{1,3}(?:\w{1,10}[\W_]{1,3}){0,1}(?:prompts?"
        r"|messages?|instructions?"
        rf"|directives?)\b){_NOT_A_SHELL}",
    ),
    rule(
        "leak_setup",
        "prompt_leak",
        FIRM,
        "reveal show print display output repeat tell give share disclose expose dump leak"
        " recite write quote list echo "
        "return provide translate summar reproduce copy paste describe explain send spell"
        " append include encode what "
        "release unlock report state & setup config instruction prompt guideline programming"
        " rules "
        "directive & your",
        rf"{_SAY}{_GAP % 3}your\W{{1,3}}(?:\w{{1,12}}\W{{1,3}}){{0,2}}?(?:setup|configuration"
        rf"|config|instructions?"
        r"|prompts?|guidelines|programming|rules|directives?)\b(?:\s*(?:text|$|[.!?,;]"
        r"|verbatim|word|exactly|to me"
        r"|in full|now|and\b))",
    ),
    rule(
        "leak_hidden",
        "prompt_leak",
        FIRM,
        "reveal show print display output repeat tell give share disclose expose dump leak"
        " recite write quote list echo "
        "return provide translate summar reproduce copy paste describe explain send spell"
        " append include encode what "
        "release unlock report state & hidden secret internal",
        rf"{_SAY}{_GAP % 4}(?:hidden|secret"
        rf"|internal)\W{{1,3}}(?:\w{{1,12}}\W{{1,3}})?(?:setup|configuration|config"
        r"|instructions?|prompts?|context|guidelines|notes|reasoning)\b",
    ),
    rule(
        "leak_above",
        "prompt_leak",
        FIRM,
        "reveal show print display output repeat tell give share disclose expose dump leak"
        " recite write quote list echo "
        "return provide translate summar reproduce copy paste describe explain send spell"
        " append include encode what "
        "release unlock report state & above before context instruction beginning start",
        rf"{_SAY}{_GAP % 5}(?:your )context window\b"
        r"|\bwhat (?:were|was|are|have) you(?: been)? (?:told|instructed|given|asked)\b"
        r"[^.!?\n]{0,40}?(?:(?:beginning|start) of (?:this|our|the) (?:conversation|chat|session)"
        r"|before (?:this|our) (?:conversation|chat)|in your (?:system )?prompt)"
        rf"|{_SAY}{_GAP % 3}(?:(?:text|words?|lines?|everything|message|content"
        rf"|all)\W{{1,3}}(?:that |which )?(?:is |was"
        r" |stands? |written |came |printed )?(?:above|before (?:this|that|our))|(?:whole "
        r"|entire )?context window"
        r"|instructions?\W{1,3}(?:that |which )?you (?:were|have been|got|received|operate))",
    ),
    rule(
        "you_are_mode",
        "privilege_escalation",
        STRONG,
        "mode",
        rf"\b(?:you(?:'re| are)|now|enter(?:ing)?|enabl(?:e|ed|ing)|activat(?:e|ed|ing)"
        rf"|switch(?:ed)?|start|in|to|into)"
        rf"\W{{1,3}}(?:\w{{1,10}}\W{{1,3}}){{0,3}}?(?:{_MODE}|maintenance mode"
        rf" override)\W{{1,2}}mode\b",
    ),
    rule(
        "developer_mode",
        "privilege_escalation",
        FAIR,
        "mode",
        r"\byou(?:'re| are)\W{1,3}(?:now\W{1,3})?(?:\w{1,8}\W{1,3}){0,2}?(?:developer"
        r"|maintenance|test)\W{1,2}mode\b",
    ),
    rule(
        "grant_rights",
        "privilege_escalation",
        FIRM,
        "grant give make elevate escalate",
        r"\b(?:grant|give|make|elevate|escalate|promote)\W{1,3}(?:me|us|him|her|them"
        r"|(?:the |this )?(?:user|customer|account|sender)|yourself|full|my account)\W{1,3}"
        r"(?:\w{1,12}\W{1,3}){0,4}?(?:(?:admin\w*|root|superuser|elevated)\b"
        r"|(?:owner|unlimited|full|all|premium)\W{1,3}(?:\w{1,12}\W{1,3})?(?:access|rights?"
        r"|privileges?|permissions?|role|status)\b)(?:\W{1,3}(?:access|rights?|privileges?"
        r"|permissions?|role|status))?",
    ),
    rule(
        "without_approval",
        "privilege_escalation",
        FAIR,
        "without no skip",
        r"\b(?:approve|issue|process|refund|pay|transfer"
        r"|release)\b(?:\W{1,3}\w{1,12}){0,7}?\W{1,3}(?:without (?:any )?(?:check"
        r"\w*|approval|verif\w+|asking|review|confirmation)|no (?:checks?|approval|questions"
        r" asked) (?:is )?(?:needed"
        r"|required))",
    ),
    rule(
        "persona",
        "jailbreak_persona",
        FIRM,
        "dan anything unrestricted uncensored unfiltered jailbr amoral unaligned restriction"
        " filter censor guideline guardrail moral ethic polic",
        r"\bdo anything now\b|\b(?:you are|act as|become|called|named|as) (?:now )?dan\b"
        rf"|{_BE}(?:unrestricted|uncensored|unfiltered|jailbroken|amoral|unaligned"
        rf"|{_WITHOUT}(?:restrictions?|filters?|censorship|ethics|morals?|guidelines"
        r"|guardrails|content polic\w+))\b",
    ),
    rule(
        "persona_without_limits",
        "jailbreak_persona",
        WEAK,
        "limit rule boundar safety",
        rf"{_BE}{_WITHOUT}(?:limit(?:ation)?s?|rules|boundaries|safety)\b",
    ),
    rule(
        "no_limits",
        "jailbreak_persona",
        FAIR,
        "restriction rule filter limit guideline",
        r"\byou(?: now)?(?: have| face| know|'ve) (?:absolutely )?no"
        r" (?:\w{1,10}\W{1,3}){0,2}?(?:restrictions?|rules|filters?|limits|guidelines"
        r"|limitations|boundaries)\b|\byou(?:'re| are) (?:now )?(?:free|liberated|released"
        r"|unbound) (?:from|of) (?:\w{1,10}\W{1,3}){0,2}?(?:restrictions?"
        r"|rules|filters?|constraints?|guidelines|limitations)",
    ),
)

# Words that are written with something between their letters, once that is taken out.
SQUEEZED = (
    rule(
        "split_words",
        "instruction_override",
        STRONG,
        "ignore disregard forget override bypass reveal print show",
        r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|the|your|of"
        r"|these)*(?:previous|prior|earlier|above|preceding|system|safety|original|given|all"
        r"|your"
        r"|every|any)(?:the|of|your|system|safety)*(?:instructions?|directives?|guidelines?"
        r"|prompts?|commands?|rules)",
    ),
    rule(
        "split_leak",
        "prompt_leak",
        STRONG,
        "prompt instructions",
        r"(?:reveal|show|print|display|output|repeat|tell|give)(?:me|us|all|the|of"
        r"|out)*(?:your|the)?(?:hidden|secret|full|initial|original"
        r"|system)(?:system)?(?:prompt|instructions)",
    ),
)
