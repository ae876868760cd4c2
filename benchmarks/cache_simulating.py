"""Splits of an SSD played out: the paper's clusters under every policy over seeds, and real block traces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any
from unittest.mock import patch

from froude.base.seeds import Seeds
from froude.cache.curves import Shards
from froude.cache.simulate import play as played
from froude.cache.simulate.compare import Gain, compare, gains, means
from froude.cache.simulate.play import Outcome
from froude.cache.simulate.replay import Replay, footprint_bytes, replay_all
from froude.cache.simulate.scenario import read_scenario, shipped
from froude.cache.simulate.traces import BlockTrace, read_traces
from froude.cache.solve.policies import POLICIES

Rows = Iterator[dict[str, Any]]
_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "block_io"
_RUNS = 5
_ALL = [each.name for each in POLICIES]
_SOME = ["shared", "ac-ssd", "exact", "deadline"]
_PAPER = {
    "table-2": "0.18 to 0.22 for AC-SSD, by cluster",
    "figure-5": "0.14 to 0.31 for AC-SSD, by cluster and job",
}


def table_2() -> Rows:
    """Changing jobs; no figure depends on the machine's speed or load."""
    yield from _scenario("table-2", _ALL, 60.0)
    yield from _scenario("table-2", _SOME, 15.0)


def figure_5() -> Rows:
    """Jobs that repeat."""
    yield from _scenario("figure-5", _ALL, 60.0)
    yield from _scenario("figure-5", _SOME, 15.0)
    yield from _without_caution()


def _scenario(name: str, policies: list[str], window_s: float) -> Rows:
    """A scenario under policies, looked at so often."""
    scenario = replace(read_scenario(shipped()[name]).scenario, window_s=window_s, horizon_s=5 * window_s)
    outcomes = compare(scenario, policies, Seeds(1), runs=_RUNS)
    total = means(outcomes, lambda each: each.total_s)
    misses = means(outcomes, lambda each: each.misses / each.reads)
    moved = means(outcomes, lambda each: each.moved_bytes)
    sooner, jobs = gains(outcomes, _total), gains(outcomes, lambda each: each.jobs_s)
    title = f"a look every {window_s:g} s"
    said = f"seed 1, {_RUNS} paired runs; {misses['shared']:.1%} of reads miss"
    yield {
        "measure": f"{title}: shared",
        "value": round(total["shared"]),
        "unit": "s in all",
        "conditions": said,
    }
    for policy, gain in sooner.items():
        said = (
            f"{_interval(gain)}; {total[policy]:,.0f} s in all; mean job {jobs[policy].mean:+.1%} "
            f"({_interval(jobs[policy])}); {misses[policy]:.1%} miss; caches grew by {moved[policy] / 1e9:,.1f} GB"
        )
        row = {
            "measure": f"{title}: sooner under {policy}",
            "value": round(gain.mean, 3),
            "unit": "share",
            "conditions": said,
        }
        if policy == "ac-ssd-ga":
            row["conditions"] += f"; in the paper {_PAPER[name]}"
        yield row


def _total(outcome: Outcome) -> float:
    return outcome.total_s


def _interval(gain: Gain) -> str:
    return "one run" if gain.interval is None else f"{gain.interval[0]:.3f} to {gain.interval[1]:.3f}"


def _without_caution() -> Rows:
    """Curves of a small sample: as they are likeliest, or two standard deviations larger."""
    scenario = read_scenario(shipped()["figure-5"]).scenario
    bold = partialmethod(Shards.curve, cautious=0.0)
    for label, curve in (("cautious", Shards.curve), ("likeliest", bold)):
        with patch.object(Shards, "curve", curve), patch.object(played, "_SAMPLES", 128):
            gain = gains(compare(scenario, ["shared", "exact"], Seeds(1), runs=_RUNS), _total)["exact"]
        said = f"{_interval(gain)}; curves of 128 chunks of some 400 a VM; cautious is two standard deviations larger"
        measure = f"a look every 60 s: sooner under exact, {label} curves"
        yield {"measure": measure, "value": round(gain.mean, 3), "unit": "share", "conditions": said}


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
