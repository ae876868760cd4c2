"""Repeats of the co-location as rows of results: figures of each mode, and the signs of the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from benchmarks.colocation import MODES, QUOTA, WINDOW_S, Outcome, possible, repeats
from benchmarks.results import Row, at_least, at_most

_REPEATS, _SECONDS = 3, 120.0


def rows() -> list[dict[str, object]]:
    """The repeats as rows of results."""
    if not possible():
        return [
            {
                "measure": "co-location",
                "value": None,
                "unit": "",
                "conditions": "not measured: no control groups",
            }
        ]
    return [asdict(row) for row in rows_of(repeats(_REPEATS, _SECONDS))]


def rows_of(runs: Sequence[Sequence[Outcome]]) -> list[Row]:
    """Figures of each mode over repeats, and the signs of the paper's.

    Args:
        runs: by repeat, one outcome a mode, in the order of `MODES`.
    """
    by_mode = {mode: [outcomes[n] for outcomes in runs] for n, mode in enumerate(MODES)}
    said = (
        f"{len(runs)} runs of {_SECONDS:.0f} s, three services and NodeManagers, servers of {QUOTA} of a core; "
        f"{sum(len(each[1].kinds) for each in runs)} jobs in all"
    )
    p99 = {mode: [each.p99_ms for each in found] for mode, found in by_mode.items()}
    jobs = {
        mode: _paired([each.job_s for each in found], runs)
        for mode, found in by_mode.items()
        if mode != "none"
    }
    out = [
        _figure(f"service p99: {mode}", values, "ms", f"{said}; mean over servers and {WINDOW_S:.0f} s")
        for mode, values in p99.items()
    ]
    out += [
        _sign(
            "service p99: stock over none",
            p99["stock"],
            p99["none"],
            above=True,
            conditions="T3: Stock hurts",
        ),
        _sign("service p99: pt over stock", p99["pt"], p99["stock"], conditions="T3: PT hurts less"),
        _sign("service p99: h over pt", p99["h"], p99["pt"], conditions="T3: H hurts no more than PT"),
    ]
    out += [
        _figure(f"mean job: {mode}", values, "s", "jobs that ended in every mode")
        for mode, values in jobs.items()
    ]
    out.append(_sign("mean job: h over pt", jobs["h"], jobs["pt"], conditions="T4: 938 s over 1181 s, 0.79"))
    for mode, found in by_mode.items():
        if mode == "none":
            continue
        killed = [each.killed / max(1, each.started) for each in found]
        undone = sum(len(each.kinds) - len(each.job_s) for each in found)
        wasted = sum(each.wasted_s for each in found)
        of_all = f"{sum(each.killed for each in found)} of {sum(each.started for each in found)}"
        said = f"{of_all}, {wasted:.0f} s of their work lost; {undone} jobs did not end"
        out.append(_figure(f"containers killed: {mode}", killed, "share", said))
    out += [
        _figure(
            f"CPU of the servers: {mode}",
            [each.utilisation for each in found],
            "share",
            "services and done tasks",
        )
        for mode, found in by_mode.items()
    ]
    return out


def _paired(times: Sequence[dict[int, float]], runs: Sequence[Sequence[Outcome]]) -> list[float]:
    """By repeat, the mean time of the jobs that ended in every mode of it."""
    out = []
    for mine, outcomes in zip(times, runs, strict=True):
        common = set.intersection(*(set(each.job_s) for each in outcomes if each.mode != "none"))
        out.append(float(np.mean([mine[job] for job in common])))
    return out


def _figure(measure: str, values: Sequence[float], unit: str, conditions: str) -> Row:
    return Row(measure, float(f"{np.mean(values):.3g}"), unit, conditions=f"{_spread(values)}; {conditions}")


def _spread(values: Sequence[float]) -> str:
    """Loads and jobs are of the run's number, so that runs are inputs."""
    return f"mean of {len(values)} made-up inputs, {min(values):.3g} to {max(values):.3g}"


def _sign(
    measure: str, ours: Sequence[float], others: Sequence[float], *, conditions: str, above: bool = False
) -> Row:
    ratios = [a / b for a, b in zip(ours, others, strict=True)]
    ratio = float(f"{np.mean(ratios):.3g}")
    said = f"{conditions}; {_spread(ratios)}"
    row = (at_least if above else at_most)(measure, ratio, "x", 1.0, conditions=said)
    return replace(row, met=min(ratios) >= 1 if above else max(ratios) <= 1)
