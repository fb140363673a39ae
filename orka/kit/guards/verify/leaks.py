"""What must not get out, and where it stands in a text. Each pattern begins with fixed characters
or has a bounded length, so that the work is linear."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from orka.kit.guards.verify.options import Pattern, Rules
from orka.port.guard import Finding
from orka.port.timed import timed

Find = Callable[[str], Iterator[Finding]]

_SECRETS = (
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{30,255}\b",
    r"\bgithub_pat_[A-Za-z0-9_]{40,255}\b",
    r"\bglpat-[A-Za-z0-9_-]{20,255}",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}",
    r"\b[srp]k[-_](?:live_|test_|proj-|ant-)?[A-Za-z0-9_-]{16,255}",
    r"\bAIza[A-Za-z0-9_-]{35}\b",
    r"\bnpm_[A-Za-z0-9]{36}\b",
    r"\bhf_[A-Za-z0-9]{30,100}\b",
    r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}",
    # Without its end too: what a stream brings of it is found line by line.
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:\s{0,4}[A-Za-z0-9+/=\\]{16,128}){0,200}"
    r"(?:\s{0,4}[A-Za-z0-9+/=\\]{1,15})?(?:\s{0,4}-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
    r"(?i:\bbearer\s{1,4}[A-Za-z0-9._~+/=-]{16,2000})",
    r"(?i:\b(?:password|passwd|api[_-]?key|secret|access[_-]?token)\b['\"]?\s{0,4}[:=]\s{0,4}"
    r"(?!\[)(?:\"[^\"\s]{6,200}\"|'[^'\s]{6,200}'|[^\s\"',;]{8,200}))",
    r"(?<=://)[^/\s:@]{1,100}:[^/\s:@]{1,200}(?=@)",
)
_PLACEHOLDERS = (
    r"\[[A-Z][A-Z0-9_]{0,60}_(?:REDACTED|REMOVED|[0-9]{1,9})\]",
    r"\{\{[^{}\n]{0,200}\}\}",
    r"\{%[^{}\n]{0,200}%\}",
    r"\$\{[^{}\n]{0,200}\}",
    r"(?i:\[(?:your|insert|customer|recipient|agent|company|name|date|order)\b[^\[\]\n]{0,60}\])",
    r"(?i:<(?:your|insert|customer|recipient|company)[ _-][^<>\n]{0,60}>)",
    r"(?i:\blorem ipsum\b)",
)
_TOKENS = (
    r"<\|[^<>|\n]{1,60}\|>",
    r"\[/?INST\]",
    r"<</?SYS>>",
    r"</?(?:start_of_turn|end_of_turn|bos|eos)>",
    r"(?m:^</?s>|</?s>$)",
    r"(?m:^### ?(?:System|Instruction|Assistant|User|Human|Response) ?:)",
)
_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
_CARD = r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-])"
_IBAN = r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b"
# A character beyond which no pattern of ours looks.
REACH = 512


def finders(rules: Rules) -> list[Find]:
    """What looks for each thing that must not get out. Raises `ConfigError` for a bad pattern."""
    found: list[Find] = []
    if "secret" in rules.leaks:
        found.append(_matching("SECRET", _SECRETS))
    if "email" in rules.leaks:
        found.append(_matching("EMAIL", (_EMAIL,)))
    if "card" in rules.leaks:
        found.append(_matching("CARD", (_CARD,), _luhn))
    if "iban" in rules.leaks:
        found.append(_matching("IBAN", (_IBAN,), _mod97))
    if rules.placeholders:
        found.append(_matching("PLACEHOLDER", _PLACEHOLDERS))
    if rules.tokens:
        found.append(_matching("TEMPLATE_TOKEN", _TOKENS))
    words = [r"\s+".join(map(re.escape, text.split())) for text in rules.forbidden if text.strip()]
    if words:
        found.append(_matching("FORBIDDEN", [f"(?i:{word})" for word in words]))
    return [*found, *(_timed(pattern) for pattern in rules.patterns)]


def found_in(text: str, finders: Sequence[Find]) -> tuple[Finding, ...]:
    """What stands in a text, in order; of two that overlap the one that begins first, or is longer.
    Raises `ScreenError` for a pattern that takes too long."""
    every = sorted(
        (each for find in finders for each in find(text)), key=lambda each: (each.start, -each.end)
    )
    kept: list[Finding] = []
    for each in every:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(kept)


def _matching(
    kind: str, patterns: Sequence[str], holds: Callable[[str], bool] = bool
) -> Callable[[str], Iterator[Finding]]:
    pattern = re.compile("|".join(f"(?:{each})" for each in patterns))

    def find(text: str) -> Iterator[Finding]:
        for match in pattern.finditer(text):
            if match.group() and holds(match.group()):
                yield Finding(kind=kind, start=match.start(), end=match.end(), rule="verify")

    return find


def _timed(said: Pattern) -> Find:
    spans = timed(said.name, said.pattern, said.time_limit)

    def find(text: str) -> Iterator[Finding]:
        for start, end in spans(text):
            yield Finding(kind=said.name.upper(), start=start, end=end, rule=said.name)

    return find


def _luhn(text: str) -> bool:
    digits = [int(each) for each in text if each.isdecimal()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [digit if n % 2 == 0 else digit * 2 for n, digit in enumerate(reversed(digits))]
    return sum(digit - 9 if digit > 9 else digit for digit in doubled) % 10 == 0


def _mod97(text: str) -> bool:
    letters = text.replace(" ", "")
    turned = letters[4:] + letters[:4]
    return 15 <= len(letters) <= 34 and int("".join(str(int(c, 36)) for c in turned)) % 97 == 1
