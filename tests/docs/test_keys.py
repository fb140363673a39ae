"""Every key of the language stands in an example that is executed.

Options that several types of agents share (those about asking a model, those about judging) need
one example, in any of these types: an option counts for the class that brings it. An example counts
for the type of the agent in which it is written.
"""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from flows import agents, examples, files, keys, workflows

from orka.plugin.registry import Registry
from orka.spec.load import AGENT_KEYS, ORCHESTRATOR_KEYS, TOP_KEYS
from orka.spec.policy import Limit, Policy
from orka.spec.workflow import Backoff

FLOWS = [flow for block in (*examples(), *files()) for flow in workflows(block.value)]
AGENTS = [agent for block in (*examples(), *files()) for agent in agents(block.value)]
KINDS = {name: kind.config for name, kind in Registry().agents.items()}


def structs(annotation: msgspec.inspect.Type) -> Iterator[tuple[type[msgspec.Struct], str]]:
    """The structs that an option of this type may hold, behind a `*.` for each map of names."""
    match annotation:
        case msgspec.inspect.StructType(cls=cls):
            yield cls, ""
        case msgspec.inspect.UnionType(types=types):
            for each in types:
                yield from structs(each)
        case (
            msgspec.inspect.ListType(item_type=item) | msgspec.inspect.VarTupleType(item_type=item)
        ):
            yield from structs(item)
        case msgspec.inspect.DictType(value_type=item):
            for cls, under in structs(item):
                yield cls, f"*.{under}"


def owner(cls: type[msgspec.Struct], name: str) -> type[msgspec.Struct]:
    """The class that brings the field, the farthest one up."""
    above = cls.__mro__[: cls.__mro__.index(msgspec.Struct)]
    *_, first = (each for each in above if name in getattr(each, "__struct_fields__", ()))
    return first


def options(cls: type[msgspec.Struct], before: str = "") -> Iterator[tuple[type, str]]:
    """The options of a struct with the class that brings each, and dotted those inside of them."""
    info: Any = msgspec.inspect.type_info(cls)
    for field in info.fields:
        brings = owner(cls, field.name)
        yield brings, f"{before}{field.encode_name}"
        for inner, under in structs(field.type):
            for _, path in options(inner, f"{before}{field.encode_name}.{under}"):
                yield brings, path


def wanted() -> list[tuple[type, str]]:
    return sorted({each for cls in KINDS.values() for each in options(cls)}, key=str)


def shown() -> dict[tuple[type, str], list[str]]:
    """What is written in examples: option, dotted path -> ids of agents."""
    found: dict[tuple[type, str], list[str]] = defaultdict(list)
    for agent in AGENTS:
        written = set(keys(agent))
        for brings, path in options(KINDS[agent["type"]]) if agent["type"] in KINDS else ():
            if path in written or ("*" in path and fnmatch.filter(written, path)):
                found[brings, path].append(agent["id"])
    return found


SHOWN = shown()


@pytest.mark.parametrize(
    ("brings", "path"),
    [pytest.param(*each, id=f"{each[0].__name__}.{each[1]}") for each in wanted()],
)
def test_every_option_stands_in_an_example(brings: type, path: str) -> None:
    types = [name for name, cls in KINDS.items() if issubclass(cls, brings)]
    assert SHOWN[brings, path], f"no example has `{path}` in an agent of type {' or '.join(types)}"


@pytest.mark.parametrize("key", AGENT_KEYS)
def test_every_key_of_agents_stands_in_an_example(key: str) -> None:
    assert any(key in agent for agent in AGENTS)


@pytest.mark.parametrize("key", Backoff.__struct_fields__)
def test_every_key_of_backoff_stands_in_an_example(key: str) -> None:
    assert any(key in agent.get("backoff", {}) for agent in AGENTS)


@pytest.mark.parametrize("key", ORCHESTRATOR_KEYS)
def test_every_key_of_the_orchestrator_stands_in_an_example(key: str) -> None:
    assert any(key in flow["orchestrator"] for flow in FLOWS)


@pytest.mark.parametrize("key", Policy.__struct_fields__)
def test_every_key_of_a_policy_stands_in_an_example(key: str) -> None:
    assert any(key in flow["orchestrator"].get("policy", {}) for flow in FLOWS)


@pytest.mark.parametrize("key", Limit.__struct_fields__)
def test_every_key_of_a_limit_stands_in_an_example(key: str) -> None:
    assert any(f"policy.limits.refund.amount.{key}" in keys(f["orchestrator"]) for f in FLOWS)


@pytest.mark.parametrize("key", TOP_KEYS)
def test_every_key_at_the_top_stands_in_an_example(key: str) -> None:
    assert any(key in flow for flow in FLOWS)


def test_every_type_of_agent_stands_in_an_example() -> None:
    assert KINDS.keys() <= {agent["type"] for agent in AGENTS}
