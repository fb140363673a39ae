"""`load_workflow`: a file is loaded with all checks that come before a run, and perhaps run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cases.checks import holds
from cases.language import Case, Fields, NotUnderstood, listed
from cases.observed import Observed, at, same
from cases.script import script
from cases.stage import Stage, played
from orka.api import Runtime
from orka.errors import OrkaError
from orka.source import load
from orka.spec.workflow import Workflow
from orka.value import Json

MB = 1024 * 1024


def load_workflow(case: Case, folder: Path) -> None:
    """Load each text of the case; what is expected holds for all of them."""
    with Fields(case.input, "input") as given:
        texts = _texts(given)
    _clear(case.expected)
    each = case.expected.get("each", [case.expected] * len(texts))
    for number, (text, expected) in enumerate(zip(texts, each, strict=True)):
        here = folder / str(number)
        here.mkdir()
        file = here / "wf.yaml"
        file.write_bytes(text)
        _judge(expected, file, here)


def _texts(given: Fields) -> list[bytes]:
    """`yaml`, `bytes_hex`, `generate` or `yaml_variants`."""
    texts: list[bytes] = []
    if "yaml" in given:
        texts.append(given.take("yaml").encode())
    if "bytes_hex" in given:
        texts.append(bytes.fromhex("".join(listed(given.take("bytes_hex")))))
    if "generate" in given:
        texts.append(generated(given.take("generate")).encode())
    if "yaml_variants" in given:
        variants = given.take("yaml_variants")
        texts += [
            text.encode()
            for text in (variants.values() if isinstance(variants, Mapping) else variants)
        ]
    if not texts:
        raise NotUnderstood("there is no workflow to load")
    return texts


def generated(parts: Json) -> str:
    """Texts joined: each is written out, or `{repeat, times}`."""
    text = ""
    for part in listed(parts):
        if isinstance(part, str):
            text += part
            continue
        with Fields(part, "generate") as fields:
            text += str(fields.need("repeat")) * int(fields.need("times"))
    return text


def _clear(expected: Mapping[str, Json]) -> None:
    """What an earlier test run may have left must not count."""
    if "side_effect_absent" in expected:
        Path(expected["side_effect_absent"]).unlink(missing_ok=True)


def _judge(wanted: Json, file: Path, folder: Path) -> None:
    """One of `accept_any` is enough; what stands beside it holds in every case."""
    choices = wanted.get("accept_any", [])
    beside = {key: value for key, value in wanted.items() if key != "accept_any"}
    said = []
    for number, choice in enumerate(choices):
        here = folder / f"choice{number}"
        here.mkdir()
        try:
            _one({**beside, **choice}, file, here)
        except AssertionError as error:
            said.append(str(error))
        else:
            return
    assert not said, "none of the alternatives holds:\n" + "\n".join(said)
    _one(beside, file, folder)


def _one(wanted: Json, file: Path, folder: Path) -> None:
    with Fields(wanted, "expected") as expected:
        wanted_ok, values, run = (expected.take(k) for k in ("ok", "values", "run"))
        rest = dict(expected.rest())
    stage = Stage(folder, {}, [file.read_bytes()])
    observed, workflow = loaded(stage.runtime, file)
    if rest.pop("accept_error", False) and workflow is None:
        return
    if "max_memory_mb" in rest:
        observed.memory_mb = _memory(stage.runtime, file)
    if wanted_ok is not None:
        assert (workflow is not None) is wanted_ok, f"ok should be {wanted_ok}: {observed.error}"
    for path, value in (values or {}).items():
        found = at(tree(workflow), path)
        assert same(found, value), f"{path} is {found!r}, not {value!r}"
    holds(observed, rest)
    if run is not None:
        _run(run, file, folder)


def loaded(runtime: Runtime, file: Path) -> tuple[Observed, Workflow | None]:
    """A file's workflow after all checks, or the error that says why there is none."""
    started, workflow, error = time.perf_counter(), None, None
    try:
        workflow = load(file)
        runtime.check(workflow)
    except OrkaError as refused:
        workflow, error = None, refused
    return Observed(error=error, seconds=time.perf_counter() - started), workflow


def _memory(runtime: Runtime, file: Path) -> float:
    tracemalloc.start()
    try:
        loaded(runtime, file)
        return tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()


def tree(workflow: Workflow | None) -> Json:
    """The workflow as a file would say it, as far as it was understood: typed values win."""
    assert workflow is not None, "the workflow was not loaded"
    written = dict(workflow.document.value)
    typed = [msgspec.to_builtins(agent) for agent in workflow.agents]
    written["agents"] = [
        {**raw, **{key: agent[key] for key in raw if key in agent}, **agent["options"]}
        for raw, agent in zip(workflow.document.value["agents"], typed, strict=True)
    ]
    return written


def _run(expected: Json, file: Path, folder: Path) -> None:
    with Fields(expected, "run") as fields:
        replies, given = script(fields.take("script")), fields.take("input", "hello")
        rest = dict(fields.rest())
    stage = Stage(folder, replies, [file.read_bytes()], virtual=True)

    async def play() -> Observed:
        async with stage:
            return await stage.play(file, given, "case")

    holds(played(play(), virtual=True), rest, "run")
