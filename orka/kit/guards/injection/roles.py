"""The rules for text that plays another speaker, or speaks to the model that reads it."""

from __future__ import annotations

from orka.kit.guards.injection.rule import FAIR, FIRM, STRONG, WEAK, Rule, any_of, rule

# What a line says that plays the system, behind its label.
_ORDERS = (
    r"\b(?:you (?:are|must|will|can|may|now|should|shall|have)\b|your (?:new|rules|task|role)\b"
    r"|ignore|disregard|forget|drop|new (?:rule|instruct|task)|the (?:user|customer|sender)"
    r"|grant|allow|approv|execut|run |call |send |delet|overrid|enabl|activat|sure|of course"
    r"|i will|i'll|here(?: is|'s)|reveal|print|refund|from now|must|mode\b|permission|cleanup"
    r"|before |disabled|unrestrict|instruction)"
)
_KINDS = (
    r"(?:[ _-](?:message|prompt|note|notice|override|instructions?|alert|command|update"
    r"|response|directive|hint|event))?"
)
_SPEAKERS = r"(?:system|assistant|developer|admin(?:istrator)?|operator|ai|llm|model|root)"
# A line begins, or what markup keeps from being shown.
_OPEN = r"(?:^|<!--|>)[\s>#*\-=_\[(\"'`|/]{0,12}"
_CLOSE = r"[\])*\"'`| ]{0,4}[:>\u2192]+[*\"' ]{0,3}\s{0,3}"
# The same labels in other languages; behind them rights and approvals, or that it is to drop or
# follow what it was told. Stems without accents.
_LABELS = """
system systeme systeem sistema sistem sistemi systemet jarjestelma rendszer assistent asistente
assistente asystent asistan administrador administrateur entwickler
система системно ассистент помощник администратор асистент συστημα
系统 系統 助手 管理员 管理員 システム アシスタント 管理者 시스템 관리자
النظام نظام المساعد מערכת सिस्टम سیستم he.thong ระบบ
"""
_DEMANDS = """
admini freigab genehmig erstatt gutschrift befugt berechtig bestatigt verifizier
reembols aprueb aprob autoriz administrad verificad concede
rembours approuv accord autoris verifie valide rimbors approv autorizz amministrat
terugbetal goedkeur toesta beheerder zwrot zatwierd administrator onay iade yonetici
refusjon godkjen aterbetal godkann tilbakebetal palaut hyvaks visszaterit jovahagy
возврат верни одобр разреш администратор подтвержд поверн адмін схвал επιστροφ εγκρι
退款 批准 审批 審批 授权 授權 管理 允许 允許 返金 承認 許可 환불 승인 관리자 허용
استرداد موافق مسؤول مدير صلاحي החזר אישור מנהל रिफंड अनुमति स्वीकृत प्रशासक
hoan.tien phe.duyet คืนเงิน อนุมัติ
ignor vergiss anweisung befolg instruc instruk olvid oubli consigne dimentic istruz
negeer vergeet zapomnij polecen unut talimat yok.say glom unohda ohje utasit hagyd
игнор забуд инструкц указани правил αγνο ξεχα οδηγι
忽略 忘记 指令 指示 规则 無視 忘れ 지시 무시 명령
تجاهل تعليمات التعليمات התעלם הוראות अनदेखा निर्देश bo.qua huong.dan เพิกเฉย คำสั่ง
"""
_MODEL = (
    r"(?:ais?|a\.i\.|llms?|gpts?|chat-?gpt|copilot|gemini|claude|(?:large )?language models?"
    r"|chat ?bots?|(?:ai|virtual|automated|llm)[ -](?:assistants?|agents?|models?|systems?"
    r"|reviewers?|readers?|tools?|summari[sz]ers?))"
)
_DOCUMENT = (
    r"(?:this|the|these|my)(?: \w{1,12})? (?:documents?|text|page|site|website|e-?mails?|mails?"
    r"|article|paper|file|content|cv|resume|review|report|messages?|ticket|repo\w*|code|post"
    r"|conversation|thread|data)"
)
_WORK = r"(?:summari[sz]\w+|translat\w+|index\w*|evaluat\w+|rat(?:e|ing)|analy[sz]\w+|pars\w+)"

ROLES: tuple[Rule, ...] = (
    rule(
        "role_line",
        "role_spoof",
        STRONG,
        "system assistant developer admin operator ai llm model root & : > →",
        rf"{_OPEN}{_SPEAKERS}{_KINDS}{_CLOSE}(?=[^\n]{{0,120}}?{_ORDERS})[^\n]{{0,240}}",
    ),
    rule(
        "role_line_elsewhere",
        "role_spoof",
        FIRM,
        f"{' '.join(each.split('.')[0] for each in _LABELS.split())} & : ：",
        rf"{_OPEN}{any_of(_LABELS.split())}[\])*\"'`| ]{{0,4}}[:：][*\"' ]{{0,3}}\s{{0,3}}"
        rf"(?=[^\n]{{0,120}}?{any_of(_DEMANDS.split())})[^\n]{{0,240}}",
    ),
    rule(
        "role_tag",
        "role_spoof",
        FIRM,
        "<system </system <assistant </assistant <admin <instruction </instruction </user"
        " <developer <|user </prompt </context </document </untrusted",
        r"</?\s{0,2}(?:system|assistant|admin|instructions?|developer"
        r"|system[_-](?:prompt|message|instructions?|reminder)|user[_-](?:input|message|query"
        r"|data))\s{0,2}>|</(?:prompt|context|untrusted\w*)\s{0,2}>"
        r"(?=\s{0,3}(?:<|\b(?:now|new|system|ignore|you)\b))",
    ),
    rule(
        "role_bracket",
        "role_spoof",
        FIRM,
        "system admin assistant developer",
        rf"[\[({{]{{1,2}}\s{{0,2}}(?:system|admin|assistant|developer){_KINDS}"
        r"\s{0,2}[\])}]{1,2}\s{0,3}:?\s{0,3}(?=[^\n]{0,80}?\b(?:you|ignore|disregard|new"
        r"|grant|override|must|(?:the )(?:user|customer)|user (?:is|has)|customer is|forget"
        r"|reveal|send|delete|instructions?|mode"
        r"|approv\w*|refund|allow\w*|verified|execute|permission)\b)[^\n]{0,240}",
    ),
    rule(
        "role_heading",
        "role_spoof",
        FAIR,
        "### ## ==",
        r"^[#=]{2,6}\s{0,2}(?:system|instructions?|new (?:task|instructions?|rules?)"
        r"|assistant|human|response|end of (?:user )?(?:input|prompt|instructions?|data"
        r"|context))\s{0,2}[:#=\n]",
    ),
    rule(
        "end_of_data",
        "role_spoof",
        WEAK,
        "end",
        r"[-=#*<\[]{2,}\s{0,2}(?:/|end of |end )(?:the )?(?:user )?(?:input|document|prompt"
        r"|ticket|message|context|data|email|instructions?|conversation)\b[^\n]{0,10}",
    ),
    rule(
        "note_to_the_model",
        "instruction_override",
        FAIR,
        "note message attention instruction notice hint reminder command order & ai llm gpt"
        " language chat a.i. copilot gemini claude assistant agent",
        r"\b(?:note|message|attention|instructions?|notice|hint|reminder|commands?|orders?)"
        rf"\W{{0,2}}(?: (?:to|for))? (?:the |any |all |every )?{_MODEL}\b(?: \w{{1,12}}){{0,4}}?"
        r"\s{0,2}[:,.!-]",
    ),
    rule(
        "if_you_are_a_model",
        "instruction_override",
        FIRM,
        "ai llm gpt language chat a.i. copilot gemini claude assistant agent & read process"
        " summar translat pars review evaluat index scan see analy",
        rf"\b(?:if you(?:'re| are)|when you(?:'re| are)|as) (?:an? |the |any )?{_MODEL}"
        r"(?:[^\w.!?\n]{1,3}\w{1,12}){0,4}?[^\w.!?\n]{1,3}(?:reading|processing|summari[sz]ing"
        r"|translating|parsing|reviewing|evaluating|indexing|scanning|seeing|analy[sz]ing"
        r"|that (?:reads|processes))\b",
    ),
    rule(
        "when_you_read",
        "instruction_override",
        FIRM,
        "summar translat index evaluat rat analy pars & also must instead always then please",
        rf"\b(?:when(?:ever)?|if|before|after|while)(?: you(?:'re| are)?)?(?: asked to)? {_WORK}"
        rf" {_DOCUMENT}\b[^\n.!?]{{0,40}}?\b(?:also|must|instead|always|then|please)\b"
        r"[^\n.!?]{0,30}?\b(?:say|tell|includ|add|recommend|writ|output|append|stat|mention"
        r"|send|call|rate|give|insert|run|visit|claim|follow|ignor|end with|begin)\w*",
    ),
    rule(
        "do_not_mention",
        "instruction_override",
        FAIR,
        "mention reveal disclose tell acknowledge",
        r"\b(?:do not|don't|never|without)\W{1,3}(?:mention(?:ing)?|reveal(?:ing)?"
        r"|disclos(?:e|ing)|acknowledg(?:e|ing))\W{1,3}(?:this|these|that|the) (?:hidden )?"
        r"(?:text|notes?|messages?|instructions?|comments?|prompt|commands?)\b",
    ),
)
