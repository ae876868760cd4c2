"""Whether a plan can be played, here and at all: asked before anything is started."""

from __future__ import annotations

from collections.abc import Iterable

from froude.base.errors import InputError
from froude.base.limits import available_bytes, raise_descriptor_limit
from froude.base.summary import counted
from froude.emulation.abort import parse_condition
from froude.emulation.facts import PlanFacts, facts_of
from froude.emulation.limits import Limit, check_limits, parse_limit
from froude.emulation.programs.yarn.nodemanagers import check_resources
from froude.emulation.run.files import read_run
from froude.emulation.run.run import Run
from froude.emulation.settings import Pacing, Turnover
from froude.emulation.sustained import check_turnover
from froude.experiment.scenario.options import DuetOptions, Load, PlayOptions
from froude.workload.plan import Plan

NODE_BYTES = 16 << 10
"""Memory of an emulated node: three times what was measured of 10,000 DataNodes, for clients keep more."""
_OTHER_DESCRIPTORS = 64


def check_play(plan: Plan, load: Load, limits: Iterable[Limit] = (), *, here: bool = True) -> PlanFacts:
    """Refuse a play that can be known to fail before anybody is called.

    Args:
        limits: what it must keep.
        here: whether this machine plays it.

    Raises:
        InputError: saying why.
    """
    facts = check_plan(plan, load.duration_s, load.pacing, load.turnover)
    check_limits(limits, facts)
    if here:
        check_size(facts.nodes, load.connections.pool, descriptors=raise_descriptor_limit())
    return facts


def limits_of(options: PlayOptions | DuetOptions) -> list[Limit]:
    """All limits and conditions of a play, which a plan must be able to have.

    Raises:
        InputError: one that cannot be read.
    """
    limits = [] if isinstance(options, DuetOptions) else list(map(parse_limit, options.limits))
    return [*limits, *(parse_condition(text).limit for text in options.abort_when)]


def replayed_nonce(options: PlayOptions) -> str | None:
    """The nonce of the run whose client ids a play repeats; None where it takes a fresh one.

    Raises:
        InputError: the run cannot be read, or had another seed, on which its ids depend too.
    """
    file = options.replay_ids
    run = None if file is None else read_run(file)
    if run is not None and run.seed != options.seed:
        remedy = f"Use its seed too: {run.seed}"
        raise InputError("had another seed", file=file, found=run.seed, allowed=options.seed, remedy=remedy)
    return None if run is None else run.nonce


def check_plan(
    plan: Plan, limit_s: float | None, pacing: Pacing | None, turnover: Turnover | None = None
) -> PlanFacts:
    """Refuse a plan that cannot be played, or would never end.

    Args:
        limit_s: the longest time, seconds.
        turnover: whether its load is kept up; it is played once by default.

    Raises:
        InputError: saying why.
    """
    for refusal in plan.refusals:
        if refusal.fatal:
            raise InputError(
                "the plan cannot be played", place=refusal.node_type or "plan", found=refusal.what
            )
    if not plan.playable:
        remedy = "A plan mined from tables of calls can be extrapolated and compared; playing needs Hadoop's protocols"
        raise InputError("the plan cannot be played", place="plan", found=plan.obstacle, remedy=remedy)
    facts = facts_of(plan)
    for node_type in plan.workload.node_types:
        check_resources(node_type)
    if not facts.nodes:
        raise InputError("the plan has no nodes", place="plan")
    if limit_s is None and facts.endless:
        remedy = "Set how long to play with --duration"
        raise InputError("the plan has only nodes that never end", place="plan", remedy=remedy)
    check_turnover(plan, turnover or Turnover())
    if pacing is Pacing.SCHEDULED and facts.untimed is not None:
        remedy = "Mine the recordings again, or play with closed pacing"
        raise InputError(
            "a schedule needs service times", place="plan", found=f"none for {facts.untimed}", remedy=remedy
        )
    return facts


def check_size(nodes: int, pool: int, *, descriptors: int) -> None:
    """Refuse what this machine cannot hold.

    Args:
        pool: connections that nodes share; 0 where each has its own.
        descriptors: files that a process may have open.

    Raises:
        InputError: more nodes than there is memory for, or, with a connection each, descriptors.
    """
    available = available_bytes()
    most = available // NODE_BYTES
    if nodes > most:
        allowed = f"about {most:,} in the {available / 1e9:.1f} GB that are free"
        raise InputError(
            "has more nodes than there is memory for", place="plan", found=f"{nodes:,}", allowed=allowed
        )
    if not pool and nodes + _OTHER_DESCRIPTORS > descriptors:
        remedy = "Let nodes share connections, or raise the limit (ulimit -n)"
        found, allowed = f"{nodes:,} connections", f"{descriptors:,} open files"
        message = "has more nodes than connections can be open"
        raise InputError(message, place="plan", found=found, allowed=allowed, remedy=remedy)


def check_whole(run: Run) -> None:
    """A load of which calls were left out is another load than it says.

    Raises:
        InputError: calls were left out.
    """
    if run.left_out:
        left_out = counted(sum(run.left_out.values()), "call")
        remedy = "Answer the workload's questions first: `froude review`"
        raise InputError(
            "cannot be played as planned", place="plan", found=f"{left_out} without a value", remedy=remedy
        )
