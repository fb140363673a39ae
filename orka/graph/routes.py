"""What can be proven about routes: that one always holds, that none is dead, that none overlap.

A condition that compares `value` with constants can only change its answer at those constants. So a
point at each of them, one between each two, and one beyond each end, stand for all values there
are. Where conditions do anything else nothing is claimed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from orka.agent.agent import Decision, Shape
from orka.agent.compared import as_compared, label
from orka.agent.guard import Guard
from orka.errors import GuardError
from orka.graph.graph import Finding
from orka.spec.workflow import Workflow
from orka.value import Json

_OTHER = "something else"
_SHOWN = 12


def check_routes(workflow: Workflow, shapes: Mapping[str, Shape]) -> Iterator[Finding]:
    """Findings about each router of a workflow: warnings, since the routes may be right anyway."""
    for id, shape in shapes.items():
        decision = shape.decision
        if decision is None:
            continue
        source = shapes.get(decision.source)
        domain = _domain(_at(source.output if source else None, decision.path))
        told = _conditions(decision, domain) if decision.conditions else _cases(decision, domain)
        for what, fix in told:
            key = "routes" if decision.conditions else "routing_map"
            yield Finding(workflow.where(id, key), f"router {id!r}: {what}", fix)


def _at(schema: Json, path: str) -> Json:
    """The schema of the field at `path`. Of a whole output the field that decides."""
    if isinstance(schema, dict) and not path:
        inside = schema.get("properties", {})
        name = next((key for key in ("choice", "response", "result") if key in inside), None)
        return inside[name] if name else schema
    for key in path.split(".") if path else ():
        schema = schema.get("properties", {}).get(key) if isinstance(schema, dict) else None
    return schema


class _Domain:
    """What a value can be: `values` if they can be listed; else its `kind`, and bounds."""

    def __init__(self, kind: str = "", values: Sequence[Json] = (), schema: Json = None) -> None:
        self.kind, self.values = kind, list(values)
        bounds = schema if isinstance(schema, dict) else {}
        self.low, self.high = bounds.get("minimum"), bounds.get("maximum")
        self.whole = bounds.get("type") == "integer"

    def has(self, value: Json) -> bool:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low = self.low is None or value >= self.low
            return low and (self.high is None or value <= self.high)
        return True


def _domain(schema: Json) -> _Domain:
    if not isinstance(schema, dict):
        return _Domain()
    if isinstance(schema.get("enum"), list):
        return _Domain("listed", schema["enum"])
    if "const" in schema:
        return _Domain("listed", [schema["const"]])
    kind = schema.get("type")
    if kind == "boolean":
        return _Domain("listed", [True, False])
    if kind in ("number", "integer"):
        return _Domain("number", (), schema)
    return _Domain("text") if kind == "string" else _Domain()


def _cases(decision: Decision, domain: _Domain) -> Iterator[tuple[str, str]]:
    """What a map from values to routes leaves out, and what in it is dead."""
    if domain.kind != "listed":
        if not decision.fallback:
            known = ", ".join(decision.cases)
            yield f"an answer that is none of {known} fails the run", "add a `default`"
        return
    words = [_word(value) for value in domain.values]
    folded = {label(case) for case in decision.cases}
    if not decision.fallback:
        for word in words:
            if label(word) not in folded:
                yield (
                    f"{decision.source!r} can give {word!r}, which has no route",
                    ("add it, or a `default`"),
                )
    possible = {label(word) for word in words}
    for case in decision.cases:
        if label(case) not in possible:
            yield (
                f"route {case!r} is dead: {decision.source!r} never gives it",
                (f"it gives {', '.join(words[:_SHOWN])}"),
            )


def _word(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _conditions(decision: Decision, domain: _Domain) -> Iterator[tuple[str, str]]:
    constants = [_constants(text) for text in decision.conditions]
    if any(found is None for found in constants):
        if not decision.fallback:
            yield "nothing proves that one of its routes always holds", "add a `default`"
        return
    points = _points([c for found in constants for c in found or ()], domain)
    guards = [Guard(text) for text in decision.conditions]
    held = [[number for number, g in enumerate(guards) if _holds(g, point)] for point in points]
    if not decision.fallback:
        for point, numbers in zip(points, held, strict=True):
            if not numbers:
                yield f"no route holds for the value {_shown(point)}", "add a `default`"
                break
    yield from _dead(decision.conditions, held)
    yield from _overlaps(decision.conditions, points, held)


def _dead(texts: Sequence[str], held: Sequence[Sequence[int]]) -> Iterator[tuple[str, str]]:
    for number, text in enumerate(texts):
        if held and not any(numbers and numbers[0] == number for numbers in held):
            why = "a route before it holds whenever it does"
            if not any(number in numbers for numbers in held):
                why = "it never holds"
            yield f"route {text!r} is dead: {why}", "remove it, or move it up"


def _overlaps(
    texts: Sequence[str], points: Sequence[Json], held: Sequence[Sequence[int]]
) -> Iterator[tuple[str, str]]:
    """Two that hold together for some values, and each alone for others: not a cascade."""
    alike = [
        {at for at, numbers in enumerate(held) if number in numbers} for number in range(len(texts))
    ]
    for one, first in enumerate(alike):
        for other in range(one + 1, len(alike)):
            both = first & alike[other]
            if both and first - both and alike[other] - both:
                at = _shown(points[min(both)])
                yield (
                    f"routes {texts[one]!r} and {texts[other]!r} both hold for {at}; "
                    "the first one is taken",
                    "make them exclude each other",
                )


def _constants(text: str) -> list[Json] | None:
    """What a condition compares `value` with; None if it does anything else."""
    found: list[Json] = []
    return found if _simple(ast.parse(text.strip(), mode="eval").body, found) else None


def _simple(node: ast.expr, found: list[Json]) -> bool:
    match node:
        case ast.BoolOp(values=values):
            return all(_simple(value, found) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _simple(operand, found)
        case ast.Name(id="true" | "false" | "value"):
            return True
        case ast.Constant(value=bool()):
            return True
        case ast.Compare(left=left, comparators=rights):
            sides = [_side(side, found) for side in (left, *rights)]
            return all(sides)
    return False


def _side(node: ast.expr, found: list[Json]) -> bool:
    match node:
        case ast.Name(id="value" | "true" | "false" | "null" | "none"):
            return True
        case ast.Constant(value=str() | int() | float() as value):
            found.append(value)
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            found.append(-value)
            return True
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_side(item, found) for item in items)
    return False


def _points(constants: Sequence[Json], domain: _Domain) -> list[Json]:
    """Values that stand for all there are."""
    if domain.kind == "listed":
        return domain.values
    numbers = sorted({c for c in constants if isinstance(c, (int, float)) and c is not True})
    texts = [c for c in constants if isinstance(c, str)]
    points: list[Json] = []
    if domain.kind == "number" or (numbers and domain.kind != "text"):
        edges = [*numbers, *(b for b in (domain.low, domain.high) if b is not None)]
        edges = sorted(dict.fromkeys(edges)) or [0]
        points += [edges[0] - 1, edges[-1] + 1, *edges]
        between = [(a + b) / 2 for a, b in pairwise(edges)]
        points += [b for b in between if not domain.whole or b.is_integer()]
        if domain.whole:
            points = [p for e in points for p in (e - 1, e, e + 1) if float(p).is_integer()]
        points.sort()
    if texts or domain.kind == "text":
        points += [*dict.fromkeys(texts), _OTHER]
    if not points:
        points = [True, False, None, 0, _OTHER]
    return [p for p in dict.fromkeys(points) if domain.has(p)]


def _holds(guard: Guard, value: Json) -> bool:
    try:
        return guard({"value": as_compared(value, guard.text)})
    except GuardError:
        return False


def _shown(value: Json) -> str:
    return repr(value) if not isinstance(value, bool) else str(value).lower()
