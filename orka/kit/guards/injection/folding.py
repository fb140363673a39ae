"""What a reader would see: invisible characters gone, look-alikes and styled letters made plain."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from orka.kit.guards.injection.mapped import Mapped

# Zero-width, joiners, soft hyphen, direction marks and overrides, fillers, selectors, tags.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e01ef"
)
_UNSEEN = re.compile(f"[{INVISIBLE}]+")
_TAGS = re.compile("[\U000e0001\U000e0020-\U000e007f]+")
_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff\ufe20-\ufe2f]+")
_WIDE = re.compile("[\u00df\u00c6\u00e6\u0152\u0153\ufb00-\ufb06\u2026\u0132\u0133]")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]{2,}")
_FOREIGN = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[a-z]")
_CONFUSABLE = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0531-\u058f\u1d00-\u1dbf\u13a0-\u13ff\uab70-\uabbf]"
)
_SPELT = {"ß": "ss", "Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "…": "...", "\u0132": "ij"}

# Letters of other scripts, each before the Latin one that it looks like.
_PAIRS = (
    "аa вb гr еe ѕs зz иu іi їi јj кk мm нh оo рp сc тt уy хx һh ьb ԁd ԛq ԝw үy"
    " ґr ӏl ԍg өo єe ёe һh ӓa ӧo ӱy қk ҡk ҝk ңh ҫc ҳx ԃd ԋh ԏt"
    " αa βb γy εe ηn ιi κk νv οo ρp τt υu χx ωw άa έe ήn ίi ϊi όo ύu ώw ϲc ϳj σo ςc μu δd"
    " աw ցg եe հh սu օo ոn քp յj սu զq"
    " ᎪA ꭰd ᎠD ᏟC ᎬE ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᏔW ᏃZ"
    " ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ᴛt"
    " ᴜu ᴠv ᴡw ʏy ᴢz ɑa ɡg ıi ɩi ɾr ꜱs ғf ɛe"
)
_TWINS = {ord(pair[0]): pair[1] for pair in _PAIRS.lower().split()}


def seen(text: Mapped) -> Mapped:
    """The text in small letters as it is seen: nothing invisible, styled letters plain, accents
    gone, blanks single. Letters of other scripts stay."""
    if text.text.isascii():
        lowered = text.same_length(text.text.lower())
    else:
        plain = text.replaced(_UNSEEN, lambda _: "")
        plain = plain.replaced(_WIDE, lambda match: _spelt(match.group()))
        plain = plain.same_length(plain.text.translate(_PLAIN))
        lowered = plain.replaced(_MARKS, lambda _: "")
    return lowered.replaced(_BLANKS, lambda _: " ")


def unmasked(text: Mapped) -> Mapped:
    """Words in which letters of other scripts pass for Latin ones, in Latin letters."""
    if not _CONFUSABLE.search(text.text) or not _LATIN.search(text.text):
        return text
    return text.replaced(_FOREIGN, _twin)


def unseen(text: Mapped) -> Mapped:
    """The text without what cannot be seen."""
    return text if text.text.isascii() else text.replaced(_UNSEEN, lambda _: "")


def tagged(text: Mapped) -> Mapped:
    """Tag characters, which no one sees, as the letters they stand for."""
    return text.replaced(_TAGS, lambda match: "".join(map(_untagged, match.group())))


def _untagged(char: str) -> str:
    code = ord(char) - 0xE0000
    return chr(code) if 32 <= code < 127 else ""


def _twin(match: re.Match[str]) -> str:
    word = match.group()
    if not _CONFUSABLE.search(word):
        return word
    twin = word.translate(_TWINS)
    # A word that has no Latin twin, letter for letter, is a word of its own language.
    return twin if twin.isascii() else word


def _spelt(char: str) -> str:
    return _SPELT.get(char) or unicodedata.normalize("NFKC", char).lower()


class _Plain(dict[int, int]):
    """Character -> one plain small character, found when it is first met."""

    def __missing__(self, code: int) -> int:
        found = _plain(code)
        if len(self) < 20_000:
            self[code] = found
        return found


@lru_cache(maxsize=4096)
def _plain(code: int) -> int:
    styled = unicodedata.normalize("NFKC", chr(code)).lower()
    if len(styled) != 1:
        styled = styled.strip("()., ") if 0x2460 <= code <= 0x24FF else chr(code).lower()
    if 0x1F130 <= code <= 0x1F189:  # letters in squares
        styled = chr(97 + (code - 0x1F130) % 32 % 26)
    if 0x1F1E6 <= code <= 0x1F1FF:  # halves of flags
        styled = chr(97 + code - 0x1F1E6)
    base = unicodedata.normalize("NFD", styled)[:1]
    latin = base.isascii() or "\u0370" <= base <= "\u03ff"
    chosen = base if latin else styled
    return ord(chosen) if len(chosen) == 1 else code


_PLAIN = _Plain()
