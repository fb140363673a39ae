"""What a user may say about which personal data are looked for."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Kind = Literal[
    "EMAIL",
    "PHONE",
    "CREDIT_CARD",
    "IBAN",
    "NATIONAL_ID",
    "IP",
    "MAC",
    "DATE_OF_BIRTH",
    "ADDRESS",
    "NAME",
    "SECRET",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Kinds that have no check digit and no fixed form: words around them tell.
_WORDED = ("ADDRESS", "NAME")
# Where a telephone number without a country code may be at home, the likelier first.
REGIONS = (
    *("US", "GB", "FR", "DE", "ES", "IT", "NL", "PL", "BR", "SE", "PT", "BE", "CH", "AT", "IE"),
    *("DK", "NO", "FI", "CZ", "GR", "RO", "HU", "TR", "JP", "KR", "CN", "IN", "AU", "NZ", "ZA"),
    *("MX", "AR", "CL", "CO", "RU", "UA", "IL", "AE", "SG", "HK"),
)


class Custom(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pattern of the user's own. What it finds is a `name`; it may search a text for
    `time_limit` seconds."""

    name: str
    pattern: str
    time_limit: float = 1.0


class PiiOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`kinds` are looked for; without them `level` says which: `minimal` leaves out ADDRESS and
    NAME, `moderate` has those that words around them give away, `strict` also those that only look
    like one. `regions` are where a telephone number without a country code may be at home, `region`
    is the first of them. `allow` are values that may stand. `names`: whether a language model of
    spaCy looks for names too (`auto`: in English texts, if it is installed)."""

    kinds: tuple[Kind, ...] = ()
    level: Literal["strict", "moderate", "minimal"] = "strict"
    region: str = ""
    regions: tuple[str, ...] = REGIONS
    names: Literal["auto", "rules", "spacy", "off"] = "auto"
    custom: tuple[Custom, ...] = ()
    allow: tuple[str, ...] = ()

    @property
    def wanted(self) -> frozenset[str]:
        """The kinds that are looked for."""
        named = self.kinds or tuple(
            kind for kind in KINDS if self.level != "minimal" or kind not in _WORDED
        )
        return frozenset(kind for kind in named if kind != "NAME" or self.names != "off")

    @property
    def homes(self) -> tuple[str, ...]:
        """The regions in the order in which they are tried."""
        first = (self.region,) if self.region else ()
        return (*first, *(each for each in self.regions if each != self.region))
