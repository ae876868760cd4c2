"""Measures everything that docs/results/suite shows: `make results-suite`.

Mutants take minutes: `MUTANTS=FOLDER` names a folder of `seed-1.json` and so on, as `tools/mutate.py --json` writes
them. Seeds that it has are read, and others are measured and added to it. Times want a machine that does nothing else:
`python -m benchmarks.results_suite --only time` runs `make test` as often as `RUNS` says.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import Row, Topic, at_least, at_most

SEEDS, DRAWN, LEAST = (1, 2, 3, 4, 5, 6, 7, 8), 40, 36
"""Draws, mutants of each, and how many of them the tests should notice at least."""
RUNS = int(os.environ.get("RUNS", "3"))
"""Of `make test`."""
ROOT = Path(__file__).parent.parent
TOPIC = Topic(
    "suite",
    "The tests, measured",
    "Every figure is measured by `make results-suite` on the machine named below. A mutant is the source of the core "
    "with one small change: a comparison, a whole number by one, a sign, a statement that is left out, or two arguments "
    "that change places. One that no test notices survives; some compute the same as the source, and no test can notice "
    "them.",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mutant."""

    place: str
    """Module and line."""
    change: str
    """What is written instead of what."""
    fate: str
    """As `tools/mutate.py` names it."""
    why: str


def outcomes(text: str) -> list[Outcome]:
    """What `tools/mutate.py --json` wrote.

    Args:
        text: of its file.
    """
    return [
        Outcome(
            f"{mutant['module']}:{mutant['line']}",
            f"`{' '.join(mutant['before'].split())}` → `{' '.join(mutant['after'].split())}`",
            each["fate"],
            each["why"],
        )
        for each in json.loads(text)
        for mutant in [each["mutant"]]
    ]


def measured(seed: int) -> list[Outcome]:
    """The outcomes of a draw, out of the folder that `MUTANTS` names where it is there.

    Args:
        seed: of the draw.
    """
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(os.environ.get("MUTANTS") or scratch, f"seed-{seed}.json").absolute()
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            command = [
                sys.executable,
                "tools/mutate.py",
                f"--seed={seed}",
                f"--count={DRAWN}",
                f"--json={path}",
            ]
            subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False)  # 1 where one survives
        return outcomes(path.read_text())


def mutant_rows(draws: Sequence[tuple[int, Sequence[Outcome]]]) -> list[Row]:
    """How many were noticed of each draw, and what became of the others.

    Args:
        draws: seeds, and the outcomes of each.
    """
    rows, others = [], []
    for seed, found in draws:
        alike = [each for each in found if each.fate == "equivalent"]
        missed = [each for each in found if each.fate == "survived"]
        noticed, other = len(found) - len(alike) - len(missed), len(found) - len(alike)
        conditions = f"seed {seed}, {len(found)} drawn, {len(alike)} of them compute the same"
        rows += [
            at_least("mutants that tests notice", noticed, "mutants", LEAST, conditions=conditions),
            Row(
                "share of those that compute something else",
                100 * noticed / other,
                "%",
                conditions=conditions,
            ),
        ]
        for each in (*missed, *alike):
            why = each.why or "no test notices it"
            others.append(Row(each.place, each.fate, "", conditions=f"seed {seed}: {each.change}: {why}"))
    return [*rows, *others]


def counts_of(output: str) -> Counter[str]:
    """Tests by what became of them, from pytest's last line in the output of `make test`."""
    lines = [line for line in output.splitlines() if re.search(r"\d+ (passed|failed|errors?)\b.* in ", line)]
    found = re.findall(r"(\d+) (passed|failed|skipped|error)", lines[-1] if lines else "")
    return Counter({what: int(number) for number, what in found})


def time_rows(runs: int) -> list[Row]:
    """Wall-clock time of `make test`, with what else the machine had to do.

    Args:
        runs: how often, one after the other.
    """
    rows = []
    for run in range(1, runs + 1):
        before, begun = os.getloadavg()[0], time.monotonic()
        done = subprocess.run(["make", "test"], cwd=ROOT, capture_output=True, text=True, check=False)
        wall, counts = time.monotonic() - begun, counts_of(done.stdout)
        conditions = (
            f"run {run}, load average {before:.1f} before and {os.getloadavg()[0]:.1f} after, exit code "
            f"{done.returncode}"
        )
        rows += [
            at_most("`make test`", wall, "s", 600, conditions=conditions),
            Row("tests that passed", counts["passed"], "tests", conditions=f"run {run}"),
            Row("tests that were skipped", counts["skipped"], "tests", conditions=f"run {run}"),
            at_most(
                "tests that failed", counts["failed"] + counts["error"], "tests", 0, conditions=f"run {run}"
            ),
        ]
    return rows


@TOPIC.group("mutants", "Small changes of the core")
def mutants() -> list[Row]:
    """Of each draw."""
    return mutant_rows([(seed, measured(seed)) for seed in SEEDS])


@TOPIC.group("time", "Time of the whole suite")
def times() -> list[Row]:
    """Of `make test`, lint included."""
    return time_rows(RUNS)


if __name__ == "__main__":
    TOPIC.main()
