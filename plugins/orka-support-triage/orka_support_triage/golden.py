"""Golden outputs: one file per case, against which later runs are held."""

from __future__ import annotations

from pathlib import Path

import msgspec

from orka.errors import InputError
from orka.value import Json
from orka_support_triage.evals import Check, fingerprint


class Golden(msgspec.Struct, frozen=True, kw_only=True):
    """What a case gave when it was registered."""

    eval_id: str
    envelope_hash: str
    output_hash: str
    output: Json


def register(folder: Path, eval_id: str, envelope: Json, output: Json) -> None:
    """Write down what a case gives. Raises `InputError` if it cannot be written."""
    golden = Golden(
        eval_id=eval_id,
        envelope_hash=fingerprint(envelope),
        output_hash=fingerprint(output),
        output=output,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = msgspec.json.format(msgspec.json.encode(golden, order="sorted"), indent=2)
        _file(folder, eval_id).write_bytes(text + b"\n")
    except OSError as error:
        raise _unusable(folder, str(error)) from None


def compared(folder: Path, eval_id: str, envelope: Json, output: Json) -> Check:
    """Whether a case gives what it gave. Raises `InputError` for a file that cannot be read."""
    path = _file(folder, eval_id)
    if not path.exists():
        return Check("golden", "not_checked", "nothing is registered for it")
    try:
        golden = msgspec.json.decode(path.read_bytes(), type=Golden)
    except (OSError, msgspec.DecodeError) as error:
        raise _unusable(path, str(error)) from None
    if golden.envelope_hash != fingerprint(envelope):
        return Check("golden", "not_checked", "it was registered for another envelope")
    if golden.output_hash == fingerprint(output):
        return Check("golden", "pass")
    return Check("golden", "fail", "the output is not the registered one")


def _file(folder: Path, eval_id: str) -> Path:
    if not eval_id.replace("_", "").replace("-", "").isalnum():
        raise InputError(f"{eval_id!r} cannot name a file", code="triage.golden")
    return folder / f"{eval_id}.json"


def _unusable(path: Path, why: str) -> InputError:
    return InputError(f"{str(path)!r} cannot be used: {why}", code="triage.golden")
