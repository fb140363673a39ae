"""Conditions: a small, typed, total language written as a subset of Python expressions.

Literals, names, `a.b`, `a['b']`, `a[0]`, comparisons (chained too), `in`, `and`, `or`, `not`,
`+ - * / %`, `len(x)`. Text and numbers never compare; `and`, `or`, `not` take true and false only;
a missing field is an error that names it. Nothing else parses.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping

from orka.errors import GuardError
from orka.value import Json

# An id with a hyphen after a dot: templates and conditions both read it as a subtraction.
HYPHENATED = re.compile(r"\b(?:previous_outputs|outputs)\.([A-Za-z_]\w*(?:-\w+)+)")

Evaluate = Callable[[Mapping[str, Json]], Json]

_ORDER = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Add: "+", ast.Sub: "-"}
_SIGNS |= {ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
_CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None, "none": None}
_LIMIT = 2000


class Guard:
    """A compiled condition. `names` are the references it reads, each as the parts of its path."""

    __slots__ = ("_evaluate", "names", "text")

    def __init__(self, text: str, where: str = "") -> None:
        self.text = text
        tree = _parse(text, where)
        self.names = tuple(dict.fromkeys(_references(tree)))
        self._evaluate = _compile(tree, text, where)

    def __call__(self, env: Mapping[str, Json]) -> bool:
        """Raises `GuardError` if the condition has no answer for these values."""
        result = self._evaluate(env)
        if result is not True and result is not False:
            raise GuardError(
                f"condition {self.text!r} gives {_kind(result)}, not true or false",
                fix="compare the value with something",
            )
        return result


def _parse(text: str, where: str) -> ast.expr:
    if len(text) > _LIMIT:
        raise GuardError(f"a condition has {len(text)} characters", where=where, fix="shorten it")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        detail = error.msg if isinstance(error, SyntaxError) else str(error)
        raise GuardError(
            f"condition {text!r} cannot be read: {detail}",
            where=where,
            fix=_quoted(text) or "write a comparison such as previous_outputs.a == 'yes'",
        ) from None


def _quoted(text: str) -> str:
    found = HYPHENATED.search(text)
    return f"write previous_outputs['{found.group(1)}']" if found else ""


def _references(tree: ast.expr) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            inner.add(id(node.func))
        if id(node) not in inner and (path := _path(node)) is not None:
            found.append(path)
            inner.update(id(part) for part in ast.walk(node))
    return found


def _path(node: ast.AST) -> tuple[str, ...] | None:
    match node:
        case ast.Name(id=name):
            return None if name in _CONSTANTS else (name,)
        case ast.Attribute(value=value, attr=attr):
            head = _path(value)
            return (*head, attr) if head else None
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as key)):
            head = _path(value)
            return (*head, key) if head else None
    return None


def _compile(node: ast.expr, text: str, where: str) -> Evaluate:
    def sub(child: ast.expr) -> Evaluate:
        return _compile(child, text, where)

    match node:
        case ast.Constant(value=value) if value is None or isinstance(
            value, (bool, int, float, str)
        ):
            return lambda env: value
        case ast.Name(id=name) if name in _CONSTANTS:
            return lambda env: _CONSTANTS[name]
        case ast.Name(id=name):
            return lambda env: _field(env, name, "the condition's names")
        case ast.Attribute(value=owner, attr=attr):
            return _access(sub(owner), lambda env: attr, ast.unparse(owner))
        case ast.Subscript(value=owner, slice=key):
            return _access(sub(owner), sub(key), ast.unparse(owner))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            parts = [sub(item) for item in items]
            return lambda env: [part(env) for part in parts]
        case ast.BoolOp(op=op, values=values):
            return _logic([sub(value) for value in values], conjunction=isinstance(op, ast.And))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = sub(operand)
            return lambda env: not _truth(inner(env))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = sub(operand)
            return lambda env: -_number(number(env), "-")
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _comparison(sub(left), ops, [sub(right) for right in rights])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _arithmetic(type(op), sub(left), sub(right))
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            measured = sub(argument)
            return lambda env: _length(measured(env))
    raise GuardError(
        f"condition {text!r} uses {ast.unparse(node)!r}, which conditions do not have",
        where=where,
        fix="use comparisons, and/or/not, in, len(), fields and literals",
    )


def _field(owner: Json, key: Json, of: str) -> Json:
    if isinstance(owner, Mapping) and isinstance(key, str):
        if key in owner:
            return owner[key]
        known = ", ".join(sorted(owner)[:12]) or "none"
        raise GuardError(f"{of} has no field {key!r}", fix=f"fields: {known}")
    if isinstance(owner, list) and type(key) is int:
        if -len(owner) <= key < len(owner):
            return owner[key]
        raise GuardError(f"{of} has {len(owner)} items, no item {key}")
    raise GuardError(f"{of} is {_kind(owner)}: it has no {key!r}")


def _access(owner: Evaluate, key: Evaluate, of: str) -> Evaluate:
    return lambda env: _field(owner(env), key(env), of)


def _logic(parts: list[Evaluate], *, conjunction: bool) -> Evaluate:
    def evaluate(env: Mapping[str, Json]) -> Json:
        for part in parts:
            if _truth(part(env)) is not conjunction:
                return not conjunction
        return conjunction

    return evaluate


def _comparison(left: Evaluate, ops: list[ast.cmpop], rights: list[Evaluate]) -> Evaluate:
    def evaluate(env: Mapping[str, Json]) -> Json:
        value = left(env)
        for op, right in zip(ops, rights, strict=True):
            other = right(env)
            if not _compare(op, value, other):
                return False
            value = other
        return True

    return evaluate


def _compare(op: ast.cmpop, left: Json, right: Json) -> bool:
    match op:
        case ast.Eq() | ast.Is():
            return _equal(left, right)
        case ast.NotEq() | ast.IsNot():
            return not _equal(left, right)
        case ast.In():
            return _contains(right, left)
        case ast.NotIn():
            return not _contains(right, left)
    both = {_kind(left), _kind(right)}
    if both not in ({"a number"}, {"text"}):
        raise GuardError(
            f"{_told(left)} {_SIGNS[type(op)]} {_told(right)} has no answer",
            fix="compare numbers with numbers and text with text",
        )
    return bool(_ORDER[type(op)](left, right))


def _equal(left: Json, right: Json) -> bool:
    return _kind(left) == _kind(right) and bool(left == right)


def _contains(owner: Json, item: Json) -> bool:
    if isinstance(owner, str) and isinstance(item, str):
        return item in owner
    if isinstance(owner, list):
        return any(_equal(item, other) for other in owner)
    if isinstance(owner, Mapping):
        return isinstance(item, str) and item in owner
    raise GuardError(f"`in` needs text, a list or a map on its right, not {_kind(owner)}")


def _arithmetic(op: type[ast.operator], left: Evaluate, right: Evaluate) -> Evaluate:
    def evaluate(env: Mapping[str, Json]) -> Json:
        a, b = left(env), right(env)
        if op is ast.Add and isinstance(a, str) and isinstance(b, str):
            return a + b
        try:
            return _ARITHMETIC[op](_number(a, _SIGNS[op]), _number(b, _SIGNS[op]))
        except ZeroDivisionError:
            raise GuardError(f"division of {a!r} by zero") from None
        except OverflowError:
            raise GuardError(f"{_SIGNS[op]!r} of these numbers is too large to be told") from None

    return evaluate


def _number(value: Json, sign: str) -> float:
    if _kind(value) != "a number":
        raise GuardError(f"{sign!r} needs a number, not {_kind(value)} {value!r}")
    return value  # type: ignore[no-any-return]  # checked above


def _length(value: Json) -> int:
    if isinstance(value, (str, list, Mapping)):
        return len(value)
    raise GuardError(f"len() needs text, a list or a map, not {_kind(value)}")


def _truth(value: Json) -> bool:
    if value is True or value is False:
        return value
    raise GuardError(f"and/or/not need true or false, not {_kind(value)} {value!r}")


def _told(value: Json) -> str:
    return "null" if value is None else f"{_kind(value)} {value!r}"


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a truth value"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
    return "a map"
