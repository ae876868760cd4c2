"""Play many seeds: `python -m tests.simulation.run --seeds 500`; a failing one is named and replays exactly."""

from __future__ import annotations

import argparse
import sys
import time

from froude.hadoop.distribution import Hadoop
from tests.emulation.plans import plan
from tests.simulation.world import World, broken


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main() -> int:
    """Play the seeds; 1 if any breaks an invariant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=500, help="how many, from --first")
    parser.add_argument("--first", type=int, default=0, help="the first seed; with --seeds 1 to replay one")
    options = parser.parse_args()
    schema, begun_s, bad, ended = Hadoop.find().schema(), time.perf_counter(), 0, 0
    for seed in range(options.first, options.first + options.seeds):
        world = World(plan(datanodes=8, clients=4, files=3), schema, seed)
        world.run()
        ended += world.core.failure is not None
        for what in broken(world):
            bad += 1
            _say(f"seed {seed}: {what}")
        if options.seeds == 1:
            _say(world.core.tally.counts, world.trouble, world.core.failure, world.digest.hexdigest())
    took_s = time.perf_counter() - begun_s
    _say(
        f"{options.seeds} seeds in {took_s:.1f} s: {ended} ended by a reset or a death, {bad} invariants broken"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
