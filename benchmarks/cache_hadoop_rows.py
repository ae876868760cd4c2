"""What the runs of `cache_hadoop` say: times by policy, and how far they lie from a shared cache's, pass by pass.

A pass has every policy once on one machine's mood, so policies are compared within passes: of each pass the logarithm of
the ratio, over passes Student's interval. The unit is the pass, however many jobs it has. Where the interval holds 0,
there is no difference to speak of, and the row says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.cache_hadoop import POLICIES, SHAPE
from benchmarks.results import Row
from froude.base.statistics import mean_interval, shift_of

Unit = Mapping[str, Any]
Measure = Callable[[Unit], float]
_LEVEL = 0.05
_BASE = "shared"
_MIB = 1 << 20


def rows_of(runs: Sequence[Unit]) -> list[Row]:
    """All rows, the schedule's total first.

    Args:
        runs: units of one setup.
    """
    schedule = [each for each in runs if each["part"] == "schedule"]
    dfsio = [each for each in runs if each["part"] == "dfsio"]
    rows = _times("Table 2's nine groups, all jobs", schedule, _total, Row)
    rows += _against(schedule, _total, "Table 2's nine groups")
    if schedule:
        rows += _tails(schedule)
        rows += _hits(schedule)
    for mode in ("write", "read", "random"):
        measure = _mode(mode)
        rows += _times(f"TestDFSIO {mode}, mean job", dfsio, measure, Row)
        rows += _against(dfsio, measure, f"TestDFSIO {mode}")
    return [*rows, *_default(schedule), *_machine(runs)]


def _total(unit: Unit) -> float:
    return math.fsum(group["seconds"] for group in unit["groups"])


def _jobs(unit: Unit) -> list[Mapping[str, Any]]:
    return [job for group in unit["groups"] for job in group["jobs"]]


def _mode(mode: str) -> Measure:
    """Mean time of a mode's jobs; those that read what was never read before tell of no cache and are left out."""

    def measure(unit: Unit) -> float:
        groups = [group for group in unit["groups"] if group["jobs"][0]["name"] == mode]
        warm = groups[1:] or groups
        return fmean(job["seconds"] for group in warm for job in group["jobs"])

    return measure


def _by_policy(runs: Sequence[Unit]) -> dict[str, dict[int, Unit]]:
    """Units by policy and pass."""
    return {
        name: {each["pass"]: each for each in runs if each["policy"] == name}
        for name in POLICIES
        if any(each["policy"] == name for each in runs)
    }


def _times(what: str, runs: Sequence[Unit], measure: Measure, make: type[Row]) -> list[Row]:
    rows = []
    for name, units in _by_policy(runs).items():
        values = [measure(unit) for unit in units.values()]
        mean, low, high = mean_interval(values, _LEVEL)
        said = f"{len(values)} passes"
        said += f", 95 %: {low:.1f} to {high:.1f}" if len(values) > 1 else ": no interval"
        rows.append(make(f"{what}: {name}", round(mean, 1), "s", conditions=said))
    return rows


def _against(runs: Sequence[Unit], measure: Measure, what: str, base: str = _BASE) -> list[Row]:
    """How much longer or shorter than under the base, in the same passes."""
    by_policy = _by_policy(runs)
    rows = []
    for name in by_policy:
        found = compared(by_policy, name, base, measure)
        if name != base and found is not None:
            mean, low, high, count = found
            verdict = "no difference" if low <= 0 <= high else "longer" if low > 0 else "shorter"
            said = f"{count} paired passes, 95 %: {low:+.1%} to {high:+.1%}: {verdict}"
            rows.append(
                Row(f"{what}: {name} against {base}", round(mean * 100, 1), "% of the time", conditions=said)
            )
    return rows


def compared(
    by_policy: Mapping[str, Mapping[int, Unit]], name: str, base: str, measure: Measure
) -> tuple[float, float, float, int] | None:
    """Change of a measure in the passes that have both, its interval, and how many these are; None below two.

    Args:
        by_policy: units by policy and pass.
        name: of the policy.
        base: that it is compared with.
        measure: of a unit, above 0.
    """
    both = sorted(by_policy.get(name, {}).keys() & by_policy.get(base, {}).keys())
    if len(both) < 2:
        return None
    baseline, candidate = (
        [math.log(measure(by_policy[each][turn])) for turn in both] for each in (base, name)
    )
    shift = shift_of(baseline, candidate, paired=True)
    low, high = shift.interval(_LEVEL)
    return math.expm1(shift.mean), math.expm1(low), math.expm1(min(high, 5.0)), len(both)


def _tails(runs: Sequence[Unit]) -> list[Row]:
    rows = []
    for name, units in _by_policy(runs).items():
        seconds = [job["seconds"] for unit in units.values() for job in _jobs(unit)]
        said = f"{len(seconds)} jobs; median {np.median(seconds):.1f} s, longest {max(seconds):.1f} s"
        p95 = float(np.percentile(seconds, 95))
        rows.append(Row(f"Table 2's jobs, 95th percentile: {name}", round(p95, 1), "s", conditions=said))
    return rows


def _hits(runs: Sequence[Unit]) -> list[Row]:
    """Chunks read that a cache held, over all groups."""
    rows = []
    for name, units in _by_policy(runs).items():
        if name == "none":
            continue
        totals = [
            (sum(each["hits"] for each in unit["statuses"]), sum(each["misses"] for each in unit["statuses"]))
            for unit in units.values()
        ]
        shares = [hits / (hits + misses) for hits, misses in totals]
        said = f"{len(shares)} passes, {min(shares):.1%} to {max(shares):.1%}"
        rows.append(
            Row(f"chunks read from a cache: {name}", round(fmean(shares), 3), "share", conditions=said)
        )
    return rows


def _default(schedule: Sequence[Unit]) -> list[Row]:
    found = compared(_by_policy(schedule), "deadline", "exact", _total)
    if found is None:
        return []
    mean, low, high, count = found
    decided = "deadline" if high < 0 else "exact"
    said = f"{count} paired passes, 95 %: {low:+.1%} to {high:+.1%}; deadline is the default only if it excludes 0"
    measure = "deadline against exact, Table 2's nine groups"
    return [
        Row(measure, round(mean * 100, 1), "% of the time", conditions=said),
        Row("default policy by this", decided, ""),
    ]


def _machine(runs: Sequence[Unit]) -> list[Row]:
    """How busy the machine was with other things."""
    if not runs:
        return []
    others = [
        (unit["processor"]["all"] - unit["processor"]["ours"]) / unit["processor"]["there"] for unit in runs
    ]
    said = f"{len(runs)} units; least {min(others):.0%}, most {max(others):.0%}; {setup_text()}"
    return [
        Row(
            "processor time that others took meanwhile",
            round(fmean(others), 2),
            "share of two cores",
            conditions=said,
        )
    ]


def setup_text() -> str:
    """The experiment in one line."""
    disk = SHAPE.disk
    return (
        f"four VMs' disks of {SHAPE.volume_bytes // _MIB} MiB on one disk of {disk.iops} requests and "
        f"{disk.bytes_per_s // _MIB} MiB a second, SSD of {SHAPE.ssd_bytes // _MIB} MiB"
    )
