"""A language as a list of words, and the rules that are made of it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from orka.kit.guards.injection.rule import STRONG, WEAK, Rule, any_of, literal, rule

_PROMPT = "system.?prompt prompt.?system"


class Language(msgspec.Struct, frozen=True):
    """`drop` and `show`: what the model is told to do; `rules`: with what; `which`: words that say
    that its own are meant; `prompt`: what it is to show; `free`: that it has no limits any more.
    `spaced`: words have blanks between them. Words with a blank between them are alternatives."""

    drop: str
    rules: str
    which: str
    show: str
    prompt: str
    free: str = ""
    spaced: bool = True


def rules_of(languages: dict[str, Language]) -> Iterator[Rule]:
    """The rules: to drop the instructions, to show them, to have no limits."""
    for name, each in languages.items():
        drop, rules, which = (_group(part, each) for part in (each.drop, each.rules, each.which))
        gap, near = (r"(?:[^\w\n]{1,3}[\w'-]{1,16}){0,%d}?[^\w\n]{1,3}", (5, 4))
        if not each.spaced:
            gap, near = (r"[^。！？!?\n]{0,%d}?", (14, 10))
        wide, close = gap % near[0], gap % near[1]
        told = (
            f"{drop}{close}{which}{wide}{rules}",
            f"{drop}{close}{rules}{close}{which}",
            f"{which}{wide}{rules}{close}{drop}",
            f"{rules}{close}{which}{close}{drop}",
        )
        yield rule(
            f"override_{name}",
            "instruction_override",
            STRONG,
            _needs(each.drop, each.rules),
            any_of(told),
        )
        show, prompt = _group(each.show, each), _group(f"{each.prompt} {_PROMPT}", each)
        asked = (f"{show}{wide}{prompt}", f"{prompt}{wide}{show}")
        yield rule(
            f"leak_{name}",
            "prompt_leak",
            STRONG,
            _needs(each.show, f"{each.prompt} {_PROMPT}"),
            any_of(asked),
        )
        if each.free:
            limits = any_of(part.strip() for part in each.free.split(" ; "))
            needs = " ".join(part.strip().split(" ")[0] for part in each.free.split(" ; "))
            yield rule(
                f"free_{name}", "jailbreak_persona", WEAK, _needs(needs), _bounded(limits, each)
            )


def _needs(*lists: str) -> str:
    groups = (
        dict.fromkeys(word for each in words.split() for word in literal(each)) for words in lists
    )
    return " & ".join(" ".join(group) for group in groups)


def _group(words: str, language: Language) -> str:
    return _bounded(any_of(words.split()), language)


def _bounded(group: str, language: Language) -> str:
    return rf"(?<!\w){group}(?!\w)" if language.spaced else group
