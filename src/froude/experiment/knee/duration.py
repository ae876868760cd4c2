"""How long a play of a search takes, how long it takes at least, and what a time limit leaves of a search. Pure."""

from __future__ import annotations

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.emulation.settings import Leftovers, Mode
from froude.emulation.steadiness import WINDOW_S
from froude.experiment.scenario.options import KneeOptions, Load, TimedSending
from froude.workload.plan import Plan, expected_s

MEASURE_S = 15.0
"""How long each sustained play is measured, where nothing else is asked for."""
CALLED_S = 10.0
"""For how long at most a NameNode is called before a job that is played once."""
AROUND_S = 3.0
"""Added to each play: other work is looked at before and after it, and what the play before made is deleted."""


def load_of(options: KneeOptions, speed: float, *, sustained: bool) -> Load:
    """How a play is sent: kept up until it was measured, where its job has clients in parallel.

    Args:
        sustained: whether further clients can keep the load up.

    Raises:
        InputError: a play would be over before it was measured.
    """
    asked = {name: getattr(options.load, name) for name in TimedSending.model_fields}
    load = Load(**{**asked, "speed": speed})
    if not sustained:
        return load.replaced(measure_s=None, leftovers=Leftovers.KEEP)
    measure_s = load.measure_s or MEASURE_S
    if load.duration_s is not None and load.duration_s < measure_s:
        raise InputError(
            "is shorter than what is measured of each play",
            place="--duration",
            found=seconds_text(load.duration_s),
            allowed=f"{seconds_text(measure_s)} and more",
            remedy="A shorter `measure` needs less",
        )
    return load.replaced(
        mode=Mode.POPULATION,
        measure_s=measure_s,
        duration_s=load.duration_s or options.warm_up_s + measure_s,
    )


def shortest_s(load: Load) -> float:
    """Seconds of a sustained play whose load is steady as soon as that can be known; 0 of one that is played once."""
    if load.measure_s is None or load.duration_s is None:
        return 0.0
    return min(load.duration_s, WINDOW_S + load.measure_s)


def longest_s(options: KneeOptions, load: Load, plan: Plan) -> float | None:
    """Seconds of a play at most; of one that is played once as recorded times tell, None where they tell nothing."""
    if load.mode is not Mode.ONCE:
        return load.duration_s
    seconds = load.duration_s or expected_s(plan, speed=load.speed)
    return None if seconds is None else seconds + min(CALLED_S, options.warm_up_s)


def check_time_limit(options: KneeOptions, load: Load, plan: Plan) -> None:
    """Refuse a time limit within which no play could be over.

    Args:
        plan: of the first play.

    Raises:
        InputError: the limit is shorter than the shortest play.
    """
    needed_s = shortest_s(load) or longest_s(options, load, plan) or 0.0
    limit_s = options.time_limit_s
    if limit_s is None or limit_s >= needed_s + AROUND_S:
        return
    sustained = load.mode is not Mode.ONCE
    raise InputError(
        "is shorter than the shortest play",
        place="--time-limit",
        found=seconds_text(limit_s),
        allowed=f"{seconds_text(needed_s + AROUND_S)} and more",
        remedy="A shorter `measure` needs less" if sustained else "The job is played once at each load",
    )


def estimate_text(options: KneeOptions, load: Load, plan: Plan) -> str:
    """How long a play takes, with what is done before and after it, and how many there are at most.

    Args:
        plan: of the first play.
    """
    longest, shortest = (
        seconds and seconds + AROUND_S for seconds in (longest_s(options, load, plan), shortest_s(load))
    )
    most, limit_s = options.knee.most_plays, options.time_limit_s
    known_s = shortest or longest
    if limit_s is not None and known_s is not None:
        most = max(1, min(most, int(limit_s / known_s)))
        longest = None if longest is None else min(longest, limit_s)
    if longest is None:
        each = "how long a play takes is not known"
    elif shortest:
        each = f"a play takes {seconds_text(longest)} at most"
        if shortest < longest:
            each += f", {seconds_text(shortest)} where the load is steady at once"
    else:
        each = f"the first play takes about {seconds_text(longest)}"
    within = f" within the time limit of {seconds_text(limit_s)}" if limit_s is not None else ""
    return f"{each}; {counted(most, 'play')} at most{within}"
