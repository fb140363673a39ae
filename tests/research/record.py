"""Record the run that docs/decisions.md shows: python -m research.record, in tests/.

It asks the real local model of the example, so it takes a minute; it is run when a run of it would
come out differently, never by a test.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import orka
from research.desk import QUESTION, RECORDED, desk

RUN = "bridge"


async def main() -> None:
    flow, tools = desk()
    async with orka.Runtime(store=":memory:", use=tools) as runtime:
        run = await runtime.run(flow, QUESTION, run_id=RUN)
        runtime.replay(run.id)
        RECORDED.write_bytes(b"\n".join([*run.lines, b""]))
        blobs = Path(RECORDED.parent / "blobs")
        blobs.mkdir(exist_ok=True)
        for name, data in run.blobs().items():
            (blobs / name).write_bytes(data)
        print(run.status, run.output)


if __name__ == "__main__":
    asyncio.run(main())
