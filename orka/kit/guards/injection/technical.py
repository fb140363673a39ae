"""The rules for what has no language: commands, tokens, markup, and data that is to leave."""

from __future__ import annotations

from orka.kit.guards.injection.rule import FAIR, FIRM, STRONG, Rule, rule

_SECRETS = (
    r"(?:api[ _-]?keys?|passwords?|credentials?|secrets?|secret keys?|private keys?|access"
    r" tokens?"
    r"|auth tokens?|environment variables?|env(?:ironment)? vars?|customer (?:list"
    r"|data(?:base)?|records"
    r"|emails)|user (?:data(?:base)?|records|list)"
    r"|database(?! (?:performance|connections?|errors?|schemas?|design|migrations?|issues?))"
    r"|card numbers|card data"
    r"|confidential \w+"
    r"|internal (?:data|configuration|config|documents|notes|tools)|conversation history|chat"
    r" history)"
)

# What stands in an address in the place of what is to be sent there.
_SLOTS = (
    r"(?:data|secrets?|tokens?|(?:system[ _-]?)?prompts?|conversations?|history|summary|context"
    r"|messages?|passwords?|api[ _-]?keys?|keys?|cookies?|e-?mails?|chat|user[ _-]?\w{0,10})"
)

# The marks with which the templates of models hand the turn on.
_TOKEN = (
    r"(?:<\|\s{0,2}[\w./:\u2581-]{1,40}(?: [\w./-]{1,20}){0,2}\s{0,2}\|>|\[/?inst\]|<</?sys>>"
    r"|</?(?:start|end)_of_turn>|<(?:bos|eos|sop)>"
    r"|\[/?(?:tool_calls|available_tools|tool_results|system_prompt)\]|</?tool_call>|</think>"
    r"|</s>(?=\s{0,3}(?:<s>|\[inst|<\||$))|(?<=</s>)<s>)"
)

_DEEDS = (
    r"(?:grant|delete|drop|exec|run|issue|refund|transfer|send|close|escalate|system|assistant"
    r"|approv|set_|make_|overrid|add_|remove|disable|enable|admin|wire|pay|export|shell|sudo"
    r"|update_)"
)

TECHNICAL: tuple[Rule, ...] = (
    rule(
        "sql",
        "tool_or_command_injection",
        FIRM,
        "drop delete truncate union alter insert update 1=1 exec '1'",
        r"(?:(?:['\"]?\)?\s{0,2})?;\s{0,4})?\b(?:drop\s{1,4}(?:table|database|schema|user)"
        r"\s{1,4}(?:if exists )?[\w.`\"]{2,40}\s{0,2}(?:;|--|$|cascade)"
        r"|truncate\s{1,4}table\s{1,4}\w+|delete\s{1,4}from\s{1,4}\w{2,40}(?:\s{1,4}where"
        r"|\s{0,2};|\s{0,2}--)|union\s{1,4}(?:all"
        r"\s{1,4})?select\b|alter\s{1,4}table\s{1,4}\w+)[^\n]{0,60}"
        r"|['\"]\s{0,2}or\s{1,2}['\"]?1['\"]?\s{0,2}=\s{0,2}['\"]?1",
        whole=False,
    ),
    rule(
        "script",
        "tool_or_command_injection",
        FIRM,
        "<script javascript: onerror onload <iframe document.cookie <svg eval(",
        r"<script\b[^\n]{0,400}?(?:</script\s{0,2}>|$)|javascript:\s{0,2}\w|<(?:img|svg|body"
        r"|iframe|a|div)\b[^<>\n]{0,200}?\bon"
        r"(?:error|load|click|mouseover)\s{0,2}=[^<>\n]{0,200}>?|<iframe\b[^<>\n]{0,200}>"
        r"|document\.cookie",
        whole=False,
    ),
    rule(
        "shell",
        "tool_or_command_injection",
        FIRM,
        "-rf -fr sudo curl wget bash powershell cmd python node chmod mkfs /etc whoami nim"
        " perl ruby",
        r"(?:\$\(|`)?(?:\brm\s{1,3}-(?:rf|fr|r\s-f)\s{1,3}"
        r"(?:--\S{1,30} )?(?:/(?!var/(?:lib/apt|cache|tmp)|tmp/)|~|\*|\.(?:\s|$|/\*)|\$home|-)"
        r"[^\n]{0,60}|\bsudo\s{1,3}(?:rm|su|bash|sh|chmod|chown"
        r"|dd|cat|passwd|useradd)\b[^\n]{0,60}"
        r"|\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,3}(?:sudo )?(?:ba|z)?sh\b|\b(?:bash|sh|zsh"
        r"|powershell|cmd(?:\.exe)?|python3?|node|perl"
        r"|ruby|php|nim|lua)\s{1,3}(?:-|/)(?:c|e|enc|r)\s{1,3}['\"`][^\n]{1,120}"
        r"|\bnc\s{1,3}-e\b[^\n]{0,60}|\bmkfs\.\w+"
        r"|\bchmod\s{1,3}777\b|[;&|]{1,2}\s{0,2}(?:cat\s{1,3}/etc/|whoami\b))\)?",
        whole=False,
    ),
    rule(
        "command_object",
        "tool_or_command_injection",
        FIRM,
        "command action tool function role method operation name op cmd & { & :",
        r"\{[^{}]{0,120}?(?:[\"']?(?:command|action|tool|tool_name|function|function_call|role"
        rf"|method|operation|op|cmd)[\"']?\s{{0,3}}:\s{{0,3}}[\"']{_DEEDS}\w*[\"']"
        rf"|[\"']name[\"']\s{{0,3}}:\s{{0,3}}[\"']{_DEEDS}\w*[\"']\s{{0,12}},\s{{0,12}}"
        r"[\"'](?:arguments|args|parameters|input)[\"'])[^{}\n]{0,300}\}?",
        whole=False,
        braces=True,
    ),
    rule(
        "steps_of_an_agent",
        "tool_or_command_injection",
        FIRM,
        "action:",
        r"(?:^[ \t>]{0,4}thought:[^\n]{0,300}\n{1,2})?^[ \t>]{0,4}action:[ \t]{0,3}[\w.-]{2,60}"
        r"[ \t]{0,3}\n{1,2}[ \t>]{0,4}action[ _]input:[^\n]{0,300}",
        whole=False,
    ),
    rule(
        "call_markup",
        "tool_or_command_injection",
        FIRM,
        "<function <invoke <tool_ <tools",
        r"<(?:\w{1,12}:)?function_calls?>(?:[\s\S]{0,800}?</(?:\w{1,12}:)?function_calls?>)?"
        r"|<(?:\w{1,12}:)?invoke name=[^<>\n]{1,80}>(?:[\s\S]{0,800}?</(?:\w{1,12}:)?invoke>)?"
        r"|<function=[\w.-]{1,60}>[^\n]{0,300}?(?:</function>|$)"
        r"|<tool_(?:use|code|result|response|output)s?>",
        whole=False,
    ),
    rule(
        "template_code",
        "tool_or_command_injection",
        FIRM,
        "{{ {% ${ <%",
        r"\{\{[^{}\n]{0,200}?(?:__|\bconfig\b|\bself\.|\d\s{0,2}\*\s{0,2}\d|\brequest\."
        r"|\bos\.|import|lipsum|cycler|outputs\b|secret"
        r"|\benv\b)[^{}\n]{0,200}\}\}|\{%-?\s{0,3}(?:for|if|set|import|include|macro|raw"
        r"|endraw|extends)\b[^\n]{0,120}?%\}"
        r"|\$\{[^{}\n]{0,120}?(?:jndi|env|java|runtime|process|exec|secret"
        r"|system)[^{}\n]{0,120}\}|<%=?[^\n]{1,120}?%>",
        whole=False,
    ),
    rule(
        "call_tool",
        "tool_or_command_injection",
        FAIR,
        "_ & call invoke use execute run trigger",
        r"\b(?:call|invoke|use|execute|run|trigger)\W{1,3}(?:the )?(?:(?:tool|function"
        r"|api)\W{1,3})?[`'\"]?[a-z]+_[a-z_]+"
        r"[`'\"]?(?=\W{1,3}(?:before|to|on|with|and|for|now|immediately|then|using)\b)"
        r"|\b(?:must|should|now|immediately|need to|have to)\W{1,3}(?:call|invoke|use|run|execute)"
        r"\W{1,3}(?:the )?(?:(?:tool|function)\W{1,3})?[`'\"]?[a-z]+_[a-z_]+[`'\"]?",
    ),
    rule(
        "run_this",
        "tool_or_command_injection",
        FAIR,
        "execute run",
        r"\b(?:execute|run)\W{1,3}(?:(?:the|this|these|following|arbitrary|shell"
        r"|system)\W{1,3}){1,3}(?:code|commands?|scripts?|payload"
        r"|query|instructions?)\W{0,3}:|\band execute\s{0,2}:\s{0,2}\w|\brun (?:it |this |the"
        r" command )?as (?:root|admin\w*)\b(?! on)",
    ),
    rule(
        "send_secrets",
        "exfiltration",
        FIRM,
        "send forward mail post upload transmit exfiltrat leak bcc submit copy",
        r"\b(?:send|forward|e-?mail|post|upload|transmit|exfiltrate|leak|bcc|submit|copy"
        r"|deliver)\b(?:\W{1,3}(?!my\b|our\b)[\w'-]{1,20}){0,8}?\W{1,3}"
        rf"{_SECRETS}(?:\W{{1,3}}[\w'-]{{1,20}}){{0,8}}?\W{{1,3}}(?:to|at|via"
        rf"|onto)\b[^\n.!?]{{0,60}}[^\n!?\s]{{0,60}}",
    ),
    rule(
        "say_secrets",
        "exfiltration",
        FAIR,
        "key password credential secret token environment customer user database card"
        " confidential internal history",
        r"(?<!how to )(?<!says to )(?<!say to )(?<!tells me to )(?<!do i )(?<!can i )"
        r"(?<!not )(?<!unable to )"
        r"\b(?:list|show|print|dump|reveal|give me|tell me|output|leak|extract|steal|reply"
        r" with|respond with|answer with|provide|disclose|share|expose"
        r"|send (?:me|us)|e?-?mail (?:me|us)|collect|read out)\b"
        r"(?:\W{1,3}(?:all|the|your|of|any|every|me|us|raw|contents?|values?|other|full"
        r"|entire|private|admin\w*|system|stored|users?'?|customers?'?)){0,5}"
        rf"\W{{1,3}}{_SECRETS}\b",
    ),
    rule(
        "markup_out",
        "data_exfil_markup",
        FIRM,
        "![ <img",
        r"!\[[^\]\n]{0,80}\]\(\s{0,2}https?://[^)\s]{1,200}?[?&/][^)\s]{0,200}?"
        rf"(?:\{{|%7b|\[|\$|<|secret|token|prompt|conversation|history|cookie|data=|=\)"
        rf"|={_SLOTS}\b)[^)\n]{{0,120}}\)?"
        r"|<img\b[^<>\n]{0,200}?src\s{0,2}=\s{0,2}['\"]?https?://[^<>\s]{1,200}?[?&][^<>\n]{0,200}?(?:\{|secret|token|prompt|conversation|history"
        r"|cookie|data=)[^<>\n]{0,120}>?",
        whole=False,
    ),
    rule(
        "link_out",
        "data_exfil_markup",
        FIRM,
        "http & { %7b [ < $ & ](  ]:",
        r"(?:\[[^\]\n]{0,80}\]\(\s{0,2}|^\s{0,3}\[[^\]\n]{1,40}\]:\s{0,3})https?://[^)\s]{1,200}?"
        rf"[?&/=](?:\{{|%7b|\[|\$|<)[^)\n]{{0,40}}?{_SLOTS}[^)\n]{{0,80}}\)?",
        whole=False,
    ),
    rule(
        "decode_and_do",
        "encoded_payload",
        FIRM,
        "decode decrypt decipher base64 rot13 hex unscramble deobfuscate translate"
        " concatenate combine join assemble merge together",
        r"\b(?:decode|decrypt|decipher|unscramble|deobfuscate"
        r"|translate)\b[^\n.!?]{0,100}?\b(?:and|then)\b(?:\W{1,3}\w{1,8}){0,2}?\W{1,3}"
        r"(?:execute|obey|(?:follow|do|run|comply|perform|carry out|act)(?:\W{1,3}\w{1,10}){0,4}?"
        r"\W{1,3}(?:instructions?|commands?|it|them|that|this|what|says?|results?|orders?|payload"
        r"|text|message|output))\b[^\n.!?]{0,80}"
        r"|\b(?:concatenate|combine|join|assemble|merge|put together)\b[^\n.!?]{0,80}?"
        r"\b(?:and|then)\W{1,3}(?:execute|obey|(?:follow|do|perform|carry out)"
        r"(?: \w{1,8}){0,3}? (?:results?|instructions?|output|commands?|text|says?))\b"
        r"[^\n.!?]{0,80}",
    ),
    rule(
        "token",
        "template_token",
        STRONG,
        "<| |> [inst] [/inst] <<sys <</sys _of_turn> <bos> <eos> [tool_ [/tool_ [available_tools"
        " [/available_tools <tool_call </tool_call </think system_prompt] </s> <sop>",
        rf"(?:{_TOKEN}(?:\s{{0,2}}(?:system|user|assistant|tool|developer|model)\b)?[ \t]?)"
        r"{1,12}",
        whole=False,
    ),
    rule(
        "turns",
        "template_token",
        FAIR,
        "human: assistant:",
        r"^(?:human|user)\s{0,2}:[^\n]{0,200}\n{1,3}assistant\s{0,2}:|\n\n(?:human"
        r"|assistant)\s?:\s",
    ),
)
