"""One-of-n questions, answered with probabilities read from the model instead of with text.

Each choice is looked for as written, with a space before it, and with a capital. When the first
tokens tell the choices apart, one prefill answers and nothing is decoded. When two choices begin
with the same token, each spelling is scored over all its tokens; a spelling that continues another
(`no`, `no idea`) takes its share away from the shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orka.errors import ModelError
from orka.kit.models.local.llama import CHUNK, Check, Llama

NEGLIGIBLE = 1e-6
"""A spelling whose first token is less likely than this is not followed further."""

Spelling = tuple[int, ...]


@dataclass(frozen=True)
class Shares:
    """`probabilities` sum to 1; `mass` is what the choices had together before that."""

    probabilities: Mapping[str, float]
    mass: float

    @property
    def best(self) -> str:
        """The likeliest choice; the first of equals."""
        return max(self.probabilities, key=lambda choice: self.probabilities[choice])


def score(llama: Llama, choices: Sequence[str], check: Check) -> Shares:
    """Shares of `choices` after the prompt that `llama` has evaluated. Raises `ModelError`."""
    spellings = {choice: _spellings(llama, choice) for choice in choices}
    _tell_apart(spellings, len(choices))
    first = llama.shares()
    owners = _first_tokens(spellings)
    if owners is not None:
        raw = {
            choice: sum(float(first[token]) for token in tokens)
            for choice, tokens in owners.items()
        }
    else:
        raw = _follow(llama, spellings, first, check)
    return _normalised(raw)


def _spellings(llama: Llama, choice: str) -> list[Spelling]:
    bare = choice.strip()
    words = dict.fromkeys((bare, bare[:1].upper() + bare[1:]))
    texts = [lead + word for word in words for lead in ("", " ")]
    return list(dict.fromkeys(tuple(llama.tokenize(text, special=False)) for text in texts))


def _tell_apart(spellings: Mapping[str, list[Spelling]], asked: int) -> None:
    owner: dict[Spelling, str] = {}
    for choice, ways in spellings.items():
        for way in ways:
            other = owner.setdefault(way, choice)
            if other != choice or not way or len(spellings) != asked:
                raise ModelError(
                    f"the choices {other!r} and {choice!r} cannot be told apart",
                    where="choices",
                    fix="use words that differ in more than spaces and a first capital",
                    code="model.refused",
                    retryable=False,
                )


def _first_tokens(spellings: Mapping[str, list[Spelling]]) -> dict[str, list[int]] | None:
    """The tokens that open each choice, or None if two choices share one."""
    owners = {choice: sorted({way[0] for way in ways}) for choice, ways in spellings.items()}
    tokens = [token for opening in owners.values() for token in opening]
    return owners if len(set(tokens)) == len(tokens) else None


def _follow(
    llama: Llama, spellings: Mapping[str, list[Spelling]], first: Sequence[float], check: Check
) -> dict[str, float]:
    prompt_end = llama.place
    likely = {
        way: choice
        for choice, ways in spellings.items()
        for way in ways
        if float(first[way[0]]) >= NEGLIGIBLE and len(way) <= CHUNK
    }
    share: dict[Spelling, float] = {}
    for way in likely:
        check()
        share[way] = float(first[way[0]]) * _tail(llama, way)
        llama.rewind(prompt_end)
    raw = dict.fromkeys(spellings, 0.0)
    for way in sorted(likely, key=len, reverse=True):
        longer = [other for other in likely if len(other) > len(way) and other[: len(way)] == way]
        share[way] = max(0.0, share[way] - sum(share[other] for other in longer))
        raw[likely[way]] += share[way]
    return raw


def _tail(llama: Llama, way: Spelling) -> float:
    """How likely the tokens after the first are, given those before them."""
    product = 1.0
    if len(way) > 1:
        llama.feed_all(way[:-1])
        for at, token in enumerate(way[1:]):
            product *= float(llama.shares(at)[token])
    return product


def _normalised(raw: Mapping[str, float]) -> Shares:
    mass = sum(raw.values())
    if mass <= 0.0:
        raise ModelError(
            "the model gives none of the choices a probability that can be measured",
            where="choices",
            fix="name the choices in the prompt, or ask for text and read it",
            code="model.no_choice",
            retryable=False,
        )
    shares = {choice: round(share / mass, 6) for choice, share in raw.items()}
    return Shares(shares, round(mass, 6))
