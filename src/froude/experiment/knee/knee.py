"""How far does a NameNode or a ResourceManager scale? Sustained load, raised until a limit breaks, on one that is warm.

Clients follow each other until a play was measured (`emulation.sustained`), so that a load is one in calls a second,
however long a client takes; each play is measured once the NameNode's compiler is quiet. What a play made is deleted
before the next one (`knee.stage`). Jobs without clients in parallel are played once each, on a target of their own. The
knee is that of this machine, which player and target share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from froude.base.clock import Clock, RealClock
from froude.base.limits import machine_cores
from froude.base.progress import Progress, Silent, Task
from froude.base.summary import Summarised, counted
from froude.base.units import Quantity, parse_quantity, seconds_text
from froude.documents.artifact import Origin
from froude.emulation.facts import facts_of
from froude.emulation.limits import parse_limit, with_defaults
from froude.emulation.run.bottleneck import LimitedBy
from froude.emulation.run.run import TARGET, Record, Run
from froude.emulation.run.summary import RunSummary, summarise
from froude.emulation.steadiness import QUIET
from froude.emulation.sustained import Mode
from froude.experiment.knee.duration import AROUND_S, CALLED_S, check_time_limit, load_of, shortest_s
from froude.experiment.knee.limit import ComputedLimit, computed_limit, limit_text
from froude.experiment.knee.loads import SPEED, Loads
from froude.experiment.knee.pinning import PINNED, apart, pinned, pinning_text, usable
from froude.experiment.knee.scalability import Scalability, fit, scalability_text
from froude.experiment.knee.search import Outcome, Search
from froude.experiment.knee.stage import Stage, Start
from froude.experiment.knee.words import (
    OTHERS,
    bounds_text,
    broken_text,
    compiling_text,
    full_text,
    masked_text,
    once_text,
    others_first_text,
    others_text,
    play_text,
    quick_start_text,
    rate_of,
    rate_text,
    scheduling_text,
    slowest_of,
    unit_of,
)
from froude.experiment.play.play import play
from froude.experiment.play.playable import check_play, check_whole
from froude.experiment.play.warm_up import warm_up
from froude.experiment.scenario.options import KneeOptions, Load, PlayOptions
from froude.hadoop.cluster.namenode import NameNode
from froude.workload.types import Workload

_FULL = 0.85
"""Share of a core, or of the machine, that a step aims at."""


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
    MASKED = "masked"
    """The player, or other work on the machine, was the limit at the first load already: nothing is known."""
    UNSETTLED = "unsettled"
    """It was ended, or came to its number of plays or its time, before its two sides were near enough."""


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a search."""

    level: float
    """Factor of the first load."""
    outcome: Outcome
    run: RunSummary
    others: float = 0.0
    """Cores that other work on the machine used, right before or after the play, whichever was more."""

    @property
    def load(self) -> str:
        """The load in words: what was raised, and to what."""
        scale = [f"{name}={value}" for name, value in self.run.scale.items()]
        return ", ".join([*scale, *([f"speed={self.run.speed:g}"] if self.run.speed != 1 else [])])


@dataclass(frozen=True, slots=True, repr=False)
class Knee(Summarised):
    """How far a NameNode, or a ResourceManager, scales."""

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
    time_limit_s: float | None = None
    """The time limit that ended the search, seconds; None where it did not."""
    once: str = ""
    """Why clients were played once at each load, and the way out; empty where further ones kept the load up."""
    cores: int | None = None
    """Cores of another machine, for which the computed limit is scaled."""

    def at(self, level: float | None) -> tuple[Play, ...]:
        """The plays of one load."""
        return tuple(each for each in self.plays if each.level == level)

    @property
    def answer(self) -> str:
        """One sentence: up to which rate, what broke first, in how many plays, and who was the limit."""
        kept, high = self.at(self.low), self.at(self.high)
        upto, above = (_rate_text(plays) for plays in (kept, high))
        beyond = f"at {self.raised_text(high[-1])}, {broken_text(_runs(high))}" if high else ""
        match self.status:
            case Status.FOUND:
                keeps = "keep their" if " and " in self.target else "keeps its"
                return f"The {self.target} {keeps} limits up to {upto}; {beyond}."
            case Status.AT_LEAST:
                return f"At least {upto}: {beyond}."
            case Status.OPEN:
                why = (
                    "the player had no CPU left for more" if _is_full(kept) else "no limit broke up to there"
                )
                return f"At least {upto}: {why}."
            case Status.BELOW:
                return f"Less than {above}: already there, {broken_text(_runs(high))}."
            case Status.MASKED:
                reason = masked_text(high[-1].run, high[-1].others)
                return f"Not known, since {reason}: at {above}, {broken_text(_runs(high))}."
        known = f"at least {upto}" if upto else "no load was kept"
        way_out = " A longer `--time-limit` lets the search go on." if self.time_limit_s is not None else ""
        return f"{self.ending}: {known}{f'; {beyond}' if beyond else ''}.{way_out}"

    @property
    def ending(self) -> str:
        """What ended a search that is not settled, in a few words."""
        after = f"after {counted(len(self.plays), 'play')}"
        if self.interrupted:
            return f"Interrupted {after}"
        if self.time_limit_s is not None:
            return f"Ended by the time limit of {seconds_text(self.time_limit_s)} {after}"
        return f"Not settled {after}"

    @property
    def curve(self) -> tuple[Play, ...]:
        """Of each load, the smallest first, the play with the median p99."""
        levels = sorted({each.level for each in self.plays})
        return tuple(sorted(self.at(level), key=_p99_ms)[len(self.at(level)) // 2] for level in levels)

    @property
    def scalability(self) -> Scalability | None:
        """The Universal Scalability Law of loads that were kept up and show the target; None where there are too few."""
        plays = [] if self.once else [play for play in self.curve if play.outcome is not Outcome.UNCLEAR]
        return fit({self.size(play): rate_of(play.run) for play in plays})

    @property
    def bounds(self) -> Mapping[str, Play]:
        """By bound of p99, such as `10 ms`: the play of the largest load up to which every load stayed below it."""
        bounds_ms = _BOUNDS_MS if any(unit_of(play.run) == "calls/s" for play in self.curve) else _GRANTED_MS
        found = ((text, _last_below(self.curve, bound_ms)) for text, bound_ms in bounds_ms.items())
        return {text: play for text, play in found if play is not None}

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
    def computed_limit(self) -> ComputedLimit | None:
        """What the target's cores would allow, next to the load that was kept; None without a base for it."""
        kept = self.at(self.low)
        limit = computed_limit(_runs(kept), _runs(self.plays))
        ended = self.high is None and not _is_full(
            kept
        )  # nothing kept it from more but the end of the search
        return replace(limit, cause=None) if limit is not None and ended else limit

    @property
    def remarks(self) -> tuple[str, ...]:
        """What keeps the answer from being read for more than it says; a sentence or two each."""
        kept, high = _runs(self.at(self.low)), _runs(self.at(self.high))
        several = any(len(run.daemons) > 1 for run in kept)
        obstacle = (
            "the cores have several daemons" if several else "clients were played once" if self.once else ""
        )
        bounds = {bound: (play.run, self.raised_text(play)) for bound, play in self.bounds.items()}
        texts = (
            once_text(self.once),
            bounds_text(bounds),
            scheduling_text(kept),
            full_text(high),
            limit_text(self.computed_limit, self.cores, obstacle=obstacle) if kept else "",
            scalability_text(self.scalability, self.raised[0]),
            compiling_text(kept or high),
            others_text([each.others for each in self.plays]),
            quick_start_text(self.environment),
        )
        return tuple(text for text in texts if text)

    def size(self, play: Play) -> float:
        """The load as a number: the first of what was raised; its factor where the play does not name that."""
        name, scale = self.raised[0], play.run.scale
        known = parse_quantity(scale[name]).value if name in scale else play.level
        return play.run.speed if name == SPEED else float(known)

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


_BOUNDS_MS = {"10 ms": 10.0, "100 ms": 100.0, "1 s": 1000.0}
"""Of p99, up to which a curve is read."""
_GRANTED_MS = {"0.1 s": 100.0, "1 s": 1000.0, "10 s": 10_000.0}
"""The same of p99 of allocation."""


def _rate_text(plays: Sequence[Play]) -> str:
    """The rate and the load of the plays of one level; empty without any."""
    return f"{rate_text(_runs(plays))} ({plays[-1].load})" if plays else ""


def _p99_ms(play: Play) -> float:
    """The 99th percentile by which a play is placed; infinite where its target failed, or nothing was measured."""
    _, p99_ms = slowest_of(play.run)
    return math.inf if play.run.failure is not None or p99_ms is None else p99_ms


def _last_below(plays: Sequence[Play], bound_ms: float) -> Play | None:
    """The last of the first plays whose p99 is below a bound; None where the first one's is not."""
    above = next((at for at, play in enumerate(plays) if _p99_ms(play) >= bound_ms), len(plays))
    return plays[above - 1] if above else None


def _is_full(plays: Sequence[Play]) -> bool:
    """Whether the player had no CPU left in the last of some plays."""
    return bool(plays) and (plays[-1].run.player_cpu_share or 0.0) >= _FULL


def _runs(plays: Sequence[Play]) -> list[RunSummary]:
    return [each.run for each in plays]


def knee(
    workload: Workload,
    start: Start,
    options: KneeOptions | None = None,
    *,
    at: Mapping[str, str | float | Quantity] | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Knee:
    """Raise the sustained load of a workload until a NameNode, or a ResourceManager, breaks a limit.

    Args:
        start: makes the target, not entered yet: `lambda: hadoop.namenode(heap="4 GB")`; or several by service.
        options: how: `KneeOptions(limits=["p99(addBlock) < 50 ms"], repeats=2)`. Besides its limits the defaults are
            kept, for a NameNode `p99 < 1 s`, `error_rate < 1 %` and `datanodes_lost < 1`, each unless one of its own
            is on the same measure (`emulation.limits`).
        at: Scale to begin with; a variable that is not named begins with its largest recorded quantity.
        progress: shows what goes on.
        clock: the time; the machine's by default.

    Returns:
        The knee, with every play. An interrupt, and the time limit, end the search early: what was played is in it.

    Raises:
        InputError: a limit, a variable or a plan that cannot be; or calls that could not be sent, so that the load
            would not be what it says.
    """
    options, clock = options or KneeOptions(), clock or RealClock()
    loads, kept = prepare(workload, options, at=at)
    asked = options.knee
    search = Search(
        asked.most,
        asked.resolution,
        options.repeats,
        asked.most_plays,
        same=lambda a, b: loads.text(a) == loads.text(b),
    )
    processors = apart(usable())
    own, players = processors or (None, None)
    with pinned(players), Stage(start, keeps=loads.sustained, processors=own) as stage:
        searched = _Searching(search, loads, options, kept, stage, progress or Silent(), clock)
        ended = searched.run()
    status = Status.UNSETTLED if ended or not search.settled else status_of(search)
    return Knee(
        loads.raised,
        kept,
        tuple(searched.plays),
        status,
        search.low,
        search.high,
        searched.environment | {PINNED: pinning_text(processors)},
        ended,
        tuple(refusal.what for refusal in loads.plan(search.low or 1.0).refusals),
        time_limit_s=options.time_limit_s if searched.timed_out else None,
        once=loads.obstacle,
        cores=asked.cores,
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
    asked = options.knee
    loads = Loads.of(workload, at or {}, asked.raise_, speed=options.load.speed, most=asked.most)
    load, plan = load_of(options, loads.speed(1.0), sustained=loads.sustained), loads.plan(1.0)
    kept = with_defaults(options.limits, facts_of(plan))
    check_play(plan, load, [parse_limit(text) for text in kept])
    check_time_limit(options, load, plan)
    return loads, kept


@dataclass(slots=True)
class _Searching:
    """A search at work."""

    search: Search
    loads: Loads
    options: KneeOptions
    limits: tuple[str, ...]
    stage: Stage
    progress: Progress
    clock: Clock
    plays: list[Play] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    timed_out: bool = False
    _end_s: float = math.inf
    _begun_s: float = 0.0
    """When the last play began."""

    def run(self) -> bool:
        """Play until the search is over or its time is up; whether it was interrupted."""
        self._end_s = self.clock.now() + (self.options.time_limit_s or math.inf)
        level = self.search.next_level()
        try:
            while level is not None:
                label = f"Play {len(self.plays) + 1} of at most {self.options.knee.most_plays}: {self.loads.text(level)}"
                with self.progress.task(label) as task:
                    self._begun_s = self.clock.now()
                    what = self._play(level, task)
                    played, level = level, self._next()
                    task.result(f"{self.loads.text(played)}: {what}; {self._following(level)}")
        except KeyboardInterrupt:
            return True
        return False

    def _next(self) -> float | None:
        """The next load; None where the search is over, or its time is up."""
        level = self.search.next_level()
        self.timed_out = level is not None and not self._time_left()
        return None if self.timed_out else level

    def _time_left(self) -> bool:
        """Whether another play would be over in time: the shortest one, or one as long as the last, if played once."""
        now_s = self.clock.now()
        load = self._load(1.0)
        needed_s = AROUND_S + shortest_s(load) if self.loads.sustained else now_s - self._begun_s
        return now_s + needed_s <= self._end_s

    def _following(self, level: float | None) -> str:
        """What comes next."""
        if level is None:
            return "the time limit ends the search" if self.timed_out else "the search is over"
        left = counted(self.options.knee.most_plays - len(self.plays), "play")
        return f"next {self.loads.text(level)}, {left} left at most"

    def _play(self, level: float, task: Task) -> str:
        """Play a load and take note of it; of a first play that broke a limit while the JVM compiled, none.

        Returns:
            Its figures and what came of it, in a line.

        Raises:
            KeyboardInterrupt: the play was interrupted.
            InputError: calls were left out.
        """
        plan, others = self.loads.plan(level), self.stage.others()
        if not self.stage.started:
            for text in (once_text(self.loads.obstacle), others_first_text(others, machine_cores())):
                if text:
                    task.result(text)
        target = self.stage.target(plan)
        namenode = target.get("namenode") if isinstance(target, Mapping) else target
        if not self.loads.sustained and isinstance(namenode, NameNode):
            task.say("warm up")
            warm_up(namenode, min(CALLED_S, self.options.warm_up_s))
        task.say(f"{sum(plan.counts.values()):,} nodes")
        run = play(plan, target, self._options(level))
        if run.interrupted:
            raise KeyboardInterrupt
        check_whole(run)
        if run.failure is not None:
            self.stage.drop()
        others = max(others, self.stage.others())
        outcome = outcome_of(run, others)
        self.environment, figures = dict(run.environment), summarise(run)
        compiling = run.mode != Mode.ONCE.value and (run.compiler_share or 0.0) >= QUIET
        first = self.stage.played == 1 and others < OTHERS and self._time_left()
        if outcome is not Outcome.KEPT and compiling and first:
            return play_text(figures, "not counted, since the JVM was still compiling", others)
        self.plays.append(Play(level, outcome, figures, others))
        self.search.record(level, outcome, headroom(run))
        if outcome is Outcome.KEPT and (run.bottleneck.player_share or 0.0) >= _FULL:
            self.search.most = level  # a player without CPU left sends no larger load
        return play_text(figures, outcome.value, others)

    def _load(self, level: float) -> Load:
        return load_of(self.options, self.loads.speed(level), sustained=self.loads.sustained)

    def _options(self, level: float) -> PlayOptions:
        """Those of one play. On one NameNode all have one seed: its DataNodes are those of the play before."""
        sustained, load = self.loads.sustained, self._load(level)
        if sustained and load.duration_s is not None:
            left_s = max(shortest_s(load), self._end_s - self.clock.now())
            load = replace(load, duration_s=min(load.duration_s, left_s))
        return PlayOptions(
            load=load,
            nodes=self.options.nodes,
            record=Record.SUMMARY,
            seed=self.options.seed + (0 if sustained else len(self.plays)),
            limits=self.limits,
            check_counts=False,
        )


def headroom(run: Run) -> float:
    """How many times as much player and machine could have done, as far as their CPU tells; 2 where it does not."""
    from_s = run.steady_from_s or 0.0
    load = [each for each in run.load if each.time_s > from_s]
    player = sum(each.busiest_share or each.cpu_share for each in load)
    machine = sum(each.machine_share or 0.0 for each in load)
    busiest = max(player, machine) / len(load) if load else 0.0
    return _FULL / busiest if busiest > 0 else 2.0


def outcome_of(run: Run, others: float = 0.0) -> Outcome:
    """What a play says of the load: where the player was late, or the machine busy, nothing of the target.

    Args:
        others: cores that other work used before it or after it.
    """
    if run.failure is None and all(result.held for result in run.limits):
        return Outcome.KEPT
    unknown = all(result.value is None for result in run.limits if not result.held)
    masked = unknown or others >= OTHERS or run.bottleneck.by in {LimitedBy.PLAYER, LimitedBy.MACHINE}
    return Outcome.UNCLEAR if masked and run.failure is None else Outcome.BROKE


def status_of(search: Search) -> Status:
    """What a search came to that is over."""
    if search.high is None:
        return Status.OPEN
    if Outcome.BROKE not in search.at(search.high):
        return Status.AT_LEAST if search.low is not None else Status.MASKED
    return Status.BELOW if search.low is None else Status.FOUND
