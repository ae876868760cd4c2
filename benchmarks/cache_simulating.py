"""Splits of an SSD played out: the paper's clusters under every policy over seeds, and real block traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partialmethod
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from benchmarks.results import INPUTS, Row, over, with_condition
from froude.base.seeds import Seeds
from froude.cache.curves import Shards
from froude.cache.simulate import play as played
from froude.cache.simulate.compare import Figure, compare
from froude.cache.simulate.play import Outcome
from froude.cache.simulate.replay import Replay, footprint_bytes, replay_all
from froude.cache.simulate.scenario import read_scenario, shipped
from froude.cache.simulate.traces import BlockTrace, read_traces
from froude.cache.solve.policies import POLICIES

Rows = Iterator[dict[str, Any]]
_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "block_io"
_MADE = "made-up sets of data and reads, a run of each"
_ALL = [each.name for each in POLICIES]
_SOME = ["shared", "ac-ssd", "exact", "deadline"]
_PAPER = {
    "table-2": "0.18 to 0.22 for AC-SSD, by cluster",
    "figure-5": "0.14 to 0.31 for AC-SSD, by cluster and job",
}


def table_2() -> Iterator[Row]:
    """Changing jobs; no figure depends on the machine's speed or load."""
    yield from _scenario("table-2", _ALL, 60.0)
    yield from _scenario("table-2", _SOME, 15.0)


def figure_5() -> Iterator[Row]:
    """Jobs that repeat."""
    yield from _scenario("figure-5", _ALL, 60.0)
    yield from _scenario("figure-5", _SOME, 15.0)
    yield from _without_caution()


def _scenario(name: str, policies: list[str], window_s: float) -> Iterator[Row]:
    """A scenario under policies, looked at so often."""
    scenario = read_scenario(shipped()[name]).scenario.replaced(window_s=window_s, horizon_s=5 * window_s)
    outcomes = compare(scenario, policies, Seeds(1), runs=INPUTS)
    title = f"a look every {window_s:g} s"
    totals = [Row(f"{title}: shared", each, "s in all") for each in _by_run(outcomes, "shared", _total)]
    yield with_condition(over(totals, _MADE), f"{_middle(outcomes, 'shared', _missed):.1%} of reads miss")
    for policy in policies[1:]:
        jobs = _sooner(outcomes, policy, lambda each: each.jobs_s)
        said = (
            f"medians: {_middle(outcomes, policy, _total):,.0f} s in all, mean job {median(jobs):+.1%} "
            f"({min(jobs):+.1%} to {max(jobs):+.1%}), {_middle(outcomes, policy, _missed):.1%} miss, "
            f"caches grew by {_middle(outcomes, policy, lambda each: each.moved_bytes) / 1e9:,.1f} GB"
        )
        paper = f"in the paper {_PAPER[name]}" if policy == "ac-ssd-ga" else ""
        yield with_condition(
            with_condition(_gain(f"{title}: sooner under {policy}", outcomes, policy), said), paper
        )


def _gain(measure: str, outcomes: Sequence[Outcome], policy: str) -> Row:
    """By which part all jobs end sooner than under one cache for all, paired by run."""
    return over([Row(measure, each, "share") for each in _sooner(outcomes, policy, _total)], _MADE)


def _sooner(outcomes: Sequence[Outcome], policy: str, figure: Figure) -> list[float]:
    pairs = zip(_by_run(outcomes, policy, figure), _by_run(outcomes, "shared", figure), strict=True)
    return [1 - own / shared for own, shared in pairs]


def _by_run(outcomes: Sequence[Outcome], policy: str, figure: Figure) -> list[float]:
    return [figure(each) for each in outcomes if each.policy == policy]


def _middle(outcomes: Sequence[Outcome], policy: str, figure: Figure) -> float:
    return median(_by_run(outcomes, policy, figure))


def _total(outcome: Outcome) -> float:
    return outcome.total_s


def _missed(outcome: Outcome) -> float:
    return outcome.misses / outcome.reads


def _without_caution() -> Iterator[Row]:
    """Curves of a small sample: as they are likeliest, or two standard deviations larger."""
    scenario = read_scenario(shipped()["figure-5"]).scenario
    bold = partialmethod(Shards.curve, cautious=0.0)
    for label, curve in (("cautious", Shards.curve), ("likeliest", bold)):
        with patch.object(Shards, "curve", curve), patch.object(played, "_SAMPLES", 128):
            outcomes = compare(scenario, ["shared", "exact"], Seeds(1), runs=INPUTS)
        row = _gain(f"a look every 60 s: sooner under exact, {label} curves", outcomes, "exact")
        said = "curves of 128 chunks of some 400 a VM; cautious is two standard deviations larger"
        yield with_condition(row, said)


def traces() -> Rows:
    """Real block traces through caches of parts of what they read again."""
    if not _DATA.is_dir():
        yield {
            "measure": "real block traces",
            "value": None,
            "unit": "",
            "conditions": "not measured: they are not here",
        }
        return
    for label, file in (("web search", "mqsim_wsrch-small.trace.gz"), ("TPC-C", "mqsim_tpcc-small.trace.gz")):
        trace = read_traces([_DATA / file])
        footprint = footprint_bytes(trace, 64 * 1024)
        for part in (2, 8, 32):
            how = Replay(space_bytes=footprint // part)
            found = replay_all(trace, how, ["shared", "equal", "working-set", "ac-ssd", "exact"], Seeds(1))
            least = min(found, key=lambda each: each.miss_ratio)
            others = ", ".join(f"{each.policy} {each.miss_ratio:.4f}" for each in found)
            said = f"{_about(trace)}; {how.space_bytes / 1e6:,.1f} MB; {others}"
            exact = next(each.miss_ratio for each in found if each.policy == "exact")
            measure = f"{label}, 1/{part} of what is read again: misses under exact"
            yield {
                "measure": measure, "value": round(exact, 4), "unit": "of reads",
                "conditions": f"{said}; least under {least.policy}",
            }  # fmt: skip


def _about(trace: BlockTrace) -> str:
    return f"{len(trace.requests):,} requests of {len(trace.volumes)} volumes, {trace.dirty} lines unreadable"
