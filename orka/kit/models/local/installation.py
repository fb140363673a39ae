"""Installing llama.cpp into the cache: ready-made libraries first, a compiler only if need be."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import msgspec

from orka.errors import ModelError
from orka.kit.models.local.catalogue import Progress, Step, cache
from orka.kit.models.local.lock import held
from orka.kit.models.local.programs import failed, missing, pip, run
from orka.kit.models.local.runtime import (
    BINDING,
    MARKER,
    Installation,
    cached,
    home,
    importable,
)

LIBRARIES = "@node-llama-cpp/linux-x64@3.22.1"
LIBRARIES_SHA256 = "0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0"
BINDING_SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
NEEDED = ("numpy>=1.20", "diskcache>=5.6.1", "jinja2>=2.11.3", "typing-extensions>=4.5")
GLIBC = (2, 34)

# The libraries lack symbols that this binding names but that we never call. A name that is not
# there becomes a function that says so.
_LOOKUP = "                func = getattr(lib, name)\n"
_TOLERANT = """\
                if not hasattr(lib, name):
                    return _absent(name)
                func = getattr(lib, name)
"""
_ABSENT = """

def _absent(name: str) -> Any:  # added by OrKa
    def absent(*args: Any) -> Any:
        raise NotImplementedError(f"{name} is newer than this llama.cpp")

    return absent
"""


def quiet(step: Step) -> None:
    """A progress callback that says nothing."""


def ensure_runtime(progress: Progress = quiet) -> str:
    """Make local models runnable and say which runtime it is: "importable", "prebuilt" or
    "compiled". Does nothing if there is one. Raises `ModelError` (`model.setup`)."""
    if importable():
        return "importable"
    with held(cache() / "runtime" / "install.lock", progress):
        if (found := cached()) is not None:
            return found.kind
        obstacle = _obstacle()
        if not obstacle:
            try:
                return _install("prebuilt", progress)
            except ModelError as error:
                obstacle = error.what
        progress(Step(f"no ready-made runtime: {obstacle}"))
        return _install("compiled", progress)


def _obstacle() -> str:
    """Why the ready-made libraries cannot be used here, or nothing."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"they are for Linux on x86_64, this is {sys.platform} on {platform.machine()}"
    name, version = platform.libc_ver()
    if name != "glibc" or tuple(int(part) for part in version.split(".")[:2]) < GLIBC:
        return f"they need glibc 2.34, this system has {name or 'another libc'} {version}".strip()
    if missing("npm"):
        return "they are fetched with npm, and npm is not on PATH (install Node.js to have it)"
    return ""


def _install(kind: str, progress: Progress) -> str:
    """Build beside the final place and rename, so that a half installation is never used."""
    final = home(kind)
    final.parent.mkdir(parents=True, exist_ok=True)
    for killed in final.parent.glob("unfinished-*"):
        shutil.rmtree(killed, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=final.parent, prefix="unfinished-") as place:
        folder = Path(place) / "runtime"
        (folder / "site").mkdir(parents=True)
        if kind == "prebuilt":
            _prebuilt(folder, Path(place), progress)
        else:
            _compiled(folder, progress)
        _mark(folder, Installation(kind, BINDING, str(folder)))
        progress(Step("runtime: trying it"))
        _try_out(folder)
        _mark(folder, Installation(kind, BINDING, str(final)))
        shutil.rmtree(final, ignore_errors=True)
        folder.rename(final)
    progress(Step(f"runtime: {kind}, in {final}"))
    return kind


def _mark(folder: Path, found: Installation) -> None:
    (folder / MARKER).write_bytes(msgspec.json.encode(found))


def _try_out(folder: Path) -> None:
    """In a process of its own: a library that does not fit this machine may kill it."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from pathlib import Path; import msgspec\n"
        "from orka.kit.models.local import runtime as r\n"
        f"marker = {str(folder / MARKER)!r}\n"
        "found = msgspec.json.decode(Path(marker).read_bytes(), type=r.Installation)\n"
        "from collections import deque; print(r._bring_in(found, deque()).build)"
    )
    run(
        [sys.executable, "-c", code],
        what="the llama.cpp runtime was installed but does not start",
        fix="report this with the output of `orka doctor`; an own llama-cpp-python is used as is",
    )


# Ready-made


def _prebuilt(folder: Path, scratch: Path, progress: Progress) -> None:
    progress(Step(f"runtime: fetching {LIBRARIES} (11 MB)"))
    run(
        ["npm", "pack", LIBRARIES, "--ignore-scripts", "--pack-destination", str(scratch)],
        what=f"npm cannot fetch {LIBRARIES}",
        fix="check the network and npm's settings",
    )
    _unpack(_one(scratch, "*.tgz"), LIBRARIES_SHA256, "bins/linux-x64/", folder / "lib")
    for name in ("libllama", "libggml"):
        versioned = _one(folder / "lib", f"{name}.v*.so")
        (folder / "lib" / f"{name}.so").symlink_to(versioned.name)
    progress(Step(f"runtime: fetching llama-cpp-python {BINDING} (77 MB)"))
    source_only = ["--no-deps", "--no-binary", "llama-cpp-python"]
    pip(
        ["download", *source_only, "--dest", str(scratch), f"llama-cpp-python=={BINDING}"],
        what=f"llama-cpp-python {BINDING} cannot be downloaded",
        fix="check the network and pip's settings",
        env={"CMAKE_ARGS": "-DLLAMA_BUILD=OFF -DLLAVA_BUILD=OFF"},
    )
    source = _one(scratch, "llama_cpp_python-*.tar.gz")
    _unpack(source, BINDING_SHA256, "llama_cpp/", folder / "site" / "llama_cpp")
    _tolerate(folder / "site" / "llama_cpp" / "_ctypes_extensions.py")
    progress(Step("runtime: fetching what the binding needs (numpy, jinja2)"))
    pip(
        ["install", "--target", str(folder / "site"), "--only-binary=:all:", *NEEDED],
        what="numpy or jinja2 cannot be downloaded",
        fix="check the network and pip's settings",
    )


def _one(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise failed(f"expected one {pattern} and got {len(found)}", "run the command again")
    return found[0]


def _unpack(archive: Path, sha256: str, inside: str, target: Path) -> None:
    """The files under `*/inside` of an archive whose bytes are known."""
    with archive.open("rb") as handle:
        got = hashlib.file_digest(handle, "sha256").hexdigest()
    if got != sha256:
        raise failed(
            f"{archive.name} has sha256 {got} and must have {sha256}",
            "it was not used; check which mirror your package manager is set to",
        )
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            _, _, name = member.name.partition("/")
            if member.isfile() and name.startswith(inside) and ".." not in name:
                place = target / name.removeprefix(inside)
                place.parent.mkdir(parents=True, exist_ok=True)
                source = tar.extractfile(member)
                if source is not None:
                    place.write_bytes(source.read())


def _tolerate(file: Path) -> None:
    text = file.read_text()
    if text.count(_LOOKUP) != 1:
        raise failed(f"{file.name} is not the one this was made for", "report this as a bug")
    file.write_text(text.replace(_LOOKUP, _TOLERANT) + _ABSENT)


# From source


def _compiled(folder: Path, progress: Progress) -> None:
    if absent := missing("cc|gcc|clang", "c++|g++|clang++"):
        raise failed(
            "llama.cpp has to be compiled here, and there is no C/C++ compiler "
            f"({' and '.join(absent)} not on PATH)",
            "install one (Debian: apt-get install build-essential; macOS: xcode-select --install), "
            "or install Node.js for the ready-made libraries",
        )
    progress(Step("runtime: compiling llama.cpp; this takes 10 to 20 minutes, once"))
    options = "-DLLAVA_BUILD=OFF -DLLAMA_OPENSSL=OFF -DGGML_NATIVE=ON"
    pip(
        ["install", "--target", str(folder / "site"), f"llama-cpp-python=={BINDING}"],
        what="llama.cpp cannot be compiled",
        fix="install cmake 3.21+ and a C++17 compiler, or Node.js for the ready-made libraries",
        env={"CMAKE_ARGS": options, "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)},
    )
