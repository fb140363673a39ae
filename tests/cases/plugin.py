"""A plugin file with the tools of a case, for runs in another process."""

from __future__ import annotations

from pathlib import Path

from cases.doubles import Doubles
from cases.log import Log
from cases.script import script
from orka.agent.tool import FunctionTool
from orka.value import Json

_FILE = """\
from cases.plugin import tools

globals().update(tools({folder!r}, {named!r}, {script!r}, __name__))
"""


def plugin(folder: Path, named: dict[str, list[str]], written: Json) -> str:
    """Write the file; gives its path. `named` are the tools, each with its arguments."""
    file = folder / "case_tools.py"
    text = _FILE.format(folder=str(folder), named=named, script=written)
    file.write_text(text, encoding="utf-8")
    return str(file)


def tools(
    folder: str, named: dict[str, list[str]], written: Json, module: str
) -> dict[str, FunctionTool]:
    """The tools, as if the plugin file itself defined them."""
    doubles = Doubles(script(written), Log(Path(folder) / "calls.jsonl"))
    made = {name: doubles.tool(name, arguments) for name, arguments in named.items()}
    for each in made.values():
        each.function.__module__ = module
    return {f"tool_{number}": each for number, each in enumerate(made.values())}
