"""What the doubles were really asked, written down at once: it survives the kill of a process."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec

from orka.port.model import Call


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a model or a tool. `name` is the tool's, `key` the effect's, `prompts` what the
    model got: the last message, and all of them. `beyond`: the script had no reply left."""

    kind: Literal["llm", "tool", "side_effect"]
    agent: str
    run: str
    key: str
    name: str = ""
    prompts: tuple[str, ...] = ()
    beyond: bool = False


class Log:
    """A file of calls. Several processes may write to it, one after another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.touch()

    def add(self, asked: Asked) -> None:
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(asked) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[Asked]:
        return [
            msgspec.json.decode(line, type=Asked)
            for line in self.path.read_bytes().split(b"\n")
            if line
        ]

    def calls(self, run: str) -> Counter[str]:
        """How often each agent of `run` (of any, if it is empty) has called so far."""
        return Counter(
            asked.agent
            for asked in self.read()
            if run in ("", asked.run) and asked.kind != "side_effect"
        )


def caller(key: str) -> Call:
    """Who is behind an effect's key: `run/scope/node#n`."""
    run, _, effect = key.partition("/")
    return Call(run=run, effect=effect, node=effect.rpartition("/")[2].partition("#")[0])
