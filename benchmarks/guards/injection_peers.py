"""One detector in its own interpreter: texts come in as JSON lines, verdicts go out as JSON lines.

PYTHON injection_peers.py NAME < texts
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

Says = Callable[[str], bool]


def _orka(**options: Any) -> Says:
    kit = importlib.import_module("orka.kit.guards.injection")
    made = importlib.import_module("orka.kit.guards.injection.options").InjectionOptions
    guard = kit.InjectionGuard(made(**options))
    return lambda text: guard.screen(text).verdict != "pass"


def _xaidr() -> Says:
    scanner = importlib.import_module("xaidr.scanner.local").LocalScanner()
    fine = ("allowed", "allow", "passed", "clean")
    return lambda text: scanner.scan(text, agent_id="bench").action not in fine


def _guardlayer() -> Says:
    layer = importlib.import_module("guardlayer").GuardLayer()

    def says(text: str) -> bool:
        found = layer.scan_input(text)
        return bool(not found.allowed or found.is_flagged)

    return says


def _prompt_guardrail() -> Says:
    detect = importlib.import_module("guardify").detect

    def says(text: str) -> bool:
        found = detect(text)
        sure = float(found["score"])
        return (sure if found["label"] == "injection" else 1 - sure) >= 0.5

    return says


def _aicordon() -> Says:
    detector = importlib.import_module("aicordon.picket.detector").load(mode="ipi")
    try:
        document = importlib.import_module("aicordon.core.document").Document
    except ModuleNotFoundError:
        document = importlib.import_module("aicordon.core.engine").Document
    return lambda text: any(True for _ in detector.scan([document(text=text, id="x")]))


def _toolwall() -> Says:
    detector = importlib.import_module("toolwall.detect").CompositeDetector(use_judge=False)
    return lambda text: bool(detector.score(text)[0] >= 0.5)


def _zn_gate() -> Says:
    analyze = importlib.import_module("zn_gate.client").analyze
    return lambda text: bool(analyze(text, local_only=True)["verdict"] != "allow")


PEERS: dict[str, tuple[str, Callable[[], Says]]] = {
    "orka": ("", _orka),
    "orka, rules alone": ("", lambda: _orka(classifier=False)),
    "xaidr": ("xaidr==1.21.0", _xaidr),
    "guardlayer": ("guardlayer==0.9.1", _guardlayer),
    "prompt-guardrail": ("prompt-guardrail==1.0.1", _prompt_guardrail),
    "aicordon": ("aicordon==1.4.0", _aicordon),
    "toolwall-guard": ("toolwall-guard==0.4.0", _toolwall),
    "zn-gate": ("zn-gate==1.13.1", _zn_gate),
}


def main() -> None:
    """A verdict and its milliseconds for each line of the input."""
    says = PEERS[sys.argv[1]][1]()
    says("warm up")
    out = sys.stdout
    sys.stdout = sys.stderr  # what a detector prints is no verdict
    for line in sys.stdin:
        text = json.loads(line)
        started = time.process_time()
        found = says(text)
        out.write(json.dumps([found, (time.process_time() - started) * 1e3]) + "\n")


if __name__ == "__main__":
    main()
