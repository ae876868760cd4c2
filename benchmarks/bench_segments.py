"""Segment search on 10^3, 10^4 and 10^5 calls, beside a plain Algorithm 1 at 10^3.

Run: `python benchmarks/bench_segments.py [--json]`. The sequences are loops of random bodies planted one after
another, seeded; at 10^3 the results must be equal.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from froude.mining.shape.segments import fold, repeated_segments
from testbed.plain_segments import plain_algorithm_1

AIM_S = 1.0


def planted(length: int, seed: int = 1) -> list[int]:
    """A sequence of that length, made of repeated random bodies."""
    rng = random.Random(seed)
    sequence: list[int] = []
    while len(sequence) < length:
        sequence += [rng.randrange(20) for _ in range(rng.randint(1, 30))] * rng.randint(1, 50)
    return sequence[:length]


def best_of(times: int, work: Callable[[], object]) -> float:
    """Seconds of the quickest of some runs."""
    results = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        results.append(time.perf_counter() - begin)
    return min(results)


def rows() -> list[dict[str, object]]:
    """Every measurement: measure, value, unit, aim, met."""
    small = planted(1_000)
    assert repeated_segments(small) == plain_algorithm_1(small)
    measured: list[dict[str, object]] = []
    for length in (1_000, 10_000, 100_000):
        sequence = planted(length)
        seconds = best_of(3, lambda sequence=sequence: repeated_segments(sequence))  # type: ignore[misc]
        aim = AIM_S if length == 100_000 else None
        measured.append(_row(f"segments of {length:,} calls", seconds, aim))
        measured.append(_row(f"fold of {length:,} calls", best_of(1, lambda s=sequence: fold(s)), None))  # type: ignore[misc]
    measured.append(
        _row("plain Algorithm 1 on 1,000 calls", best_of(1, lambda: plain_algorithm_1(small)), None)
    )
    return measured


def _row(measure: str, seconds: float, aim: float | None) -> dict[str, object]:
    met = None if aim is None else seconds <= aim
    return {"measure": measure, "value": round(seconds, 4), "unit": "s", "aim": aim, "met": met}


def main() -> None:
    """Measure and print."""
    measured_rows = rows()
    if "--json" in sys.argv:
        print(json.dumps(measured_rows, indent=2))
        return
    for row in measured_rows:
        print(f"{row['measure']:34} {row['value']:>9} s" + (f"  (aim {row['aim']} s)" if row["aim"] else ""))


if __name__ == "__main__":
    main()
