"""Checks of tools: they say what they take, refuse the rest, and keep to their manifest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec import structs

from orka.agent.sensor.schema import Schema
from orka.agent.tool import FunctionTool
from orka.api.guests import bounds_of
from orka.engine.confine import Confined
from orka.engine.guests import Guests
from orka.errors import Failure
from orka.testing.plugin_suite.check import Skipped, checks, claim, same, short, tried
from orka.testing.plugin_suite.example import example
from orka.testing.plugin_suite.subject import Subject, Thing
from orka.value import Json, copied, plain

KEY = "check/it#0"
# Seconds a call may take, and an event loop may stand still.
_SECONDS, _PATIENCE = 30.0, 2.0
_AT_ONCE = 8
_ODD = "no such parameter"


def says_what_it_does(found: Subject, tool: Thing) -> None:
    claim(tool.value.description, "it has no docstring: models are told what it does by that")


def is_called_plainly(found: Subject, tool: Thing) -> None:
    claim(tool.name.replace("-", "_").isidentifier(), f"{tool.name!r} is no plain name")


def its_schema_is_a_json_schema(found: Subject, tool: Thing) -> None:
    try:
        Schema(tool.value.schema)
    except ValueError as error:
        raise AssertionError(str(error)) from None


def its_schema_describes_named_arguments(found: Subject, tool: Thing) -> None:
    schema = tool.value.schema
    fits = isinstance(schema, Mapping) and schema.get("type") == "object"
    claim(fits, f"its schema is {short(schema)}: arguments are a map")


def refuses_arguments_that_are_missing(found: Subject, tool: Thing) -> None:
    if not tool.value.schema.get("required"):
        raise Skipped("it needs no argument")
    _refuses(found, tool, {}, "no arguments at all")


def refuses_arguments_nobody_reads(found: Subject, tool: Thing) -> None:
    _refuses(found, tool, {**_args(found, tool), _ODD: 1}, f"the argument {_ODD!r}")


def refuses_arguments_of_another_type(found: Subject, tool: Thing) -> None:
    properties = tool.value.schema.get("properties", {})
    typed = [name for name, schema in properties.items() if schema.get("type") not in (None, [])]
    if not typed:
        raise Skipped("its arguments may be anything")
    name = typed[0]
    wrong: Json = [[1]] if properties[name]["type"] != "array" else "text"
    _refuses(found, tool, {**_args(found, tool), name: wrong}, f"{name}={wrong!r}")


def gives_json(found: Subject, tool: Thing) -> None:
    value = _called(found, tool)
    try:
        plain(value)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"it gave what cannot be recorded: {error}") from None


def gives_what_it_declares(found: Subject, tool: Thing) -> None:
    answer = _tried(found, tool)
    wrong = isinstance(answer, Failure) and answer.code == "tool.undeclared_output"
    claim(not wrong, answer.message if wrong else "")


def leaves_its_arguments_as_they_are(found: Subject, tool: Thing) -> None:
    args = _args(found, tool)
    before = copied(args)
    _run(tool, args, found)
    same(args, before, "its arguments")


def keeps_to_its_manifest(found: Subject, tool: Thing) -> None:
    if found.manifest is None:
        raise Skipped("it has no manifest")
    answer = _tried(found, tool)
    wrong = isinstance(answer, Failure) and answer.code == "plugin.undeclared"
    claim(not wrong, answer.message if wrong else "")


def can_be_called_in_several_threads_at_once(found: Subject, tool: Thing) -> None:
    if not tool.value.blocking:
        raise Skipped("it is async")
    args = _args(found, tool)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        answers = list(threads.map(lambda _: _run(tool, args, found), range(_AT_ONCE)))
    alone = isinstance(_run(tool, args, found), Failure)
    failed = [answer for answer in answers if isinstance(answer, Failure)]
    claim(
        alone or not failed, f"{len(failed)} of {_AT_ONCE}: {failed[0].message if failed else ''}"
    )


def acts_once_for_one_key_if_it_says_so(found: Subject, tool: Thing) -> None:
    if not tool.value.idempotent:
        raise Skipped("it is not idempotent")
    first = _called(found, tool)
    same(_called(found, tool), first, "its answers to the same key")


def says_that_it_acts_once_if_it_takes_the_key(found: Subject, tool: Thing) -> None:
    if not isinstance(tool.value, FunctionTool) or not tool.value.wants_key:
        raise Skipped("it takes no key")
    claim(tool.value.idempotent, "it takes `effect_key` and is not declared idempotent")


def lets_its_event_loop_go_on(found: Subject, tool: Thing) -> None:
    if tool.value.blocking:
        raise Skipped("it has its own thread")
    answer = _run(tool, _args(found, tool), found)
    blocked = isinstance(answer, Failure) and answer.code == "tool.blocked"
    claim(not blocked, answer.message if blocked else "")


def ends_when_it_is_cancelled(found: Subject, tool: Thing) -> None:
    if tool.value.blocking:
        raise Skipped("a thread cannot be cancelled")
    claim(asyncio.run(_cancelled(tool, _args(found, tool))), "it goes on after it was cancelled")


CHECKS = checks(
    "tool",
    says_what_it_does,
    is_called_plainly,
    its_schema_is_a_json_schema,
    its_schema_describes_named_arguments,
    refuses_arguments_that_are_missing,
    refuses_arguments_nobody_reads,
    refuses_arguments_of_another_type,
    gives_json,
    gives_what_it_declares,
    leaves_its_arguments_as_they_are,
    keeps_to_its_manifest,
    can_be_called_in_several_threads_at_once,
    acts_once_for_one_key_if_it_says_so,
    says_that_it_acts_once_if_it_takes_the_key,
    lets_its_event_loop_go_on,
    ends_when_it_is_cancelled,
)


def _args(found: Subject, tool: Thing) -> dict[str, Json]:
    """The sample of its arguments, or the least that its schema says."""
    if tool.name in found.samples.tools:
        return dict(found.samples.tools[tool.name])
    return dict(example(tool.value.schema))


def _called(found: Subject, tool: Thing) -> Any:  # Any: what a stranger gives
    """What it gives. Raises `Skipped` if it fails with these arguments, which it may."""
    answer = _tried(found, tool)
    if isinstance(answer, Failure):
        known = tool.name in found.samples.tools
        if known:
            raise AssertionError(f"with its sample: [{answer.code}] {answer.message}")
        raise Skipped(f"it failed ({answer.message}): give arguments as a sample")
    return answer


def _tried(found: Subject, tool: Thing) -> Any:  # Any: what a stranger gives, or its failure
    """What one call gives; asked once of each tool."""
    return _run(tool, _args(found, tool), found)


def _run(tool: Thing, args: Mapping[str, Json], found: Subject) -> Any:  # Any: see above
    bounds = bounds_of(found.manifest, tool.value) if found.manifest else None

    def called() -> object:
        with Confined(f"tool {tool.name!r}", bounds):
            return tool.value.call(args, KEY)

    if tool.value.blocking:
        return tried(called)

    async def work() -> object:
        value = called()
        return await value if isinstance(value, Awaitable) else value

    return tried(lambda: asyncio.run(_on_a_loop(tool, work)))


async def _on_a_loop(tool: Thing, work: Any) -> object:  # Any: a coroutine function
    guests = Guests(_PATIENCE)
    try:
        async with asyncio.timeout(_SECONDS):
            return await guests.call("check", tool.name, work)
    finally:
        guests.close()


async def _cancelled(tool: Thing, args: Mapping[str, Json]) -> bool:
    """Whether a call is over soon after it was cancelled."""
    task = asyncio.ensure_future(tool.value.call(args, KEY))
    await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=_PATIENCE)
    if task in done and not task.cancelled():
        task.exception()  # looked at: it may fail or end as well
    return bool(done)


def _refuses(found: Subject, tool: Thing, args: Mapping[str, Json], what: str) -> None:
    """Before anything happens: what is called is another function, which says so."""
    value = tool.value
    if not isinstance(value, FunctionTool):
        answer = _run(tool, args, found)
        claim(isinstance(answer, Failure), f"it took {what}")
        return
    answer = tried(structs.replace(value, function=lambda **_: None).call, args, KEY)
    refused = isinstance(answer, Failure) and answer.code == "tool.arguments"
    claim(refused, f"it took {what}")
