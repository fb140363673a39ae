"""cProfile of one engine on one workload: python profiling.py PEER VARIANT WORKLOAD [RUNS]"""

from __future__ import annotations

import asyncio
import cProfile
import importlib
import pstats
import sys
import tempfile

from workloads import Peer, Visits, catalogue


async def profiled(peer: Peer, key: str, runs: int) -> cProfile.Profile:
    work = next(work for work in catalogue() if work.key == key)
    await peer.open()
    run = work.build(peer)
    await run(0)
    profile = cProfile.Profile()
    profile.enable()
    for number in range(runs):
        await run(number)
    profile.disable()
    await peer.close()
    return profile


def main() -> None:
    name, variant, key, *runs = sys.argv[1:]
    module = importlib.import_module(f"peers.{name.replace('-', '_')}")
    with tempfile.TemporaryDirectory() as folder:
        peer: Peer = module.Peer(variant, folder, Visits())
        profile = asyncio.run(profiled(peer, key, int(runs[0]) if runs else 20))
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    main()
