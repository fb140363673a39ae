"""A process of its own that loads a plugin and writes down what that did."""

from __future__ import annotations

import io
import os
import random
import signal
import socket
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import msgspec

from orka.api.wiring import graph_of
from orka.engine.worker import Worker, World
from orka.errors import PluginError
from orka.plugin.registry import Registry
from orka.spec.load import load
from orka.testing.clock import clock, run_virtual
from orka.testing.replay import SeededHandler, record, started
from orka.value import Json, digest

SEEDS = (1, 2, 3)
FLOW = """
orchestrator: {id: core, model: scripted, agents: [begin, both, meet, say]}
agents:
  - {id: begin, type: wait, seconds: 1}
  - {id: both, type: fork, targets: [[left], [right]]}
  - {id: left, type: llm, prompt: "left {{ input }}"}
  - {id: right, type: classify, options: ["yes", "no"], prompt: "right {{ input }}"}
  - {id: meet, type: join, group: both}
  - {id: say, type: llm, prompt: "{{ previous_outputs.left }}"}
"""
_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
_NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo")


class Report(msgspec.Struct):
    """What loading it did, beside defining things."""

    error: str = ""
    printed: str = ""
    threads: list[str] = []
    network: list[str] = []
    written: list[str] = []
    started: list[str] = []
    changed: list[str] = []
    before: str = ""
    after: str = ""


def probe(named: str) -> Report:
    """Load a plugin file, or all of an installed package or module."""
    report, watching = Report(before=traces()), [True]
    sys.addaudithook(lambda event, args: _note(report, event, args) if watching else None)
    had, state = {*threading.enumerate()}, _state()
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            _load(named)
        except PluginError as error:
            report.error = f"[{error.code}] {error.what}"
    watching.clear()
    report.printed = out.getvalue()
    report.threads = [thread.name for thread in threading.enumerate() if thread not in had]
    report.changed = [name for name, value in _state().items() if state.get(name, value) != value]
    report.after = traces()
    return report


def traces() -> str:
    """The digest of some traces of the core, the same in each process."""
    lines: list[bytes] = []
    random.seed(0)  # what an effect `random` draws from
    for seed in SEEDS:
        store = Registry().stores["memory"]()
        recorded = run_virtual(record(seed, store))
        lines += store.read(recorded.run)
    lines += run_virtual(_core())
    return digest(b"\n".join(lines))


async def _core() -> list[bytes]:
    """A workflow of types that are built in."""
    registry = Registry()
    graph, store = graph_of(load(FLOW), registry), registry.stores["memory"]()
    world = World(store, {"llm": SeededHandler(4)}, clock)
    await Worker(world, graph, "core").start(started(graph, "core", "in"))
    return store.read("core")


def _load(named: str) -> None:
    registry = Registry()
    if named.endswith(".py"):
        registry.load_file(named)
        return
    package = registry.modules.origin.get(named, named)
    for offers in (*registry.kinds.values(), registry.modules):
        for name in offers:
            if offers.origin[name] == package:
                _ = offers[name]


def _note(report: Report, event: str, args: tuple[Any, ...]) -> None:  # Any: as Python has it
    if event == "open" and _writes(args):
        report.written.append(str(args[0]))
    elif event in _STARTS:
        report.started.append(str(args[0] if args else event))
    elif event in _NETWORK:
        address = args[0] if event == "socket.getaddrinfo" else args[1]
        report.network.append(str(address))


def _writes(args: tuple[Any, ...]) -> bool:  # Any: as Python has it
    path, mode, flags = args
    wants = any(sign in mode for sign in "wax+") if mode else bool(flags & 3)
    return wants and "__pycache__" not in str(path) and str(path) != os.devnull


def _state() -> dict[str, Json]:
    """What a process has one of, and what the modules of the core hold."""
    found: dict[str, Json] = {
        "the working folder": os.getcwd(),
        "the environment": dict(os.environ),
        "the time limit of sockets": socket.getdefaulttimeout(),
        "the recursion limit": sys.getrecursionlimit(),
        "sys.path": list(sys.path),
        "print": id(print),
        "open": id(open),
    }
    for number in (signal.SIGINT, signal.SIGTERM):
        found[f"the handler of {number.name}"] = id(signal.getsignal(number))
    for name, module in sorted(sys.modules.items()):
        if name == "orka" or name.startswith("orka."):
            for key, value in vars(module).items():
                if callable(value) and str(getattr(value, "__module__", "")).startswith("orka"):
                    found[f"{name}.{key}"] = id(value)
                    found |= _methods(name, value)
    return found


def _methods(module: str, value: object) -> dict[str, Json]:
    if not isinstance(value, type) or value.__module__ != module:
        return {}
    own = {key: item for key, item in vars(value).items() if callable(item)}
    return {f"{module}.{value.__name__}.{key}": id(item) for key, item in own.items()}


def main(named: str, answer: str) -> None:
    """Write the report on a plugin to the file `answer`, and end the process."""
    with open(answer, "wb") as target:
        target.write(msgspec.json.encode(probe(named)))
    os._exit(0)  # a thread that the plugin left must not keep the process
