"""`froude compare` on real NameNodes: false alarms between runs of one kind, and power against a known slowdown.

    python -m benchmarks.bench_compare --rounds 8 --stopped 0.2

Each round makes three runs in an order drawn anew, each on a NameNode of its own: two as they are, and one whose
NameNode is stopped (SIGSTOP) for a share of every 20 ms, so that all it does takes 1 / (1 - share) times as long. Of
all runs many pairs of small arms are drawn, and compared: between runs of one kind a difference is a false alarm;
between the slowed ones and the others it is seen as often as `power` says for the spread of these runs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import froude as fr
from froude.base.statistics import power
from froude.emulation.run.run import Run
from froude.experiment.compare.compare import Comparison, Outcome, compare
from froude.hadoop.cluster.namenode import NameNode
from froude.workload.types import Recorded
from testbed.plans import plan

PERIOD_S = 0.02
DRAWS = 200
ROUNDS, STOPPED, CLIENTS = 8, 0.2, 40


@contextmanager
def slowed(namenode: NameNode, share: float) -> Iterator[None]:
    """Stop a NameNode for a share of the time while the block runs.

    Args:
        namenode: started.
        share: of each period, 0 for not at all.
    """
    over = threading.Event()
    pid = namenode.pid

    def stop_and_go() -> None:
        while not over.wait(PERIOD_S * (1 - share)):
            os.kill(pid, signal.SIGSTOP)
            over.wait(PERIOD_S * share)
            os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=stop_and_go, daemon=True)
    if share:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if share:
            thread.join()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def runs(rounds: int, share: float, clients: int, seed: int) -> dict[str, list[Run]]:
    """Three runs a round.

    Args:
        rounds: how many.
        share: for which the third NameNode is stopped.
        clients: of the play.
        seed: of the order.
    """
    planned = plan(datanodes=3, clients=clients)
    planned = replace(
        planned, workload=replace(planned.workload, recorded=Recorded((planned.scale,), ("CID-source",)))
    )
    hadoop, rng = fr.Hadoop.find(), random.Random(seed)
    made: dict[str, list[Run]] = {"a": [], "b": [], "slowed": []}
    for number in range(rounds):
        for name in rng.sample(list(made), 3):
            with hadoop.namenode(heap="512 MB") as namenode, slowed(namenode, share * (name == "slowed")):
                options = fr.PlayOptions(seed=number, check_counts=False)
                made[name].append(fr.play(planned, namenode, options))
            print(f"round {number + 1}, {name}: {made[name][-1]!r}", file=sys.stderr, flush=True)
    return made


def drawn(baseline: list[Run], candidate: list[Run], size: int, rng: random.Random) -> Comparison:
    """A comparison of a part of the runs."""
    return compare(baseline=rng.sample(baseline, size), candidate=rng.sample(candidate, size), limited=True)


def rows(
    rounds: int = ROUNDS, stopped: float = STOPPED, clients: int = CLIENTS, seed: int = 0
) -> list[dict[str, object]]:
    """One row a measure: `{measure, value, unit, conditions}`.

    Args:
        rounds: three runs each; three or more.
        stopped: share of the time for which the slowed NameNode stands still.
        clients: of the play.
        seed: of every choice.
    """
    made = runs(rounds, stopped, clients, seed)
    rng = random.Random(seed)
    pool = made["a"] + made["b"]
    whole = compare(baseline=pool, candidate=made["slowed"], limited=True)
    size = max(3, min(5, rounds // 2))
    alarms = seen = 0
    for _ in range(DRAWS):
        mixed = rng.sample(pool, 2 * size)
        alarms += drawn(mixed[:size], mixed[size:], size, rng).outcome in {Outcome.WORSE, Outcome.BETTER}
        seen += drawn(pool, made["slowed"], size, rng).rows[0].outcome is Outcome.WORSE
    primary = whole.rows[0]
    spread = statistics.stdev(math.log(value) for value in primary.baseline)
    computed = power(size, spread, math.log1p(primary.change), primary.level)
    injected = 100 * (1 / (1 - stopped) - 1)
    said = f"{DRAWS} draws of {size} and {size} runs"
    return [
        {"measure": "false alarms between runs of one kind", "value": 100 * alarms / DRAWS, "unit": "%", "aim": "<= 5",
         "conditions": f"{said} of {len(pool)}, all measures together, stated level 5 %; draws share runs"},
        {"measure": "mean latency of the slowed NameNode", "value": 100 * primary.change, "unit": "% more",
         "conditions": f"stopped for {100 * stopped:g} % of every {1e3 * PERIOD_S:g} ms, so that all its work takes "
         f"{injected:.3g} % longer; {100 * primary.low:+.3g} to {100 * primary.high:+.3g} %; {whole.answer}"},
        {"measure": "runs of one kind: spread of mean latency", "value": 100 * spread, "unit": "%",
         "conditions": f"standard deviation of the logarithm, {len(pool)} runs, each on a NameNode of its own"},
        {"measure": "slowdowns that were seen", "value": 100 * seen / DRAWS, "unit": "%",
         "conditions": f"{said}; {100 * computed:.0f} % computed from that spread and that slowdown"},
    ]  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help="Three or more; the draws share runs: few say little."
    )
    parser.add_argument("--stopped", type=float, default=STOPPED)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.rounds < 3:
        parser.error("--rounds: give three or more")
    for each in rows(asked.rounds, asked.stopped, asked.clients, asked.seed):
        print(json.dumps(each))
