"""The language of the cases: how a case is read, and that none of its keys is passed over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

import msgspec
import yaml

from orka.value import Json

OWN = Path(__file__).parent / "data"
MORE = Path(__file__).parent / "own"


class NotUnderstood(Exception):
    """The runner does not know what a case says. Never an assertion: no alternative excuses it."""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case. `input` and `expected` belong to its `op`."""

    id: str
    kind: str
    split: str
    source: list[str]
    source_title: str
    symptom: str
    severity: str
    judgement: str
    op: str
    input: dict[str, Json]
    expected: dict[str, Json]
    note: str = ""


def read(folder: Path) -> list[Case]:
    """All cases of a folder, in the order of the files. Raises `NotUnderstood`."""
    found = []
    for file in sorted(folder.glob("*.yaml")):
        written = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
        try:
            found += msgspec.convert(written, list[Case])
        except msgspec.ValidationError as error:
            raise NotUnderstood(f"{file}: {error}") from error
    if not found:
        raise NotUnderstood(f"{folder} holds no cases")
    return found


class Fields:
    """The keys of one map of a case, to be used in `with`: a key that was not taken is an error."""

    def __init__(self, value: Json, where: str) -> None:
        if not isinstance(value, Mapping):
            raise NotUnderstood(f"{where} should be a map: {value!r}")
        self._left, self.where = {str(key): item for key, item in value.items()}, where

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def __len__(self) -> int:
        return len(self._left)

    def __enter__(self) -> Fields:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self._left:
            raise NotUnderstood(f"{self.where} has keys nobody reads: {', '.join(self._left)}")

    def take(self, key: str, default: Json = None) -> Json:
        return self._left.pop(key, default)

    def need(self, key: str) -> Json:
        if key not in self._left:
            raise NotUnderstood(f"{self.where} has no {key!r}")
        return self._left.pop(key)

    def put(self, more: Mapping[str, Json]) -> None:
        """Keys that stood in a map of their own, to be taken like the others."""
        self._left |= more

    def rest(self) -> Iterator[tuple[str, Json]]:
        """Everything that is left, taken."""
        while self._left:
            key = next(iter(self._left))
            yield key, self._left.pop(key)


def listed(value: Json) -> list[Json]:
    """A list as it is, anything else as the only item of one."""
    return value if isinstance(value, list) else [value]
