"""What it costs to begin: import, a first run, a command, an installation."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from samples import Row

IMPORTS = {
    "raw": "import asyncio",
    "langgraph": "from langgraph.graph import StateGraph",
    "pydantic-graph": "from pydantic_graph import GraphBuilder",
    "orka": "import orka; orka.Runtime, orka.load",
}
VARIANTS = {"raw": "task", "langgraph": "none", "pydantic-graph": "default", "orka": "trace"}
# Libraries that only a user who asks for them may pay for.
HEAVY = ("openai", "llama_cpp", "pandas", "fastapi", "starlette", "uvicorn", "numpy", "torch")
_FIRST = """
import sys, asyncio, tempfile; sys.path.insert(0, {here!r})
from workloads import Visits; from peers.{module} import Peer
async def main():
    peer = Peer({variant!r}, tempfile.mkdtemp(), Visits()); await peer.open()
    assert await peer.chain(5)(0) == 5
asyncio.run(main())
"""
_LOADED = "import sys, {name}; {touch}; sys.exit(any(n in sys.modules for n in {heavy!r}))"


def cold(venvs: Path, peer: str) -> Row:
    """CPU and wall seconds of whole processes; `import` and `help` have a bare interpreter's
    CPU time taken off."""
    python = venvs / peer / "bin" / "python"
    here = str(Path(__file__).parent)
    first = _FIRST.format(here=here, module=peer.replace("-", "_"), variant=VARIANTS[peer])
    bare = _process([python, "-c", "pass"])
    imported = _process([python, "-c", IMPORTS[peer]])
    row: Row = {"key": "coldstart", "size": 1, **_installed(python)}
    row |= {"import_cpu": imported[1] - bare[1], "import_wall": imported[0]}
    row["first_wall"], row["first_cpu"], row["error"] = _process([python, "-c", first])
    if peer == "orka":
        loaded = _LOADED.format(name="orka", touch="orka.Runtime", heavy=HEAVY)
        row["light"] = float(not _process([python, "-c", loaded])[2])
        help_wall, help_cpu, failed = _process([venvs / "orka/bin/orka", "--help"])
        row |= {} if failed else {"help_wall": help_wall, "help_cpu": help_cpu}
    return row


def _process(command: list[str | Path]) -> tuple[float, float, str]:
    """Wall and CPU seconds, and what went wrong."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    failed = f"exit {process.returncode}" if process.returncode else ""
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, failed


def _installed(python: Path) -> Row:
    """Packages beside the engine's own and pip's, and megabytes without byte code."""
    site = next((python.parent.parent / "lib").glob("python3*")) / "site-packages"
    tools = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
    parts = [part for part in site.iterdir() if not part.name.startswith(tools)]
    files = (f for part in parts for f in (part.rglob("*") if part.is_dir() else [part]))
    size = sum(f.stat().st_size for f in files if f.suffix != ".pyc" and f.is_file())
    if (python.parent / "orka").exists():  # the checkout is installed by its path
        size += sum(f.stat().st_size for f in _own().rglob("*") if f.suffix not in ("", ".pyc"))
    packages = sum(part.suffix == ".dist-info" for part in parts)
    return {"packages": packages, "megabytes": size / 1e6}


def _own() -> Path:
    return Path(__file__).parent.parent / "orka"
