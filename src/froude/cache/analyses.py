"""What can be asked about a scarce SSD; each gives its figures and a page of them.

In Python: `fr.cache.split(fr.cache.read_state(path).state)`; `froude cache` does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from froude.base.parallel import Workers
from froude.base.progress import Progress, Silent, counting
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.cache.figures.plan import plan_report
from froude.cache.figures.simulation import replay_report, simulation_report
from froude.cache.simulate.compare import compare
from froude.cache.simulate.replay import Replay, footprint_bytes, replay_all
from froude.cache.simulate.scenario import Scenario
from froude.cache.simulate.traces import BlockTrace
from froude.cache.solve.files import PLAN
from froude.cache.solve.hysteresis import LEAST_GAIN
from froude.cache.solve.planner import Planning, solve
from froude.cache.solve.policies import DEFAULT, POLICIES, policy
from froude.cache.solve.state import State
from froude.cache.solve.whatif import what_if
from froude.documents.forms import check_range
from froude.render.answer import Answer

_MOST = 1000
"""Runs, or policies, that are compared."""

SIMULATION, REPLAY = "cache-simulation", "cache-replay"
_ALL = tuple(each.name for each in POLICIES)


def split(
    state: State,
    by: str = DEFAULT,
    *,
    factors: Sequence[float] = (),
    move_anyway: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Answer:
    """Who gets how much of each SSD, and why.

    Args:
        by: name of a policy.
        factors: also with SSDs so many times as large, 0 to 100.
        move_anyway: whether to move even where it does not pay for itself.
    """
    check_range("factors", [1.0, *factors], 0, 100)
    chosen = policy(by)
    planning = Planning(seeds=Seeds(seed), least_gain=None if move_anyway else LEAST_GAIN)
    with (progress or Silent()).task(f"{len(state.vms)} VMs by policy {chosen.name}"):
        plan = solve(state, chosen, planning)
        cases = what_if(state, chosen, factors, planning)
    content = asdict(plan)
    if cases:
        content["what_if"] = [
            {"factor": case.factor, "space_bytes": case.space_bytes, **asdict(case.plan.expected)}
            for case in cases
        ]
    return Answer(PLAN.kind, content, lambda facts: plan_report(state, plan, cases, facts))


def simulation(
    scenario: Scenario,
    policies: Sequence[str] = _ALL,
    *,
    runs: int = 5,
    space_bytes: int | None = None,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """What each policy would bring to jobs of clusters, on a virtual clock.

    Args:
        runs: each with data of its own.
        space_bytes: of each SSD; None for the scenario's.
    """
    check_range("runs", [runs], 1, _MOST)
    check_range("number of policies", [len(policies)], 1, _MOST)
    if space_bytes is not None:
        scenario = scenario.replaced(space_bytes=space_bytes)
    what = f"{len(scenario.groups)} groups of jobs under {len(policies)} policies, each {runs} times"
    with (progress or Silent()).task(what, runs * len(policies)) as task:
        outcomes = compare(
            scenario, policies, Seeds(seed), runs=runs, workers=workers,
            done=counting(task, lambda each: f"run {each.run + 1}, {each.policy}: jobs of {each.jobs_s:,.0f} s"),
        )  # fmt: skip
    content = {"outcomes": [asdict(outcome) for outcome in outcomes]}
    return Answer(SIMULATION, content, lambda facts: simulation_report(scenario, outcomes, facts))


def replay(
    trace: BlockTrace,
    how: Replay | None = None,
    policies: Sequence[str] = _ALL,
    *,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """What each policy would bring to the volumes of block traces.

    Args:
        how: the SSD, its caches and windows; None for an SSD of half of what is read again.
    """
    played = how or Replay(space_bytes=footprint_bytes(trace, 64 * 1024, cache_writes=False) // 2)
    what = f"{counted(len(trace.requests), 'request')} under {len(policies)} policies"
    with (progress or Silent()).task(what, len(policies)) as task:
        found = replay_all(
            trace, played, policies, Seeds(seed), workers,
            done=counting(task, lambda each: f"{each.policy}: {each.miss_ratio or 0:.1%} of reads missed"),
        )  # fmt: skip
    content = {
        "requests": len(trace.requests),
        "dropped": trace.dropped.counts(),
        "remarks": list(trace.remarks),
        **asdict(played),
        "policies": [{**asdict(each), "miss_ratio": each.miss_ratio} for each in found],
    }
    return Answer(REPLAY, content, lambda facts: replay_report(trace, played, found, facts))
