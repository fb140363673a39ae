"""Checks of agent types: pure, deterministic, honest, and able to meet what can happen."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator

import msgspec

from orka.errors import OrkaError
from orka.run.replay import refold
from orka.testing.plugin_suite import options, play
from orka.testing.plugin_suite.check import Skipped, checks, claim, safely, same, short
from orka.testing.plugin_suite.subject import Subject, Thing, source_of
from orka.testing.replay import check_replay
from orka.value import Json

_IMPURE: tuple[str, ...] = (
    "asyncio",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "threading",
)
_IMPURE += ("time", "uuid", "urllib", "http", "requests", "httpx", "sqlite3", "shutil", "tempfile")
_NOT_PURE = ("open", "input", "print", "exec", "eval", "__import__", "hash", "id")
_SEEDS = (1, 2, 3)


def says_what_it_does(found: Subject, agent: Thing) -> None:
    claim(agent.value.doc, "it has no docstring")


def is_called_plainly(found: Subject, agent: Thing) -> None:
    claim(agent.name.replace("-", "_").isidentifier(), f"{agent.name!r} is no plain name")


def takes_one_context(found: Subject, agent: Thing) -> None:
    try:
        inspect.signature(agent.value.function).bind("ctx")
    except TypeError as error:
        raise AssertionError(f"it cannot be called with one context: {error}") from None


def names_templates_that_are_options(found: Subject, agent: Thing) -> None:
    known = agent.value.config.__struct_fields__
    wrong = [name for name in agent.value.templates if name not in known]
    claim(not wrong, f"`templates` names {wrong}, which are no options")


def shapes_the_same_graph_each_time(found: Subject, agent: Thing) -> None:
    if agent.value.shape is None:
        raise Skipped("it has no shape")
    made = _config(found, agent)
    first = safely(agent.value.shape, made)
    same(safely(agent.value.shape, made), first, "its shape of the same options")


def checks_its_options_the_same_each_time(found: Subject, agent: Thing) -> None:
    if agent.value.check is None:
        raise Skipped("it has no check")
    made = _config(found, agent)
    first = safely(agent.value.check, made)
    claim(isinstance(first, str), f"its check gave {short(first)}: it gives text, '' for no fault")
    same(safely(agent.value.check, made), first, "its check of the same options")


def reaches_for_nothing_itself(found: Subject, agent: Thing) -> None:
    for line, told in _impure(agent):
        raise AssertionError(f"line {line} {told}: an agent asks its context, or a tool does it")


def ends_when_it_is_run(found: Subject, agent: Thing) -> None:
    run = play.played(found, agent)
    ended = run.status in ("completed", "failed", "waiting")
    claim(ended and play.failure_code(run) != "agent.blocked", play.told(run))


def awaits_only_what_its_context_gives(found: Subject, agent: Thing) -> None:
    _never(found, agent, "agent.foreign_await")


def raises_nothing_of_its_own(found: Subject, agent: Thing) -> None:
    _never(found, agent, "agent.raised")


def gives_json(found: Subject, agent: Thing) -> None:
    _never(found, agent, "agent.not_json")
    noted = [note for node in play.played(found, agent).nodes for note in node.notes]
    claim(not noted, f"its value had to be changed: {noted[:1]}")


def gives_what_it_declares(found: Subject, agent: Thing) -> None:
    if agent.value.gives is None:
        raise Skipped("it does not say what it gives")
    _never(found, agent, "agent.undeclared_output")


def asks_only_what_its_manifest_names(found: Subject, agent: Thing) -> None:
    if found.manifest is None:
        raise Skipped("it has no manifest")
    _never(found, agent, "plugin.undeclared")
    asked = [each for node in play.played(found, agent).nodes for each in node.attempts]
    wrong = [
        each.error.message
        for each in asked
        if each.error and each.error.code == "plugin.undeclared"
    ]
    claim(not wrong, wrong[0] if wrong else "")


def does_the_same_twice(found: Subject, agent: Thing) -> None:
    first, second = (play.played(found, agent).lines for _ in range(2))
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        same(other, one, f"event {at} of two runs with the same answers")
    same(len(second), len(first), "events of two runs with the same answers")


def replays_byte_for_byte(found: Subject, agent: Thing) -> None:
    run, graph = play.played(found, agent, seed=1), play.graph(found, agent)
    wrong = check_replay(graph, run.lines, run.blobs().__getitem__)
    claim(not wrong, "; ".join(wrong))


def can_be_taken_up_after_any_event(found: Subject, agent: Thing) -> None:
    run, graph = play.played(found, agent, seed=1), play.graph(found, agent)
    for cut in range(1, len(run.lines)):
        try:
            refold(graph, run.lines[:cut], run.blobs().__getitem__).scheduler.close()
        except OrkaError as error:
            raise AssertionError(f"after event {cut - 1}: {error.what}") from None


def gives_the_same_in_any_order_of_answers(found: Subject, agent: Thing) -> None:
    if play.asks_the_clock(agent.value):
        raise Skipped("it reads the clock or draws lots")
    values = [play.played(found, agent, seed=seed).output for seed in _SEEDS]
    for value in values[1:]:
        same(value, values[0], "its value with the same answers in another order")


def meets_effects_that_fail(found: Subject, agent: Thing) -> None:
    run = play.played(found, agent, fails=True)
    code = play.failure_code(run)
    claim(
        code not in ("agent.raised", "agent.blocked"), f"when what it asks fails: {play.told(run)}"
    )


def leaves_its_options_as_they_are(found: Subject, agent: Thing) -> None:
    compiled = play.graph(found, agent)
    made = compiled.nodes[0].config
    before = msgspec.json.encode(made)
    play.played(found, agent, compiled=compiled)
    same(msgspec.json.encode(made), before, "its options")


CHECKS = checks(
    "agent",
    says_what_it_does,
    is_called_plainly,
    takes_one_context,
    *options.OF_OPTIONS,
    names_templates_that_are_options,
    shapes_the_same_graph_each_time,
    checks_its_options_the_same_each_time,
    reaches_for_nothing_itself,
    ends_when_it_is_run,
    awaits_only_what_its_context_gives,
    raises_nothing_of_its_own,
    gives_json,
    gives_what_it_declares,
    asks_only_what_its_manifest_names,
    does_the_same_twice,
    replays_byte_for_byte,
    can_be_taken_up_after_any_event,
    gives_the_same_in_any_order_of_answers,
    meets_effects_that_fail,
    leaves_its_options_as_they_are,
)


def _config(found: Subject, agent: Thing) -> Json:
    """Its options, as the agent gets them."""
    return play.graph(found, agent).nodes[0].config


def _never(found: Subject, agent: Thing, code: str) -> None:
    for seed in (0, 1):
        run = play.played(found, agent, seed=seed)
        claim(play.failure_code(run) != code, play.told(run))


def _impure(agent: Thing) -> Iterator[tuple[int, str]]:
    """What the agent's code, and that of functions beside it, reaches for."""
    function = inspect.unwrap(agent.value.function)
    module = sys.modules.get(function.__module__)
    names = vars(module) if module else {}
    waiting, seen = [function.__name__], set[str]()
    trees = {function.__name__: source_of(function)}
    while waiting:
        name = waiting.pop()
        tree = trees.get(name) or source_of(names.get(name))
        seen.add(name)
        if tree is None:
            continue
        for node in ast.walk(tree):
            yield from _reached(node, names)
            if isinstance(node, ast.Name) and node.id not in seen:
                near = names.get(node.id)
                if inspect.isfunction(near) and near.__module__ == function.__module__:
                    waiting.append(node.id)


def _reached(node: ast.AST, names: dict[str, object]) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        found = [alias.name for alias in node.names if alias.name.partition(".")[0] in _IMPURE]
        yield from ((node.lineno, f"imports {name}") for name in found)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in _IMPURE:
        yield node.lineno, f"imports {node.module}"
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        found_here = names.get(node.id)
        home = getattr(found_here, "__name__" if inspect.ismodule(found_here) else "__module__", "")
        if str(home).partition(".")[0] in _IMPURE:
            yield node.lineno, f"uses {node.id} of {home}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        called = node.func.id
        if called in _NOT_PURE and called not in names:
            yield node.lineno, f"calls {called}()"
