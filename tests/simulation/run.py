"""Play many seeds: `python -m tests.simulation.run --seeds 500`; a failing one is named and replays exactly."""

from __future__ import annotations

import argparse
import json
import sys
import time

from froude.hadoop.release.distribution import Hadoop
from testbed.plans import plan
from tests.support.simulation.world import World, broken


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def _nothing(*_words: object) -> None:
    pass


def main() -> int:
    """Play the seeds; 1 if any breaks an invariant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=500, help="how many, from --first")
    parser.add_argument("--first", type=int, default=0, help="the first seed; with --seeds 1 to replay one")
    parser.add_argument("--json", action="store_true", help="one object at the end instead of lines")
    options = parser.parse_args()
    say = _nothing if options.json else _say
    schema, begun_s, bad, ended = Hadoop.find().schema(), time.perf_counter(), list[int](), 0
    for seed in range(options.first, options.first + options.seeds):
        world = World(plan(datanodes=8, clients=4, files=3), schema, seed)
        world.run()
        ended += world.core.failure is not None
        for what in broken(world):
            bad = [*bad, seed] if seed not in bad else bad
            say(f"seed {seed}: {what}")
        if options.seeds == 1:
            say(world.core.tally.whole.counts, world.trouble, world.core.failure, world.digest.hexdigest())
    took_s = time.perf_counter() - begun_s
    say(
        f"{options.seeds} seeds in {took_s:.1f} s: {ended} ended by a death, an invariant broke on {len(bad)}"
    )
    if options.json:
        _say(json.dumps({"seeds": options.seeds, "ended": ended, "broken": bad}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
