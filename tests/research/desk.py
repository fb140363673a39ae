"""The research example: its workflow, its tools, and the run that is recorded."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import orka
from orka.spec.workflow import Workflow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "research"
RECORDED = Path(__file__).parent / "bridge.jsonl"
QUESTION = "Why did the Tacoma Narrows bridge fall?"


def desk(model: str = "", longest: int = 0) -> tuple[Workflow, list[object]]:
    """The workflow, with another model and shorter answers if they are named, and its tools."""
    text = (EXAMPLE / "research.yml").read_text(encoding="utf-8")
    if longest:
        text = re.sub(r"max_tokens: \d+", f"max_tokens: {longest}", text)
    if model:
        text = text.replace("local/qwen2.5-coder-0.5b-instruct", model)
    spec = importlib.util.spec_from_file_location("research_tools", EXAMPLE / "tools.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return orka.load(text), [module.search_library, module.read_note]
