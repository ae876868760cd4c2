"""Is a candidate slower than a baseline? Both run at once, under one plan, and are compared second by second.

Two targets are started, and each is called by a player of its own with the same plan, whose clients keep the load up.
When both are warm, their service times and their CPU time for a call are compared in slices of the same seconds
(`slices`), and looked at five times at most: a verdict that is clear ends the duet.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from froude.base.clock import Clock, RealClock
from froude.base.errors import TargetError
from froude.base.progress import Progress, Silent, Task
from froude.emulation.engine import Order, Status
from froude.emulation.run.bottleneck import CPU, PREFIX, Measured
from froude.emulation.run.run import Run
from froude.emulation.settings import Mode, Record
from froude.emulation.steadiness import is_steady
from froude.experiment.compare.comparable import ARMS
from froude.experiment.duet.slices import SLICE_S, Series, Slice, slices_of
from froude.experiment.duet.verdict import BATCHES, LOOKS, Look, look_at
from froude.experiment.play.admission import TargetLike
from froude.experiment.play.live import Live
from froude.experiment.play.play import play
from froude.experiment.scenario.options import DuetOptions, Load, PlayOptions
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.metrics.jmx import Sampler
from froude.hadoop.metrics.threads import COLLECTOR, COMPILER
from froude.workload.plan import Plan

Start = Callable[[], AbstractContextManager[NameNode | Mapping[str, TargetLike]]]
"""Makes the targets of one arm, not entered yet."""
_SHORTEST_S = 1.0
"""Of a slice: players report once a second."""
_SPARE = 1.2
"""How many times the slices that are needed fit into a short time: the last report may be a second or two old."""
_LOOK_S = 0.5
"""Between two looks at what the plays have told."""
_END_S = 30.0
"""After the time limit, until plays that do not end by themselves are over."""


@dataclass(slots=True)
class _Arm:
    """One play, as it is seen from outside."""

    series: Series = field(default_factory=Series)
    """Its times are since the play began."""
    rates: list[float] = field(default_factory=list)
    begun_s: float = float("inf")
    """On the duet's clock: the earliest at which the play can have begun, by all that its player has reported."""
    time_s: float = 0.0
    """Of the last report, since the play began."""
    sampler: Sampler | None = None
    steady: bool = False
    told: bool = False
    """Whether its player knows that it is measured."""

    def on_clock(self) -> Series:
        """What was counted, by the duet's clock."""
        times_s = [self.begun_s + each for each in self.series.times_s]
        cpu = [] if self.sampler is None else _cpu(self.sampler)
        return replace(self.series, times_s=times_s, cpu=cpu)


class _Stage:
    """What both plays are ordered to do; their threads ask it, and the duet's own thread decides."""

    def __init__(self, clock: Clock, warm_up_s: float, limit_s: float) -> None:
        self.end_s = clock.now() + limit_s
        """When the duet is over at the latest."""
        self.arms = (_Arm(), _Arm())
        self.clock = clock
        self._warm_up_s = warm_up_s
        self._lock = threading.Lock()
        self.measured_s: float | None = None
        """When both began to be measured; None while one is not warm."""
        self.order = Order.GO_ON
        """END or DONE once the duet is over."""

    def ordered(self, number: int) -> Callable[[Status, Sampler | None], int]:
        """The orders for one arm."""

        def order(status: Status, sampler: Sampler | None) -> int:
            with self._lock:
                return self._order(self.arms[number], status, sampler)

        return order

    def _order(self, arm: _Arm, status: Status, sampler: Sampler | None) -> int:
        now_s = self.clock.now()
        arm.time_s, arm.sampler = status.load.time_s, sampler
        arm.begun_s = min(arm.begun_s, now_s - status.load.time_s)
        if status.rows:
            arm.series.add(status.rows[-1].time_s, status.served, status.errors)
        if self.order is not Order.GO_ON:
            return self.order
        arm.rates.append(status.calls_per_s)
        if self.measured_s is None:
            samples = [] if sampler is None else list(sampler.samples)
            arm.steady = is_steady(arm.rates, [Measured(each.time_s, each.values) for each in samples])
            late = min(each.time_s for each in self.arms) >= self._warm_up_s
            if late or all(each.steady for each in self.arms):
                self.measured_s = now_s
        if self.measured_s is not None and not arm.told:
            arm.told = True
            return Order.MEASURE
        return Order.GO_ON

    def slices(self, until_s: float | None = None) -> list[Slice]:
        """What was measured so far.

        Args:
            until_s: on the clock; None for all.
        """
        with self._lock:
            if self.measured_s is None or not all(arm.series.times_s for arm in self.arms):
                return []
            series = self.arms[0].on_clock(), self.arms[1].on_clock()
            last_s = min(each.times_s[-1] for each in series)
            end_s = last_s if until_s is None else min(last_s, until_s)
            length_s = (self.end_s - self.measured_s) / (BATCHES * LOOKS) / _SPARE
            length_s = max(_SHORTEST_S, min(SLICE_S, length_s))
            return slices_of(series, self.measured_s, end_s, length_s=length_s)


@dataclass(frozen=True, slots=True)
class Duet:
    """What came of a duet."""

    runs: tuple[Run, Run]
    """Of baseline and candidate."""
    slices: tuple[Slice, ...]
    looks: tuple[Look, ...]
    """The last one decides."""
    begun_s: tuple[float, float]
    """When each play began, on the clock of the slices."""
    steady: tuple[bool, bool]
    """Whether each target was warm before it was measured."""
    warm_up_s: float
    """Until both were measured, since the first play began."""
    interrupted: bool = False


def duet(
    plan: Plan,
    starts: tuple[Start, Start],
    options: DuetOptions,
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Duet:
    """Play a plan on two targets at once.

    Args:
        plan: one whose load further clients can keep up.
        folder: where the run of each arm is kept, in `baseline` and `candidate`; None for nowhere.

    Raises:
        InputError: the plan cannot be played so.
        TargetError: a target does not come up.
    """
    shown, clock = progress or Silent(), RealClock()
    with ExitStack() as stack:
        with shown.task("Starting two targets", total=2) as task:
            targets = []
            for arm, start in zip(ARMS, starts, strict=True):
                with _named(arm):
                    targets.append(stack.enter_context(start()))
                task.advance()
        played = PlayOptions(
            nodes=options.nodes,
            seed=options.seed,
            load=load_of(options),
            record=Record.SUMMARY,
            abort_when=options.abort_when,
            check_counts=False,
        )
        stage = _Stage(clock, options.compare.warm_up_s, options.compare.time_limit_s)
        pool = stack.enter_context(ThreadPoolExecutor(2, thread_name_prefix="froude-duet"))
        with shown.task("Duet", total=options.compare.time_limit_s) as task:
            plays = [
                pool.submit(
                    play,
                    plan,
                    target,
                    played,
                    folder=None if folder is None else folder / arm,
                    command=command,
                    live=Live(watched=True, order=stage.ordered(number)),
                )
                for number, (arm, target) in enumerate(zip(ARMS, targets, strict=True))
            ]
            looks: list[Look] = []
            interrupted = False
            try:
                _watch(stage, plays, options, task, looks)
            except KeyboardInterrupt:
                stage.order, interrupted = Order.END, True
            runs = plays[0].result(), plays[1].result()
    slices = stage.slices()
    if not looks and slices:
        looks = [_look(slices, LOOKS, options)]
    measured_s = stage.measured_s or clock.now()
    return Duet(
        runs,
        tuple(slices),
        tuple(looks),
        (stage.arms[0].begun_s, stage.arms[1].begun_s),
        (stage.arms[0].steady, stage.arms[1].steady),
        measured_s - min(each.begun_s for each in stage.arms),
        interrupted,
    )


@contextmanager
def _named(arm: str) -> Iterator[None]:
    """Errors of a target that does not come up name its arm."""
    try:
        yield
    except TargetError as error:
        parts = {name: getattr(error, name) for name in ("place", "found", "allowed", "remedy")}
        raise TargetError(error.message, file=f"{error.file} of the {arm}", **parts) from error


def load_of(options: DuetOptions) -> Load:
    """How either arm is sent its load; a play that nobody ends is over a little after the duet."""
    names = ("pacing", "speed", "ramp", "players", "leftovers", "connections")
    sent = {name: getattr(options.load, name) for name in names}
    return Load(mode=Mode.POPULATION, duration_s=options.compare.time_limit_s + _END_S, **sent)


def _look(slices: Sequence[Slice], number: int, options: DuetOptions) -> Look:
    return look_at(slices, number, margin=options.compare.margin, level=options.compare.level)


def _watch(
    stage: _Stage, plays: Sequence[Future[Run]], options: DuetOptions, task: Task, looks: list[Look]
) -> None:
    """Look at both plays until the verdict is clear, a play is over, or the time is; `looks` gets each look."""
    clock, shown_s = stage.clock, stage.clock.now()
    while not any(each.done() for each in plays):
        now_s = clock.now()
        task.advance(now_s - shown_s)
        shown_s = now_s
        if stage.measured_s is None:
            task.say("warm-up")
        else:
            every_s = (stage.end_s - stage.measured_s) / LOOKS
            due = min(LOOKS, int((now_s - stage.measured_s) / every_s))
            if due > (looks[-1].number if looks else 0):
                slices = stage.slices(stage.measured_s + due * every_s)
                looks.append(_look(slices, due, options))
                if looks[-1].clear or due == LOOKS:
                    stage.order = Order.DONE
                    break
            task.say(
                looks[-1].text
                if looks
                else f"measured, first look in {every_s - now_s + stage.measured_s:,.0f} s"
            )
        clock.sleep(_LOOK_S)
    else:
        stage.order = Order.DONE  # one is over before its time: the other has nothing to be compared with


def _cpu(sampler: Sampler) -> list[tuple[float, float]]:
    """Time, and CPU seconds of all daemons that were sampled without their JIT compilers and collectors."""
    found = []
    for sample in list(sampler.samples):
        values, used, known = sample.values, 0.0, False
        for prefix in ("", *PREFIX.values()):
            if prefix + CPU in values:
                known = True
                used += values[prefix + CPU]
                used -= values.get(prefix + COMPILER, 0.0) + values.get(prefix + COLLECTOR, 0.0)
        if known:
            found.append((sample.time_s, used))
    return found
