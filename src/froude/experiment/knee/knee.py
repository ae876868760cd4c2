"""How far does a NameNode or a ResourceManager scale? Sustained load, raised until a limit breaks, on one that is warm.

Clients follow each other until a play was measured (`emulation.sustained`), so that a load is one in calls a second,
however long a client takes; each play is measured once the NameNode's compiler is quiet. What a play made is deleted
before the next one (`knee.stage`). Jobs without clients in parallel are played once each, on a target of their own. The
knee is that of this machine, which player and target share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from froude.base.clock import Clock, RealClock
from froude.base.limits import machine_cores
from froude.base.progress import Progress, Silent, Task, Within
from froude.base.summary import counted
from froude.base.units import Quantity
from froude.emulation.facts import facts_of
from froude.emulation.limits import parse_limit, with_defaults
from froude.emulation.run.bottleneck import LimitedBy
from froude.emulation.run.run import Run
from froude.emulation.run.summary import summarise
from froude.emulation.settings import Mode, Record
from froude.emulation.steadiness import QUIET
from froude.experiment.knee.answer import Knee, Play, Status
from froude.experiment.knee.duration import AROUND_S, CALLED_S, check_time_limit, load_of, shortest_s
from froude.experiment.knee.limit import FULL
from froude.experiment.knee.loads import Loads
from froude.experiment.knee.pinning import PINNED, apart, pinned, pinning_text, usable
from froude.experiment.knee.search import Outcome, Search
from froude.experiment.knee.stage import Stage, Start
from froude.experiment.knee.words import (
    OTHERS,
    once_text,
    others_first_text,
    play_text,
)
from froude.experiment.play.play import play
from froude.experiment.play.playable import check_play, check_whole
from froude.experiment.play.warm_up import warm_up
from froude.experiment.scenario.options import KneeOptions, Load, PlayOptions
from froude.hadoop.cluster.namenode import NameNode
from froude.workload.types import Workload


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
        run = play(plan, target, self._options(level), progress=Within(task))
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
        if outcome is Outcome.KEPT and (run.bottleneck.player_share or 0.0) >= FULL:
            self.search.most = level  # a player without CPU left sends no larger load
        return play_text(figures, outcome.value, others)

    def _load(self, level: float) -> Load:
        return load_of(self.options, self.loads.speed(level), sustained=self.loads.sustained)

    def _options(self, level: float) -> PlayOptions:
        """Those of one play. On one NameNode all have one seed: its DataNodes are those of the play before."""
        sustained, load = self.loads.sustained, self._load(level)
        if sustained and load.duration_s is not None:
            left_s = max(shortest_s(load), self._end_s - self.clock.now())
            load = load.replaced(duration_s=min(load.duration_s, left_s))
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
    return FULL / busiest if busiest > 0 else 2.0


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
