"""JSON values: canonical bytes, digests, blob references; how foreign values become JSON."""

from __future__ import annotations

import base64
import datetime
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias

import msgspec

from orka.errors import InputError, nearest

# The one place where a JSON value is typed: every room says Json and means one of
# None, bool, int, float (finite), str, list[Json], dict[str, Json].
Json: TypeAlias = Any

INLINE_LIMIT = 8192
# Levels of lists and maps in a value: no reader of traces has to recurse further.
DEEPEST = 128
BLOB = "$blob"
_BLOB_LIKE = re.compile(r"\$+blob")

_encode = msgspec.json.Encoder(order="sorted").encode


def canonical(value: Json) -> bytes:
    """Sorted keys, no spaces, UTF-8. Equal values give the same bytes. Expects a plain value."""
    return _encode(value)


def digest(data: bytes) -> str:
    """Hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


def parse(text: str | bytes) -> Json:
    """Strict JSON. Raises `ValueError` that says where."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error


def plain(value: object) -> tuple[Json, tuple[str, ...]]:
    """`value` as JSON with sorted keys, and a note for each part that had to be changed.

    Raises `ValueError` for one nested deeper than `DEEPEST`, `TypeError` for what is no data.
    """
    if value is None or value is True or value is False or type(value) is int:
        return value, ()
    try:
        return _exact(value, DEEPEST), ()
    except (_Unfit, UnicodeEncodeError):
        notes: list[str] = []
        result = _plain(value, "", notes)
        _exact(result, DEEPEST)
        return result, tuple(notes)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {DEEPEST} levels deep, or contains itself")


class _Unfit(Exception):
    """A value that is not JSON as it stands."""


def _exact(value: Json, left: int) -> Json:
    """A copy of a value that is JSON as it stands, as nearly all are; `_plain` does the rest."""
    kind = type(value)
    if kind is str:
        if not value.isascii():
            value.encode()  # a lone surrogate has no bytes
        return value
    if value is None or kind is bool or kind is int or (kind is float and math.isfinite(value)):
        return value
    if kind is not list and kind is not dict:
        raise _Unfit
    if not left:
        raise _too_deep()
    if kind is list:
        return [_exact(item, left - 1) for item in value]
    for key in value:
        if type(key) is not str:
            raise _Unfit
    return {_exact(key, left): _exact(value[key], left - 1) for key in sorted(value)}


def _plain(value: object, path: str, notes: list[str]) -> Json:
    kind = type(value)
    if kind is str:
        return _text(value, path, notes)  # type: ignore[arg-type]  # narrowed by `kind`
    if value is None or kind is bool or kind is int:
        return value
    if kind is float:
        return _number(value, path, notes)  # type: ignore[arg-type]  # narrowed by `kind`
    if isinstance(value, Mapping):
        return _mapping(value, path, notes)
    if isinstance(value, (set, frozenset)):
        notes.append(f"{path or '$'}: a set became a sorted list")
        items = [_plain(item, f"{path}[]", notes) for item in value]
        return sorted(items, key=canonical)
    if isinstance(value, (list, tuple)) or (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
    ):
        return [_plain(item, f"{path}[{at}]", notes) for at, item in enumerate(value)]
    return _foreign(value, path, notes)


def _mapping(value: Mapping[object, object], path: str, notes: list[str]) -> Json:
    """Keys sorted, as they come back from a trace: whoever prints a map prints it the same then."""
    result: dict[str, Json] = {}
    for key, item in value.items():
        name = key if isinstance(key, str) else str(key)
        if name is not key:
            notes.append(f"{path or '$'}: key {name} was {type(key).__name__}")
        name = _text(name, path, notes)
        if name in result:
            notes.append(f"{path or '$'}: two keys became {name!r}; the value of the last was kept")
        result[name] = _plain(item, f"{path}.{name}" if path else name, notes)
    return dict(sorted(result.items())) if len(result) > 1 else result


def _number(value: float, path: str, notes: list[str]) -> float | None:
    if math.isfinite(value):
        return value
    notes.append(f"{path or '$'}: a number that is not finite became null")
    return None


def _text(value: str, path: str, notes: list[str]) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        notes.append(f"{path or '$'}: a lone surrogate became U+FFFD")
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _foreign(value: object, path: str, notes: list[str]) -> Json:
    if isinstance(value, msgspec.Struct):
        return _plain(msgspec.to_builtins(value), path, notes)
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        return _number(float(value), path, notes)
    if isinstance(value, str):
        return _text(str(value), path, notes)
    notes.append(f"{path or '$'}: {type(value).__name__} became text")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, PurePath):
        return value.as_posix()
    try:
        built = msgspec.to_builtins(value)
    except TypeError:
        raise TypeError(f"{path or '$'} is {type(value).__name__}, which is no data") from None
    return _plain(built, path, notes)


def copied(value: Json) -> Json:
    """A deep copy: whoever gets it cannot change what is recorded."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def identical(one: Json, other: Json) -> bool:
    """True if both have the same bytes as JSON: 1, 1.0 and true are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(identical(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other)


def shrink(value: Json, blobs: dict[str, bytes], limit: int = INLINE_LIMIT) -> Json:
    """`value` with parts above `limit` canonical bytes replaced by references into `blobs`."""
    if isinstance(value, dict):
        value = {_escape(key): shrink(item, blobs, limit) for key, item in value.items()}
    elif isinstance(value, list):
        value = [shrink(item, blobs, limit) for item in value]
    elif not isinstance(value, str) or len(value) * 4 <= limit:
        return value
    data = canonical(value)
    if len(data) <= limit:
        return value
    name = digest(data)
    blobs[name] = data
    return {BLOB: name, "bytes": len(data)}


def expand(value: Json, blobs: Mapping[str, bytes]) -> Json:
    """The inverse of `shrink`. Raises `KeyError` with the digest of a blob that is not there."""
    if isinstance(value, list):
        return [expand(item, blobs) for item in value]
    if not isinstance(value, dict):
        return value
    if BLOB in value:
        return expand(msgspec.json.decode(blobs[value[BLOB]]), blobs)
    return {_unescape(key): expand(item, blobs) for key, item in value.items()}


def references(value: Json) -> list[str]:
    """Digests of the blobs that `value` (as shrunk) refers to directly."""
    if isinstance(value, list):
        return [name for item in value for name in references(item)]
    if not isinstance(value, dict):
        return []
    if BLOB in value:
        return [value[BLOB]]
    return [name for item in value.values() for name in references(item)]


def _escape(key: str) -> str:
    """A user's own `$blob` key gains a `$`, so that it can never be taken for a reference."""
    return "$" + key if _BLOB_LIKE.fullmatch(key) else key


def _unescape(key: str) -> str:
    return key[1:] if key.startswith("$$") and _BLOB_LIKE.fullmatch(key) else key


def holds_reference(line: bytes) -> bool:
    """Cheap test for a line that may hold blob references or look-alikes: most have none."""
    return b'blob"' in line


def replaced(value: Json, changes: Mapping[str, Json]) -> Json:
    """A copy with the values at dotted paths (`input.` in front is understood) replaced.

    Raises `InputError` for a path that leads nowhere.
    """
    copy, _ = plain(value)
    for path, new in changes.items():
        keys = path.removeprefix("input.").split(".") if path != "input" else []
        if not keys:
            copy = new
            continue
        owner = copy
        for key in keys[:-1]:
            owner = _child(owner, key, path)
        if not isinstance(owner, dict):
            _child(owner, keys[-1], path)
        owner[int(keys[-1]) if isinstance(owner, list) else keys[-1]] = new
    return copy


def _child(owner: Json, key: str, path: str) -> Json:
    if isinstance(owner, dict) and key in owner:
        return owner[key]
    if isinstance(owner, list) and key.isdecimal() and int(key) < len(owner):
        return owner[int(key)]
    known = nearest(key, map(str, owner)) if isinstance(owner, dict) else ""
    raise InputError(f"there is nothing at {path!r}", fix=known, code="input.no_path")
