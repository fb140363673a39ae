"""Secrets: keys of known providers, tokens, private keys, and what is named a password."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from orka.kit.guards.pii.cues import small
from orka.kit.guards.pii.hit import Hit
from orka.kit.guards.pii.trie import alternatives, starts

_FORMS = {
    "aws": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "github": r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255}",
    "gitlab": r"gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent)-[A-Za-z0-9_\-.]{20,128}",
    "slack": r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250}",
    "stripe": r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{24,100}",
    "anthropic": r"sk-ant-[A-Za-z0-9_-]{20,250}",
    "openai": r"sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,250}",
    "google": r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,500}|GOCSPX-[A-Za-z0-9_-]{28}",
    "huggingface": r"hf_[A-Za-z0-9]{30,60}",
    "sendgrid": r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,60}",
    "npm": r"npm_[A-Za-z0-9]{36}",
    "pypi": r"pypi-[A-Za-z0-9_-]{50,500}",
    "twilio": r"(?:SK|AC)[0-9a-f]{32}",
    "telegram": r"\d{8,10}:AA[A-Za-z0-9_-]{33}",
    "shopify": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "digitalocean": r"do[opr]_v1_[a-f0-9]{64}",
    "databricks": r"dapi[a-f0-9]{32}(?:-\d)?",
    "mailgun": r"key-[0-9a-f]{32}",
    "square": r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}",
    "linear": r"lin_(?:api|oauth)_[A-Za-z0-9]{40}",
    "notion": r"(?:ntn|secret)_[A-Za-z0-9]{40,50}",
    "groq": r"gsk_[A-Za-z0-9]{40,60}",
    "vault": r"hv[sbr]\.[A-Za-z0-9_-]{24,200}",
    "discord": r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    "jwt": r"eyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{4,4000}(?:\.[A-Za-z0-9_-]{0,1000}){1,3}",
}
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    + "|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
    + r")(?![A-Za-z0-9_-])"
)
_PRIVATE = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=:,.\- \t\r\n\\]){0,8000}?-----END [A-Z0-9 ]{1,40}-----")
_KEY_OPEN = re.compile(r"[A-Za-z0-9+/=:,.\- \t\r\n\\]{0,8000}")
_VALUE = (
    r"(?:\"(?P<d>[^\"\n]{3,200})\"|'(?P<s>[^'\n]{3,200})'"
    r"|(?P<v>[^\s\"',;<>()\[\]{}\ufffc]{3,200}))"
)
_SECRET_NAMES = (
    r"pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|mot de passe|mdp|contrase[nñ]a|clave|"
    r"wachtwoord|has[lł]o|senha|l[oö]senord|salasana|heslo|jelsz[oó]|sifre|şifre|пароль|パスワード|密码|"
    r"비밀번호|api[ _-]?key|secret(?:[ _-]?(?:key|access[ _-]?key))?|access[ _-]?(?:key|token)|"
    r"auth[ _-]?token|client[ _-]?secret|private[ _-]?key|token|credentials?|pin|apikey|otp|"
    r"2fa code|cvv2?|cvc"
)
# A name of a secret, in small letters, and what follows it up to the secret.
_NAMED = re.compile(starts(alternatives(_SECRET_NAMES), never="a-z"))
_SAID = re.compile(
    r"(?:[_-][A-Za-z0-9]{1,20}){0,2}[\"'`*]{0,2}"
    r"(?P<sign>[ ]?(?::=|=>|[:=])[ ]?| (?:is|lautet|ist|est|es|è|jest|é|är)[:]?[ ])[\"`*]{0,1}"
    + _VALUE,
    re.IGNORECASE,
)
_CARRIER = re.compile(r"authorization|bearer |x-api-key|cookie")
_HEADER = re.compile(
    r"(?:authorization[\"']?\s?[:=]\s?[\"']?(?:bearer|basic|token|digest|apikey)?\s?|"
    r"\bbearer |x-api-key[\"']?\s?[:=]\s?[\"']?|cookie[\"']?\s?:\s?[\"']?)"
    r"(?P<v>[A-Za-z0-9._~+/=%;:-]{8,4000})",
    re.IGNORECASE,
)
_URL = re.compile(r"://[^\s/:@\ufffc]{0,100}:(?P<v>[^\s/@\ufffc]{1,200})(?=@)")
# What is long enough for a key, with all that may stand in one.
_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/=.:-])[A-Za-z0-9_+/=.:-]{15,}+")
_RANDOM = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,200}={0,2}(?![A-Za-z0-9+/_=-])")
_NEAR = re.compile(r"secret|token|key|credential|passw|auth|signature", re.IGNORECASE)
_WORDS = """
none null true false required optional expired invalid wrong incorrect missing reset forgotten
changed correct empty unset undefined not the was is and for field here string your my please
todo yes no updated disabled enabled blank unknown too a an still being never now only case safe
protected stored hidden secure encrypted hashed
"""
# The name of a value that is put in later.
_VARIABLE = re.compile(r"\$\{?[A-Z_][A-Z0-9_]*\}?|%[A-Z_]+%")
_PLAIN = frozenset(_WORDS.split())
_BITS = 3.6
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_LONG = 24


def secret(text: str) -> Iterator[Hit]:
    lowered = small(text)
    yield from _private_keys(text)
    yield from _named(text, lowered)
    for carrier in _CARRIER.finditer(lowered):
        match = _HEADER.match(text, carrier.start())
        if match and (match.end("v") - match.start("v") > _LONG or _DIGIT.search(match.group("v"))):
            yield Hit(*match.span("v"), "SECRET", "secret.header", 94)
    for match in _URL.finditer(text):
        yield Hit(*match.span("v"), "SECRET", "secret.url", 97)
    for token in _TOKEN.finditer(text):
        yield from _keys(text, *token.span())


def _keys(text: str, begin: int, end: int) -> Iterator[Hit]:
    for match in _KNOWN.finditer(text, begin, end):
        yield Hit(match.start(), match.end(), "SECRET", f"secret.{match.lastgroup}", 96)
    for match in _RANDOM.finditer(text, begin, end):
        near = text[max(0, match.start() - 40) : match.start()]
        if _NEAR.search(near) and _mixed(match.group()) and entropy(match.group()) >= _BITS:
            yield Hit(match.start(), match.end(), "SECRET", "secret.random", 78, 0.8)


def entropy(text: str) -> float:
    """Bits a character, from how often each occurs."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def _private_keys(text: str) -> Iterator[Hit]:
    end = 0
    for match in _PRIVATE.finditer(text):
        if match.start() < end:
            continue
        body = _KEY_BODY.match(text, match.end()) or _KEY_OPEN.match(text, match.end())
        end = body.end() if body else match.end()
        yield Hit(match.start(), end, "SECRET", "secret.private_key", 99)


def _named(text: str, lowered: str) -> Iterator[Hit]:
    for name in _NAMED.finditer(lowered):
        match = _SAID.match(text, name.end())
        if match is None:
            continue
        group = next(name for name in ("d", "s", "v") if match.group(name) is not None)
        start, end = match.span(group)
        while end > start and text[end - 1] in ".!?`*":
            end -= 1
        value = text[start:end]
        word = value.lower().strip(".:!?")
        spoken = match.group("sign").strip(" :").isalpha()
        if (
            len(value) < 3
            or word in _PLAIN
            or _VARIABLE.fullmatch(value)
            or set(value) <= set("*.xX•-")
        ):
            continue
        if spoken and not any(char.isdigit() or not char.isalnum() for char in value):
            continue
        yield Hit(start, end, "SECRET", "secret.named", 92)


def _mixed(text: str) -> bool:
    return _DIGIT.search(text) is not None and _LETTER.search(text) is not None
