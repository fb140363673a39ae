"""The options that all agents that ask a model share, and what they say about the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from orka.agent.agent import Shape
from orka.value import Json

SAMPLING = ("temperature", "max_tokens", "top_p", "seed", "stop")
PROVIDER = ("base_url", "api_key_env", "response_format", "threads", "context")
VIOLATION = "sensor.violation"
_ASKED_AGAIN = 2
# No provider takes more, or less.
_BOUNDS: tuple[tuple[str, float, float], ...] = (
    ("violation_retries", 0, math.inf),
    ("temperature", 0, 5),
    ("max_tokens", 1, math.inf),
    ("top_p", 0, 1),
    ("threads", 1, math.inf),
    ("context", 1, math.inf),
)

Structured = Literal["auto", "schema", "json", "tool", "prompt"]


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`{route: node}`: the node that runs when an answer breaks its contract."""

    route: str


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is asked, and what happens when its answer breaks its contract. Types of options
    of agents derive from it; `model` is `provider/name`."""

    model: str
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    threads: int | None = None
    context: int | None = None
    structured: Structured = "auto"
    coerce: bool = False
    on_violation: Literal["fail", "retry", "repair"] | Route = "fail"
    violation_retries: int | None = None

    @property
    def asked_again(self) -> int:
        """How often an answer that broke its contract is asked again."""
        if self.violation_retries is not None:
            return self.violation_retries
        return _ASKED_AGAIN if self.on_violation in ("retry", "repair") else 0

    @property
    def route(self) -> str:
        """What the author declared for a breach, as events tell it."""
        if isinstance(self.on_violation, Route):
            return self.on_violation.route
        return "retry" if self.on_violation == "fail" and self.asked_again else self.on_violation

    def given(self, names: Sequence[str]) -> dict[str, Json]:
        """Those of the options `names` that are set."""
        found = {name: getattr(self, name, None) for name in names}
        return {name: item for name, item in found.items() if item is not None}


def model_shape(
    options: ModelOptions, tools: Sequence[str] = (), output: Json = None, *, answers: bool = False
) -> Shape:
    """The shape of an agent that asks its model: which, where a breach leads, the JSON Schema of
    what it gives, if there is one, and whether a run can end with it."""
    on = options.on_violation
    catches = {VIOLATION: on.route} if isinstance(on, Route) else {}
    return Shape(
        models=(options.model,),
        catches=catches,
        tools=tuple(tools),
        output=output,
        answers=answers,
    )


def model_problem(options: ModelOptions) -> str:
    """What is wrong with the shared options, if anything."""
    for name, least, most in _BOUNDS:
        found = getattr(options, name)
        if found is not None and not least <= found <= most:
            bound = f"less than {least}" if found < least else f"more than {most}"
            return f"`{name}` is {found}, {bound}"
    return ""
