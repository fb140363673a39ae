"""`verify`: lets a text pass that keeps to its rules, or masks what must not get out."""

from __future__ import annotations

from typing import Literal

from orka.kit.guards.verify.language import check_languages, language_of
from orka.kit.guards.verify.leaks import REACH, finders, found_in
from orka.kit.guards.verify.options import Rules
from orka.port.guard import Finding, Screened, counted, guard, masked, redacted

# A guard that has to see all of a text looks as far as there is any.
_WHOLE = 1 << 40


class VerifyOptions(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`action` says what becomes of a text with something in it that must not get out: it does not
    pass, or what was found is masked. A wrong length or language never passes."""

    action: Literal["block", "mask"] = "block"


class VerifyGuard:
    """Raises `ConfigError` for a pattern or a language that is none."""

    def __init__(self, options: VerifyOptions) -> None:
        check_languages(options.languages)
        self._options, self._finders = options, finders(options)
        longest = max((len(text) for text in options.forbidden), default=0)
        self.reach = _WHOLE if options.whole else max(REACH, 2 * longest)

    def screen(self, text: str, /) -> Screened:
        """Raises `ScreenError` (`screen.timeout`) for a pattern that takes too long."""
        if wrong := self._wrong(text):
            return Screened(text=text, verdict="block", told=wrong, score=1.0)
        found = found_in(text, self._finders)
        if not found:
            return Screened(text=text)
        if self._options.action == "mask":
            return Screened(
                text=masked(text, found, redacted), verdict="changed", findings=found, score=1.0
            )
        return Screened(text=text, verdict="block", findings=found, told=_told(found), score=1.0)

    def _wrong(self, text: str) -> str:
        """Why it is too short, too long, or in another language."""
        options = self._options
        if len(text) < options.min_length:
            return f"it has {len(text)} characters, fewer than {options.min_length}"
        if options.max_length and len(text) > options.max_length:
            return f"it has {len(text)} characters, more than {options.max_length}"
        if options.languages:
            found, other = language_of(text, options.languages)
            if other:
                return f"it is written in {found.code!r}, not in {', '.join(options.languages)}"
        return ""


def _told(found: tuple[Finding, ...]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in counted(found).items())


@guard("verify", config=VerifyOptions, version="1")
def verify(options: VerifyOptions) -> VerifyGuard:
    """Lets no secret, no leftover placeholder and no template token out; length and language."""
    return VerifyGuard(options)
