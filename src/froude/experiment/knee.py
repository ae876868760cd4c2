"""How far does a NameNode scale? Plays at growing load until a limit breaks, each on a NameNode of its own.

A NameNode is started anew for every play, so that each begins with an empty namespace, and warmed up, so that its JVM
is measured compiled. The knee is that of this machine, which player and target share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from froude.base.errors import InputError
from froude.base.progress import Progress, Silent, Task
from froude.base.summary import Summarised, counted
from froude.base.units import Quantity, parse_seconds
from froude.emulation.bottleneck import LimitedBy
from froude.emulation.limits import parse_limit, with_defaults
from froude.emulation.pacing import Pacing
from froude.emulation.run import Run
from froude.emulation.run_summary import RunSummary, summarise
from froude.experiment.knee_loads import SPEED, Loads
from froude.experiment.knee_search import Outcome, Search
from froude.experiment.knee_words import broken_text, growth_text, median_rate, quick_start_text
from froude.experiment.play import play
from froude.experiment.playable import check_play
from froude.experiment.warm_up import warm_up
from froude.hadoop.namenode import NameNode
from froude.workload.plan import Plan
from froude.workload.types import Workload
from froude.workspace.artifact import Origin


class Status(Enum):
    """What a search came to."""

    FOUND = "found"
    """A load that is kept, and a slightly larger one that the target does not keep."""
    AT_LEAST = "at least"
    """The player, or other work on the machine, was the limit: the knee lies beyond."""
    OPEN = "open"
    """No limit broke up to the largest load that was asked for."""
    BELOW = "below"
    """The smallest load that was tried breaks a limit."""
    UNSETTLED = "unsettled"
    """It was ended, or came to its number of plays, before its two sides were near enough."""


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a search."""

    level: float
    """Factor of the first load."""
    outcome: Outcome
    run: RunSummary

    @property
    def load(self) -> str:
        """The load in words: what was raised, and to what."""
        scale = [f"{name}={value}" for name, value in self.run.scale.items()]
        return ", ".join([*scale, *([f"speed={self.run.speed:g}"] if self.run.speed != 1 else [])])


@dataclass(frozen=True, slots=True, repr=False)
class Knee(Summarised):
    """How far a NameNode scales."""

    raised: tuple[str, ...]
    """The Scale variables that were raised together, or `speed`."""
    limits: tuple[str, ...]
    """Every one that was to be kept: those asked for, and the defaults that stood."""
    plays: tuple[Play, ...]
    """In the order in which they were played."""
    status: Status
    low: float | None
    """Factor of the largest load that was kept."""
    high: float | None
    """Factor of the smallest that was not."""
    environment: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False
    plan_remarks: tuple[str, ...] = ()
    """What stands against the plan of the largest load that was kept, or of the first, without forbidding it."""
    origin: Origin = field(default=Origin(), compare=False)
    """The command that found it and the hash of its workload, as far as they are known."""

    def at(self, level: float | None) -> tuple[Play, ...]:
        """The plays of one load."""
        return tuple(each for each in self.plays if each.level == level)

    @property
    def answer(self) -> str:
        """One sentence: up to where, what broke first, in how many plays, and who was the limit."""
        kept, high = self.at(self.low), self.at(self.high)
        upto = f"{kept[-1].load} ({median_rate(_runs(kept)):,.0f} calls/s)" if kept else ""
        beyond = f"at {self.raised_text(high[-1])}, {broken_text(_runs(high))}" if high else ""
        match self.status:
            case Status.FOUND:
                return f"The NameNode keeps its limits up to {upto}; {beyond}."
            case Status.AT_LEAST:
                return f"At least {upto}: {beyond}."
            case Status.OPEN:
                return f"At least {upto}: no limit broke up to there."
            case Status.BELOW:
                return f"Less than {high[-1].load}: already there, {broken_text(_runs(high))}."
        return f"Not settled: kept at {upto or 'no load'}{f'; {beyond}' if beyond else ''}."

    @property
    def confidence(self) -> str:
        """How many plays there were at either side, and in how many the limits were kept."""
        parts = []
        for level in (self.low, self.high):
            if plays := self.at(level):
                kept = sum(each.outcome is Outcome.KEPT for each in plays)
                parts.append(f"{kept} of {counted(len(plays), 'play')} at {self.raised_text(plays[-1])}")
        return f"limits kept in {', and in '.join(parts)}" if parts else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What keeps the answer from being read for more than it says; a sentence or two each."""
        levels = sorted(each.level for each in self.plays if self.low and each.level <= self.low)
        growth = ""
        if levels:
            first, last = (median_rate(_runs(self.at(level))) for level in (levels[0], levels[-1]))
            factor, faster = levels[-1] / levels[0], SPEED in self.raised
            growth = growth_text(self.raised, factor, first, last, faster=faster)
        return tuple(text for text in (growth, quick_start_text(self.environment)) if text)

    def raised_text(self, play: Play) -> str:
        """What was raised, and to what, in a play of this search."""
        scale = [f"{name}={play.run.scale[name]}" for name in self.raised if name in play.run.scale]
        return ", ".join([*scale, *([f"speed={play.run.speed:g}"] if SPEED in self.raised else [])])

    def summary(self) -> Mapping[str, str]:
        """The answer, what to keep in mind with it, how sure it is, and how many plays it took."""
        return {
            "answer": self.answer,
            "remarks": " ".join(self.remarks),
            "sure": self.confidence,
            "plays": str(len(self.plays)),
        }


def _runs(plays: Sequence[Play]) -> list[RunSummary]:
    return [each.run for each in plays]


def knee(  # noqa: PLR0913 - each is one choice of a search, all by name
    workload: Workload,
    start: Callable[[], NameNode],
    *,
    at: Mapping[str, str | float | Quantity] | None = None,
    raised: Sequence[str] = (),
    limits: Sequence[str] = (),
    most: float = 1024.0,
    resolution: float = 0.1,
    repeats: int = 3,
    speed: float = 1.0,
    ramp: float = 1000.0,
    warm_up_s: float = 10.0,
    most_plays: int = 40,
    pacing: Pacing | None = None,
    duration: float | str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Knee:
    """Raise the load of a workload until a NameNode breaks a limit.

    Args:
        workload: the mined pattern.
        start: makes a NameNode for one play, not entered yet: `lambda: hadoop.namenode(heap="4 GB")`.
        at: Scale to begin with; a variable that is not named begins with its largest recorded quantity.
        raised: variables that are raised together, or `speed`; empty for all on which the number of nodes at work
            together depends.
        limits: what must be kept, such as `p99(addBlock) < 50 ms`, besides the defaults: `p99 < 1 s`,
            `error_rate < 1 %` and `datanodes_lost < 1`, each unless a limit on the same measure is given
            (`emulation.limits`).
        most: largest factor of the first load.
        resolution: how near the two sides must be, as a share.
        repeats: plays at each side.
        speed: of the first load; 2 halves every recorded pause.
        ramp: emulated nodes that begin in a second: daemons, and at most so many of those beside each other.
        warm_up_s: seconds for which each NameNode is called before it is measured.
        most_plays: after so many the search ends wherever it is.
        pacing: closed or scheduled; None as `play` chooses.
        duration: longest time of a play.
        seed: of every random choice; each play has its own.
        progress: shows what goes on.

    Returns:
        The knee, with every play. An interrupt ends the search early: what was played is in it.

    Raises:
        InputError: a limit, a variable or a plan that cannot be; or calls that could not be sent, so that the load
            would not be what it says.
    """
    loads, kept = prepare(
        workload,
        at=at,
        raised=raised,
        limits=limits,
        most=most,
        speed=speed,
        ramp=ramp,
        pacing=pacing,
        duration=duration,
    )
    search = Search(most, resolution, repeats, most_plays, same=lambda a, b: loads.text(a) == loads.text(b))
    conditions = _Conditions(start, warm_up_s, kept, ramp, pacing, duration, seed)
    shown = progress or Silent()
    plays: list[Play] = []
    environment: dict[str, str] = {}
    ended = False
    try:
        while (level := search.next_level()) is not None:
            label = f"Play {len(plays) + 1} of at most {most_plays}: {loads.text(level)}"
            with shown.task(label) as task:
                run = conditions.play(loads.plan(level), loads.speed(level), len(plays), task)
                environment = dict(run.environment)
                plays.append(Play(level, outcome_of(run), summarise(run)))
                search.record(level, plays[-1].outcome)
    except KeyboardInterrupt:
        ended = True
    status = Status.UNSETTLED if ended or not search.settled else status_of(search)
    return Knee(
        loads.raised,
        kept,
        tuple(plays),
        status,
        search.low,
        search.high,
        environment,
        ended,
        tuple(refusal.what for refusal in loads.plan(search.low or 1.0).refusals),
    )


def prepare(  # noqa: PLR0913 - each is one choice of a search, all by name
    workload: Workload,
    *,
    at: Mapping[str, str | float | Quantity] | None = None,
    raised: Sequence[str] = (),
    limits: Sequence[str] = (),
    most: float = 1.0,
    speed: float = 1.0,
    ramp: float = 1000.0,
    pacing: Pacing | None = None,
    duration: float | str | None = None,
) -> tuple[Loads, tuple[str, ...]]:
    """The loads of a search and all limits that they must keep; nothing is started.

    Args:
        workload: the mined pattern.
        at: as of `knee`, like all that follow.
        raised: what is raised.
        limits: beside the defaults.
        most: largest factor of the first load.
        speed: of the first load.
        ramp: emulated nodes that begin in a second.
        pacing: closed or scheduled.
        duration: longest time of a play.

    Raises:
        InputError: something of it cannot be, or the first load cannot be played.
    """
    kept = with_defaults(limits)
    duration_s = None if duration is None else parse_seconds(duration, place="duration")
    loads = Loads.of(workload, at or {}, raised, speed=speed, most=most)
    check_play(
        loads.plan(1.0),
        limits=[parse_limit(text) for text in kept],
        duration_s=duration_s,
        pacing=pacing,
        speed=speed,
        ramp=ramp,
    )
    return loads, kept


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What all plays of a search have in common."""

    start: Callable[[], NameNode]
    warm_up_s: float
    limits: tuple[str, ...]
    ramp: float
    pacing: Pacing | None
    duration: float | str | None
    seed: int

    def play(self, plan: Plan, speed: float, number: int, task: Task) -> Run:
        """Play a load on a warm NameNode of its own.

        Raises:
            KeyboardInterrupt: the play was interrupted.
            InputError: calls were left out.
        """
        with self.start() as namenode:
            task.say("warm up")
            warm_up(namenode, self.warm_up_s)
            task.say(f"{sum(plan.counts.values()):,} nodes")
            run = play(
                plan,
                namenode,
                record="summary",
                pacing=self.pacing,
                speed=speed,
                ramp=self.ramp,
                duration=self.duration,
                seed=self.seed + number,
                limits=self.limits,
                check_counts=False,
            )
        if run.interrupted:
            raise KeyboardInterrupt
        _check_whole(run)
        return run


def outcome_of(run: Run) -> Outcome:
    """What a play says of the load: where the player was late, or the machine busy, nothing of the target."""
    if run.failure is None and all(result.held for result in run.limits):
        return Outcome.KEPT
    masked = run.bottleneck.by in {LimitedBy.PLAYER, LimitedBy.MACHINE} and run.failure is None
    return Outcome.UNCLEAR if masked else Outcome.BROKE


def status_of(search: Search) -> Status:
    """What a search came to that is over."""
    if search.high is None:
        return Status.OPEN
    if Outcome.BROKE not in search.at(search.high):
        return Status.AT_LEAST if search.low is not None else Status.UNSETTLED
    return Status.BELOW if search.low is None else Status.FOUND


def _check_whole(run: Run) -> None:
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
