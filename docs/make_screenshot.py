"""Writes docs/images/live-run.svg: the live view of a real run, as it stands at its end.

python docs/make_screenshot.py FLOW [--json FILE | INPUT] [--plugin FILE]
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from orka.api import Runtime
from orka.cli.given import given
from orka.cli.live import LiveView
from orka.cli.options import Settings
from orka.cli.output import json_text
from orka.cli.report import summary
from orka.cli.session import Begun, Session
from orka.view.run import Run

IMAGE = Path(__file__).parent / "images" / "live-run.svg"
WIDTH, LONGEST = 120, 1200


def main() -> int:
    """Run a workflow and keep its screen; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flow")
    parser.add_argument("text", nargs="?")
    parser.add_argument("--json", dest="json_file")
    parser.add_argument("--plugin", action="append", default=[])
    said = parser.parse_args()

    async def verb(runtime: Runtime, begun: Begun) -> Run:
        return await runtime.run(said.flow, given(said.text, said.json_file), begun=begun)

    # A height that no graph of an example reaches: rows are cut only on real terminals.
    console = Console(
        record=True,
        width=WIDTH,
        height=80,
        file=io.StringIO(),
        force_terminal=False,
        highlight=False,
    )
    console.print(Text(f"$ orka run {' '.join(sys.argv[1:])}\n", style="bold"))
    run = Session(Settings(plugins=tuple(said.plugin)), LiveView(console)).drive(verb)
    answer = run.output if isinstance(run.output, str) else json_text(run.output)
    console.print(Text(f"\n{_shortened(answer)}\n"))
    console.print(Text.from_ansi(summary(run)))
    IMAGE.parent.mkdir(exist_ok=True)
    IMAGE.write_text(console.export_svg(title="orka run"), encoding="utf-8")
    print(f"{IMAGE}: run {run.id}, {run.status}")
    return 0 if run.status == "completed" else 1


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


if __name__ == "__main__":
    sys.exit(main())
