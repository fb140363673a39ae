"""llama.cpp inside this process: finding it, importing it quietly, and naming its build."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import re
import shutil
import sys
import threading
from collections import deque
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from orka.errors import ModelError
from orka.kit.models.local.catalogue import cache
from orka.kit.models.local.digest import hash_file

BINDING = "0.3.36"
MARKER = "runtime.json"
LogCallback = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
ERROR_LEVEL = 4
_ONE_AT_A_TIME = threading.Lock()


class Installation(msgspec.Struct, frozen=True):
    """A runtime in the cache; this file is written last, so a folder that has it is whole.
    `kind` is "prebuilt" or "compiled"."""

    kind: str
    binding: str
    folder: str


@dataclass(frozen=True)
class Runtime:
    """The imported module. `build` names it in traces; `complaints` are llama.cpp's last errors."""

    llama: Any  # the module llama_cpp, which has no types
    build: str
    complaints: deque[str]
    callback: object


class RuntimeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What a doctor wants to know. `kind` is "importable", "prebuilt", "compiled" or ""."""

    found: bool
    kind: str
    place: str
    build: str
    npm: str
    compiler: str
    cmake: str
    cache: str
    models: tuple[str, ...]


def home(kind: str) -> Path:
    """The folder of a runtime of that kind for this Python."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return cache() / "runtime" / f"llama-cpp-python-{BINDING}-{version}-{kind}"


def cached() -> Installation | None:
    """The runtime in the cache, if there is a whole one for this Python."""
    for kind in ("prebuilt", "compiled"):
        marker = home(kind) / MARKER
        if marker.is_file():
            return msgspec.json.decode(marker.read_bytes(), type=Installation)
    return None


def importable() -> bool:
    """Whether the user's own environment has `llama_cpp`; ours, once loaded, does not count."""
    found = find_spec("llama_cpp")
    if found is None or found.origin is None:
        return False
    site = Path(found.origin).parents[1]
    return not (site.parent / MARKER).exists()


def load() -> Runtime:
    """The runtime, imported on the first call. Raises `ModelError` (`model.no_runtime`)."""
    with _ONE_AT_A_TIME:
        return _load()


@functools.cache
def _load() -> Runtime:
    found = None if importable() else cached()
    if found is None and not importable():
        raise _unusable("there is no llama.cpp runtime on this machine", "model.no_runtime")
    complaints: deque[str] = deque(maxlen=8)
    try:
        return _bring_in(found, complaints)
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        where = found.folder if found else "the llama_cpp of this environment"
        raise _unusable(f"{where} cannot be imported: {error}", "model.no_runtime") from error


def _bring_in(found: Installation | None, complaints: deque[str]) -> Runtime:
    callback = _listener(complaints)
    before = os.environ.get("LLAMA_CPP_LIB_PATH")
    if found is not None:
        sys.path.append(str(Path(found.folder) / "site"))
        if found.kind == "prebuilt":
            _load_backends(Path(found.folder) / "lib", callback)
            os.environ["LLAMA_CPP_LIB_PATH"] = str(Path(found.folder) / "lib")
    try:
        llama = importlib.import_module("llama_cpp")
    finally:
        if before is None:
            os.environ.pop("LLAMA_CPP_LIB_PATH", None)
        else:
            os.environ["LLAMA_CPP_LIB_PATH"] = before
    llama.llama_log_set(callback, ctypes.c_void_p(0))
    llama.llama_backend_init()
    return Runtime(llama, _build(llama), complaints, callback)


def _load_backends(lib: Path, callback: object) -> None:
    """The prebuilt libraries choose the CPU variant at run time, before the import."""
    base = ctypes.CDLL(str(lib / "libggml-base.so"), mode=ctypes.RTLD_GLOBAL)
    base.ggml_log_set(callback, None)
    ggml = ctypes.CDLL(str(lib / "libggml.so"), mode=ctypes.RTLD_GLOBAL)
    ggml.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
    ggml.ggml_backend_load_all_from_path(str(lib).encode())


def _listener(complaints: deque[str]) -> object:
    """llama.cpp talks a lot on stderr; keep its errors, drop the rest."""

    def listen(level: int, text: bytes | None, _: object) -> None:
        if level == ERROR_LEVEL and text:
            complaints.append(text.decode("utf-8", "replace").strip())

    return LogCallback(listen)


def _build(llama: Any) -> str:
    version = _version(llama)
    return f"llama-cpp-python {llama.__version__} / llama.cpp {version} / {_variant(llama)}"


def _version(llama: Any) -> str:
    """The library's own word; libraries that have none are told apart by their bytes."""
    if hasattr(llama, "llama_version"):
        return str(llama.llama_version().decode())
    return f"sha256:{hash_file(Path(llama.llama_cpp._lib._name))[:12]}"


def _variant(llama: Any) -> str:
    """Which code the CPU runs: results differ a little between variants."""
    maps = Path("/proc/self/maps")
    text = maps.read_text() if maps.exists() else ""
    if chosen := re.search(r"libggml-cpu-(\w+)\.so", text):
        return f"cpu {chosen[1]}"
    features = re.findall(r"(\w+) = 1", llama.llama_print_system_info().decode())
    return "cpu " + "+".join(features)


def runtime_status() -> RuntimeStatus:
    """Facts for `orka doctor`; imports nothing heavy and starts nothing."""
    found = cached()
    own = importable()
    models = cache() / "models"
    return RuntimeStatus(
        found=own or found is not None,
        kind="importable" if own else found.kind if found else "",
        place="this environment" if own else found.folder if found else "",
        build=f"llama-cpp-python {found.binding}" if found and not own else "",
        npm=shutil.which("npm") or "",
        compiler=shutil.which("c++") or shutil.which("g++") or shutil.which("clang++") or "",
        cmake=shutil.which("cmake") or "",
        cache=str(cache()),
        models=tuple(sorted(file.stem for file in models.glob("*.gguf"))),
    )


def _unusable(what: str, code: str) -> ModelError:
    return ModelError(
        what,
        where="local models",
        fix="run `orka models pull` (it installs the runtime into the cache), see `orka doctor`",
        code=code,
        retryable=False,
    )
