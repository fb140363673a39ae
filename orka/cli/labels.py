"""Labels: lines of JSON that say which candidate of a stored decision is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from orka.api import Runtime
from orka.cli.given import file_text, parse_json
from orka.cli.select import run_id
from orka.cli.stored import Stored, name_of
from orka.errors import InputError, OrkaError, nearest, raise_all
from orka.view.decisions import Recorded


class Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line. `node` is the path of the node or its id; `at` counts a node's decisions from 1,
    which is needed where it made several."""

    run: str
    node: str
    winner: str
    at: int = 0


class Matched(msgspec.Struct, frozen=True):
    """A label, its line, and the decision it is of."""

    line: int
    label: Label
    recorded: Recorded


def read_labels(file: str) -> list[tuple[int, Label]]:
    """The labels with their line numbers; empty lines are skipped. Raises `InputError` that tells
    the problem of every line."""
    found, problems = list[tuple[int, Label]](), list[OrkaError]()
    for number, text in enumerate(file_text(file).splitlines(), 1):
        if not text.strip():
            continue
        try:
            found.append((number, msgspec.convert(parse_json(text, file), Label)))
        except msgspec.ValidationError as error:
            problems.append(_problem(file, number, f"it is no label: {error}"))
        except InputError as error:
            problems.append(_problem(file, number, error.what))
    raise_all(problems)
    return found


def matched(
    runtime: Runtime,
    labels: Sequence[tuple[int, Label]],
    among: Stored,
    file: str,
) -> tuple[list[Matched], int]:
    """The decisions that labels are of, in the order of the decisions, and how many labels are of
    runs that were not asked for. Raises `InputError` that tells the problem of every line."""
    found, problems, other = dict[int, Matched](), list[OrkaError](), 0
    for number, label in labels:
        try:
            run = run_id(runtime, label.run)
            if run not in among.runs:
                other += 1
                continue
            at = _place(label, run, among)
            if at in found:
                name = name_of(among.recorded[at])
                raise InputError(f"line {found[at].line} is a label of {name} already")
        except OrkaError as error:
            problems.append(_problem(file, number, error.what, error.fix))
        else:
            found[at] = Matched(number, label, among.recorded[at])
    raise_all(problems)
    return [found[at] for at in sorted(found)], other


def _place(label: Label, run: str, among: Stored) -> int:
    """The place of the decision among those stored. Raises `InputError`."""
    recorded = among.recorded
    of_run = [at for at, each in enumerate(recorded) if each.run == run]
    for each in among.unread:
        if each.run == run and label.node in (each.node, each.node.rpartition("/")[2]):
            raise InputError(f"{each.name} cannot be read, so the decisions cannot be counted")
    of_node = [at for at in of_run if recorded[at].node == label.node] or [
        at for at in of_run if recorded[at].node.rpartition("/")[2] == label.node
    ]
    if not of_node:
        nodes = list(dict.fromkeys(recorded[at].node for at in of_run))
        raise InputError(
            f"run {run!r} has no decision of a node {label.node!r}",
            fix=nearest(label.node, nodes) if nodes else "it has no decision at all",
        )
    if not label.at and len(of_node) > 1:
        raise InputError(
            f"node {label.node!r} of run {run!r} made {len(of_node)} decisions",
            fix='say which: `"at": 1` is the first',
        )
    if not 0 <= label.at <= len(of_node):
        raise InputError(
            f"node {label.node!r} of run {run!r} has no decision {label.at}: it made {len(of_node)}"
        )
    return of_node[max(label.at, 1) - 1]


def _problem(file: str, line: int, what: str, fix: str = "") -> InputError:
    return InputError(what, where=f"{file}, line {line}", fix=fix, code="input.label")


def names(found: Sequence[Matched], file: str) -> Iterator[str]:
    """What messages call each decision."""
    return (f"{file}, line {each.line}: {name_of(each.recorded)}" for each in found)
