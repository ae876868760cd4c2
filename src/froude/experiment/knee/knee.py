"""How far does a NameNode scale? Plays at growing load until a limit breaks, each on a NameNode of its own.

A NameNode is started anew for every play, so that each begins with an empty namespace, and warmed up, so that its JVM
is measured compiled. The knee is that of this machine, which player and target share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import Enum

from froude.base.errors import InputError
from froude.base.progress import Progress, Silent, Task
from froude.base.summary import Summarised, counted
from froude.base.units import Quantity
from froude.documents.artifact import Origin
from froude.emulation.limits import parse_limit, with_defaults
from froude.emulation.run.bottleneck import LimitedBy
from froude.emulation.run.run import TARGET, Record, Run
from froude.emulation.run.summary import RunSummary, summarise
from froude.experiment.knee.loads import SPEED, Loads
from froude.experiment.knee.search import Outcome, Search
from froude.experiment.knee.words import broken_text, growth_text, median_rate, quick_start_text
from froude.experiment.play.admission import TargetLike
from froude.experiment.play.play import play
from froude.experiment.play.playable import check_play
from froude.experiment.play.warm_up import warm_up
from froude.experiment.scenario.options import KneeOptions, PlayOptions
from froude.hadoop.cluster.namenode import NameNode
from froude.workload.plan import Plan
from froude.workload.types import Workload


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
                keeps = "keep their" if " and " in self.target else "keeps its"
                return f"The {self.target} {keeps} limits up to {upto}; {beyond}."
            case Status.AT_LEAST:
                return f"At least {upto}: {beyond}."
            case Status.OPEN:
                return f"At least {upto}: no limit broke up to there."
            case Status.BELOW:
                return f"Less than {high[-1].load}: already there, {broken_text(_runs(high))}."
        return f"Not settled: kept at {upto or 'no load'}{f'; {beyond}' if beyond else ''}."

    @property
    def target(self) -> str:
        """What was measured: `NameNode`, or what else the plays called."""
        return self.environment.get(TARGET, "NameNode")

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


def knee(
    workload: Workload,
    start: Callable[[], AbstractContextManager[NameNode | Mapping[str, TargetLike]]],
    options: KneeOptions | None = None,
    *,
    at: Mapping[str, str | float | Quantity] | None = None,
    progress: Progress | None = None,
) -> Knee:
    """Raise the load of a workload until a NameNode breaks a limit.

    Args:
        start: makes the target of one play, not entered yet: `lambda: hadoop.namenode(heap="4 GB")`; or several by
            service, a NameNode among them.
        options: how: `KneeOptions(limits=["p99(addBlock) < 50 ms"], repeats=2)`. Besides its limits the defaults are
            kept, `p99 < 1 s`, `error_rate < 1 %` and `datanodes_lost < 1`, each unless one of its own is on the same
            measure (`emulation.limits`).
        at: Scale to begin with; a variable that is not named begins with its largest recorded quantity.
        progress: shows what goes on.

    Returns:
        The knee, with every play. An interrupt ends the search early: what was played is in it.

    Raises:
        InputError: a limit, a variable or a plan that cannot be; or calls that could not be sent, so that the load
            would not be what it says.
    """
    options = options or KneeOptions()
    loads, kept = prepare(workload, options, at=at)
    asked = options.knee
    search = Search(
        asked.most,
        asked.resolution,
        options.repeats,
        asked.most_plays,
        same=lambda a, b: loads.text(a) == loads.text(b),
    )
    shown = progress or Silent()
    plays: list[Play] = []
    environment: dict[str, str] = {}
    ended = False
    try:
        while (level := search.next_level()) is not None:
            label = f"Play {len(plays) + 1} of at most {asked.most_plays}: {loads.text(level)}"
            with shown.task(label) as task:
                each = _options(options, kept, loads.speed(level), len(plays))
                run = _play(start, loads.plan(level), each, warm_up_s=options.warm_up_s, task=task)
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


def prepare(
    workload: Workload, options: KneeOptions, *, at: Mapping[str, str | float | Quantity] | None = None
) -> tuple[Loads, tuple[str, ...]]:
    """The loads of a search and all limits that they must keep; nothing is started.

    Args:
        options: as of `knee`.
        at: as of `knee`.

    Raises:
        InputError: something of it cannot be, or the first load cannot be played.
    """
    kept = with_defaults(options.limits)
    asked = options.knee
    loads = Loads.of(workload, at or {}, asked.raise_, speed=options.load.speed, most=asked.most)
    check_play(loads.plan(1.0), options.load, [parse_limit(text) for text in kept])
    return loads, kept


def _options(options: KneeOptions, limits: tuple[str, ...], speed: float, number: int) -> PlayOptions:
    """Those of one play; each has a seed of its own."""
    return PlayOptions(
        load=replace(options.load, speed=speed),
        nodes=options.nodes,
        record=Record.SUMMARY,
        seed=options.seed + number,
        limits=limits,
        check_counts=False,
    )


def _play(
    start: Callable[[], AbstractContextManager[NameNode | Mapping[str, TargetLike]]],
    plan: Plan,
    options: PlayOptions,
    *,
    warm_up_s: float,
    task: Task,
) -> Run:
    """Play a load on a warm NameNode of its own.

    Raises:
        KeyboardInterrupt: the play was interrupted.
        InputError: calls were left out.
    """
    with start() as target:
        task.say("warm up")
        namenode = target.get("namenode") if isinstance(target, Mapping) else target
        if isinstance(namenode, NameNode):
            warm_up(namenode, warm_up_s)
        task.say(f"{sum(plan.counts.values()):,} nodes")
        run = play(plan, target, options)
    if run.interrupted:
        raise KeyboardInterrupt
    _check_whole(run)
    return run


def outcome_of(run: Run) -> Outcome:
    """What a play says of the load: where the player was late, or the machine busy, nothing of the target."""
    if run.failure is None and all(result.held for result in run.limits):
        return Outcome.KEPT
    unknown = all(result.value is None for result in run.limits if not result.held)
    masked = unknown or run.bottleneck.by in {LimitedBy.PLAYER, LimitedBy.MACHINE}
    return Outcome.UNCLEAR if masked and run.failure is None else Outcome.BROKE


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
