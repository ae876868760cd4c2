"""Plays a job in this process: alone, or with other players that are forked from it.

Everything that is made of a plan is made once, before the processes part; they share its memory. All begin at one
moment of the machine's monotonic clock. The first player, whom the parent knows, adds the others' outcomes to its own.
"""

from __future__ import annotations

import errno
import math
import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, takewhile
from typing import BinaryIO

import psutil

from froude.base.clock import Clock, RealClock
from froude.base.errors import InputError
from froude.base.files import stated_os_errors
from froude.base.limits import machine_cores, raise_descriptor_limit
from froude.base.seeds import Seeds
from froude.emulation.controller import Controller
from froude.emulation.core import INTERVAL_S, Core
from froude.emulation.crew import Peers, fork
from froude.emulation.driver import Driver
from froude.emulation.engine import QUANTILES, Order, PlayJob, PlayOutcome, Status, Watch, connect
from froude.emulation.facts import facts_of
from froude.emulation.identification import Identification
from froude.emulation.listener import Listener
from froude.emulation.merging import merged_outcome, merged_status
from froude.emulation.programs.events import Send
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import groups_of, populate
from froude.emulation.recorder import Spool, spool_of
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import Histogram, Served, Tally, overall_row
from froude.emulation.settings import Connections, Pacing, Record
from froude.emulation.sharing import Measured
from froude.messages.schema import Schema
from froude.trace.failures import path_of
from froude.trace.redact import Redactor

_SPARE_DESCRIPTORS = 64
_GATHERED = (
    "A log is replayed as fast as answers come: while many calls are in flight they are taken in once a millisecond, so "
    "latencies are up to that much too long."
)
_LEAST_S = 0.5
"""A share of CPU over less than this says nothing."""
_FORK_S = 0.05
"""How long it takes until the last of several players can begin."""
STILL_S = 30.0
"""A player that reports nothing for so long, where one report a second is due, ends the play."""


@dataclass(frozen=True, slots=True)
class Common:
    """What players of a play have in common that no plan says."""

    epoch_s: float
    """Seconds since the epoch when the play is prepared."""
    begun_s: float
    """The same moment on the play's clock."""
    key: bytes
    """By which secrets in calls that are written down are replaced, 32 bytes."""

    @classmethod
    def now(cls) -> Common:
        """Of a play that is prepared by this process."""
        return cls(RealClock().wall(), RealClock().now(), os.urandom(32))


@dataclass(frozen=True, slots=True)
class Stage:
    """A job that was made ready, of all players or of one."""

    job: PlayJob
    population: Population
    listeners: dict[int, Listener]
    """By player; empty where no node is called."""
    redactor: Redactor
    players: int
    first: int
    """As of `sharing.player_of`."""
    remarks: list[str]
    clock: Clock = field(default_factory=RealClock)
    begin_s: float = 0.0
    """When the play begins, on that clock."""


def play_here(job: PlayJob, watch: Watch | None = None) -> PlayOutcome:
    """Play in this process; what player processes and tests call. A job for several players must be the only thread's.

    Args:
        watch: called with what goes on; False ends the play.

    Raises:
        InputError: the plan's start rules are impossible, or an argument does not fit the release.
        TargetError: another player process died.
    """
    players = max(1, min(job.players, max(job.plan.counts.values(), default=1)))
    stage = prepare(job, Common.now(), range(players))
    begin_s = stage.clock.now() + (0.0 if players == 1 else _FORK_S * players)
    stage = replace(stage, begin_s=begin_s)
    return play_stage(stage, 0, None, watch) if players == 1 else _play_shared(stage, watch)


def prepare(job: PlayJob, common: Common, here: Sequence[int], *, first: int = 0) -> Stage:
    """Make a job ready, of as many players as it says, of which some are in this process or forked from it.

    Args:
        here: numbers of those, which without further ones are all there are.
        first: as of `sharing.player_of`.

    Raises:
        InputError: the plan's start rules are impossible, or an argument does not fit the release.
        TargetError: no port is free for nodes that are called.
    """
    facts, players = facts_of(job.plan), max(len(here), job.players if first else 0)
    connections, remarks = _affordable(job, -(-facts.nodes // players))
    listeners = {player: Listener(player - first) for player in here} if facts.called else {}
    settings = replace(job.settings, connections=connections, epoch_s=common.epoch_s, begun_s=common.begun_s)
    population = populate(job.plan, job.schema, seeds=Seeds(job.seed), settings=settings)
    remarks += [_GATHERED] * _gathers(job)
    return Stage(job, population, listeners, Redactor(job.schema, common.key), players, first, remarks)


def _play_shared(stage: Stage, watch: Watch | None) -> PlayOutcome:
    """Be the first of several players."""
    with fork(stage.players, stage.job.schema, partial(play_stage, stage)) as peers:

        def watched(status: Status) -> int:
            merged = merged_status([status, *peers.statuses.values()])
            if peers.oldest_s < status.load.time_s - STILL_S:
                return Order.END
            return Order.GO_ON if watch is None else watch(merged)

        first = play_stage(stage, 0, peers, watched)
        return with_lost(merged_outcome([first, *peers.outcomes()]), peers)


def with_lost(merged: PlayOutcome, peers: Peers) -> PlayOutcome:
    """An outcome of all players, with what is said of those that were lost."""
    merged.failure = merged.failure or next(iter(peers.lost.values()), None)
    merged.partial = bool(peers.lost)
    merged.players = peers.players
    return merged


def play_stage(stage: Stage, player: int, peers: Peers | None, watch: Watch | None) -> PlayOutcome:
    """Play the nodes of one player.

    Args:
        player: its number, from the stage's first.
        peers: the other players; None for none.
    """
    job, population, clock, tally = stage.job, stage.population, stage.clock, Tally()
    tally.samples = None if peers is None else []
    tally.latest = [] if job.tell_all else None
    share = population.share.take(player, stage.players, stage.first)
    for number, each in stage.listeners.items():
        if number == player:
            population.settings = replace(population.settings, port=each.port)
        else:
            each.close()
    with _spool(job, player) as spool:
        core = Core(
            population,
            Controller(groups_of(population), speed=population.settings.speed),
            connect=connect,
            tally=tally,
            journal=None if spool is None else Spool(spool, job.record, population.seeds, stage.redactor),
            identification=Identification(job.schema),
            about=partial(_path, job.schema),
            share=share,
        )
        meter = _Meter(watch, tell_all=job.tell_all, measure_s=job.measure_s)
        begun_at_s = clock.wall() + stage.begin_s - clock.now()
        cores = machine_cores()
        outcome = PlayOutcome(tally, begun_at_s, 0.0, 0.0, meter.seen, begun_s=stage.begin_s, cores=cores)
        sides: list[Listener | Peers] = [] if peers is None else [peers]
        if peers is not None:
            peers.serve(core)
        if player in stage.listeners:
            stage.listeners[player].serve(core.inbound, population.called)
            sides.append(stage.listeners[player])
        try:
            driver = Driver(core, clock=clock, gather=_gathers(job), sides=sides)
            driver.run(begin_s=stage.begin_s, duration_s=job.duration_s, watch=meter)
        except KeyboardInterrupt:
            outcome.interrupted = True
        outcome.failure = core.failure
        outcome.interrupted |= meter.stopped
    outcome.elapsed_s, outcome.cpu_s = clock.now() - outcome.begun_s, meter.cpu_s
    outcome.remarks = stage.remarks
    return outcome


def _gathers(job: PlayJob) -> bool:
    return job.plan.log is not None and job.settings.pacing is Pacing.CLOSED


class _Meter:
    """Measures the player while it plays; a driver's `watch`."""

    def __init__(
        self, watch: Watch | None, *, tell_all: bool = False, measure_s: float | None = None
    ) -> None:
        self.seen: list[Load] = []
        self._measure_s = math.inf if measure_s is None else measure_s
        self.stopped = False
        self._watch = watch
        self._tell_all = tell_all
        self._process = psutil.Process()
        self._before = (0.0, time.process_time())
        psutil.cpu_percent()  # counts from here
        self._begun_cpu_s = self._before[1]

    @property
    def cpu_s(self) -> float:
        return time.process_time() - self._begun_cpu_s

    def __call__(self, core: Core, time_s: float) -> bool:
        before_s, cpu_before_s = self._before
        if time_s - before_s < 1.0 and self.seen:
            return True
        cpu_s = time.process_time()
        share = (cpu_s - cpu_before_s) / (time_s - before_s) if time_s - before_s > _LEAST_S else 0.0
        self._before = (time_s, cpu_s)
        rss = self._process.memory_info().rss
        self.seen.append(Load(time_s, share, rss, core.nodes, core.in_flight, psutil.cpu_percent() / 100))
        order = Order.GO_ON if self._watch is None else self._watch(self._status(core.tally))
        self.stopped = not order
        if order == Order.MEASURE:
            core.share.tell(Measured())
            core.measure(core.begun_s + time_s)
        from_s = core.tally.steady_from_s
        if self.stopped or order == Order.DONE:
            return False
        return from_s is None or time_s - from_s < self._measure_s

    def _status(self, tally: Tally) -> Status:
        last_s = tally.rows[-1].time_s if tally.rows else 0.0
        rows = list(takewhile(lambda row: row.time_s == last_s, reversed(tally.rows)))
        slowest = max(rows, key=lambda row: row.p99_ms, default=None)
        errors = sum(group.count for group in tally.failures)
        status = Status(
            self.seen[-1],
            tally.steady_from_s is None,
            sum(row.answered for row in rows) / INTERVAL_S,
            0.0 if slowest is None else slowest.p99_ms,
            "" if slowest is None else slowest.method,
            errors,
        )
        if not self._tell_all:
            return status
        counts, served = _so_far(tally)
        return status._replace(
            counts=counts,
            errors_by_kind=tally.errors,
            rows=rows,
            lateness=_quantiles_ms(tally.lateness),
            served=served,
            failed=tally.failed,
            overall=overall_row(last_s, rows, tally.latest or ()),
        )


def _quantiles_ms(histogram: Histogram) -> dict[float, float]:
    """The quantiles that are told while a play runs, in one pass; none of nothing."""
    ordered = sorted(histogram.counts.items())
    below = list(accumulate(count for _, count in ordered))
    if not below:
        return {}
    return {q: ordered[min(bisect_left(below, q * below[-1]), len(below) - 1)][0] / 1e3 for q in QUANTILES}


def _so_far(tally: Tally) -> tuple[dict[str, tuple[int, int]], dict[str, Served]]:
    """Sent and answered calls, and service times, by method, of both phases."""
    counts: dict[str, tuple[int, int]] = {}
    served: dict[str, Served] = {}
    for phase in (tally.ramp, tally):
        for method, series in phase.series.items():
            sent, answered = counts.get(method, (0, 0))
            counts[method] = (sent + series.sent, answered + series.answered)
            served[method] = served.get(method, Served()) + series.served
    return counts, served


def _affordable(job: PlayJob, nodes: int) -> tuple[Connections, list[str]]:
    """One connection a node only where the descriptors last; a pool otherwise, and a remark."""
    limit = raise_descriptor_limit() - _SPARE_DESCRIPTORS
    wanted = job.settings.connections
    if wanted.pool or nodes <= limit:
        return wanted, []
    pool = max(1, limit // max(1, len(job.plan.counts)))
    return Connections(pool=pool, user=wanted.user), [
        f"{nodes} nodes share {pool} connections a type: this process may open {limit} descriptors"
    ]


def _path(schema: Schema, send: Send) -> str | None:
    """The path that a call names; None where it names none, or cannot be read."""
    try:
        return path_of(schema.decode_request(send.protocol, send.method, send.body))
    except InputError:
        return None


@contextmanager
def _spool(job: PlayJob, player: int) -> Iterator[BinaryIO | None]:
    """Where a player writes its calls down; None where none are.

    Raises:
        MissingError: they cannot be written, such as on a full disk.
    """
    if job.record is Record.SUMMARY or job.spool is None:
        yield None
        return
    path = spool_of(job.spool, player)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb", buffering=1 << 20) as file:
            yield file
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        with stated_os_errors(path.parent):
            raise
