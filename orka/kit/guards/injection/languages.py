"""The rules for other languages: being told to drop the instructions, to show them, or that there
are no limits any more."""

from __future__ import annotations

from orka.kit.guards.injection.language import rules_of
from orka.kit.guards.injection.latin import LATIN
from orka.kit.guards.injection.rule import FIRM, rule
from orka.kit.guards.injection.scripts import SCRIPTS

# To forget all that it was told.
_TOLD = (
    r"\boubli\w{1,3} (?:tout )?(?:ce qu[e']|tout\b)[^.!?\n]{0,20}\b(?:t'a|vous a|as|avez|etait"
    r"|ete)\b"
    r"|\bverg(?:iss|esst|essen sie) alles,? was (?:dir|ihnen|du|man|sie)\b"
    r"|\bolvid\w{1,3} todo lo que (?:te|se|le|has|sabes)\b"
    r"|\bdimentic\w{1,3} tutto (?:quello|cio) che (?:ti|le|hai|sai|vi)\b"
    r"|\besque[cç]\w{1,3} (?:de )?tudo o que (?:te|lhe|foi|sabe|voce)\b"
    r"|\bvergeet alles wat (?:je|jou|u|er|men)\b"
    r"|\bzapomnij (?:o )?wszystk\w{1,3},? co (?:ci|wiesz|powiedziano)"
    r"|\bglom allt (?:som )?(?:du|man)\b|\bglem alt,? (?:hvad )?(?:du|man|der)\b"
    r"|\bunut\w{0,4} sana soylenen|sana soylenen her seyi unut"
    r"|\bзабудь(?:те)? вс[её],? что (?:тебе|вам|ты|вы)\b"
    r"|忘(?:记|掉|了|記)你?(?:之前|以前)?[^。！？\n]{0,8}(?:被告知|告诉你|告訴你|学到)"
    r"|(?:言われた|教えられた)(?:こと|内容)[^。\n]{0,6}忘れ|(?:들은|배운) (?:것|내용)[^.\n]{0,8}잊"
)

FOREIGN = (
    *rules_of(LATIN | SCRIPTS),
    rule(
        "forget_all_elsewhere",
        "instruction_override",
        FIRM,
        "oubli verg olvid dimentic esque zapomnij glom glem unut забудь 忘 잊",
        _TOLD,
    ),
)
