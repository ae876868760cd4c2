"""Plays a plan in a process of its own, so that players never share an interpreter with reports or samplers.

The parent hands a `PlayJob` to `python -m froude.emulation.player`, which imports neither pyarrow nor polars, and gets
progress and the `PlayOutcome` back through a pipe. One process plays all nodes: emulated nodes talk to each other
(a client's block to its DataNodes), and that talk never crosses a process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
import uuid
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import psutil

from froude.base.clock import RealClock
from froude.base.errors import FroudeError, InputError, TargetError
from froude.base.limits import raise_descriptor_limit
from froude.base.seeds import Seeds
from froude.emulation.controller import Controller
from froude.emulation.core import INTERVAL_S, Core
from froude.emulation.driver import Driver
from froude.emulation.facts import facts_of
from froude.emulation.identification import Identification
from froude.emulation.listener import Listener
from froude.emulation.pacing import Pacing
from froude.emulation.programs.events import Endpoint, Send
from froude.emulation.programs.population import Connections, PlaySettings
from froude.emulation.programs.registry import groups_of, populate
from froude.emulation.recorder import Spool
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.run import Record
from froude.emulation.run.tally import Histogram, IntervalRow, Tally
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.sasl import DigestMd5Client
from froude.messages.schema import Schema
from froude.trace.failures import path_of
from froude.trace.redact import Redactor
from froude.workload.plan import Plan

_SPARE_DESCRIPTORS = 64
_GATHERED = (
    "A log is replayed as fast as answers come: while many calls are in flight they are taken in once a millisecond, so "
    "latencies are up to that much too long."
)
QUANTILES = (0.5, 0.9, 0.99, 1.0)
"""Told of lateness while a play runs."""
_LEAST_S = 0.5
"""A share of CPU over less than this says nothing."""


@dataclass(frozen=True, slots=True)
class PlayJob:
    """All a player process needs to know."""

    plan: Plan
    schema: Schema
    settings: PlaySettings
    """Targets, pacing, connections; its time of day is the player's own."""
    seed: int = 0
    duration_s: float | None = None
    record: Record = Record.SUMMARY
    spool: Path | None = None
    """Where calls are written down; needed unless the record is a summary."""
    tell_all: bool = False
    """Whether each `Status` holds everything, which costs the player some milliseconds a second."""


@dataclass(slots=True)
class PlayOutcome:
    """What a player process gives back."""

    tally: Tally
    begun_at_s: float
    """Wall time of the beginning."""
    elapsed_s: float
    cpu_s: float
    load: list[Load]
    failure: FroudeError | None = None
    interrupted: bool = False
    begun_s: float = 0.0
    """The beginning on the player's own clock, to which a spool's times refer."""
    remarks: list[str] = field(default_factory=list)
    cores: int = 1
    """Of the machine that the player ran on."""


class Status(NamedTuple):
    """What goes on in a play at one moment."""

    load: Load
    ramping: bool
    """Whether emulated daemons are still to start."""
    calls_per_s: float
    """Answered in the last whole interval."""
    p99_ms: float
    """Of the method that was slowest in it, from when calls were due."""
    slowest: str
    """Its name; empty where no call was answered."""
    errors: int
    """So far."""
    counts: Mapping[str, tuple[int, int]] = {}
    """Sent and answered calls by method so far, also of the ramp; this and what follows only if a job tells all."""
    errors_by_kind: Mapping[tuple[str, str], int] = {}
    """Error answers and lost calls by method and class so far."""
    rows: Sequence[IntervalRow] = ()
    """The last whole interval, by method."""
    lateness: Mapping[float, float] = {}
    """Milliseconds by quantile: how much later than intended calls were sent, in this phase so far."""


Watch = Callable[[Status], bool]
"""Called some times a second; False ends the play."""


def fresh_nonce() -> str:
    """A `nonce` for the settings of one play: eight random bytes, in hex."""
    return os.urandom(8).hex()


def play_here(job: PlayJob, watch: Watch | None = None) -> PlayOutcome:
    """Play in this process; what player processes and tests call.

    Args:
        watch: called with what goes on; False ends the play.

    Raises:
        InputError: the plan's start rules are impossible, or an argument does not fit the release.
    """
    seeds, clock, tally = Seeds(job.seed), RealClock(), Tally()
    facts = facts_of(job.plan)
    connections, remarks = _affordable(job, facts.nodes)
    listener = Listener() if facts.called else None
    port = 0 if listener is None else listener.port
    settings = replace(job.settings, connections=connections, epoch_s=clock.wall(), port=port)
    population = populate(job.plan, job.schema, seeds=seeds, settings=settings)
    spool = _open_spool(job)
    try:
        redactor = Redactor(job.schema, os.urandom(32))
        core = Core(
            population,
            Controller(groups_of(population), speed=settings.speed),
            connect=connect,
            tally=tally,
            journal=Spool(spool, job.record, seeds, redactor) if spool is not None else None,
            identification=Identification(job.schema),
            about=partial(_path, job.schema),
        )
        gather = job.plan.log is not None and settings.pacing is Pacing.CLOSED
        if gather:
            remarks = [*remarks, _GATHERED]
        meter = _Meter(watch, tell_all=job.tell_all)
        outcome = PlayOutcome(
            tally,
            clock.wall(),
            0.0,
            0.0,
            meter.seen,
            begun_s=clock.now(),
            remarks=remarks,
            cores=os.cpu_count() or 1,
        )
        if listener is not None:
            listener.serve(core.inbound, population.called)
        try:
            Driver(core, clock=clock, gather=gather, listener=listener).run(
                duration_s=job.duration_s, watch=meter
            )
        except KeyboardInterrupt:
            outcome.interrupted = True
        outcome.failure = core.failure
        outcome.interrupted |= meter.stopped
    finally:
        if spool is not None:
            spool.close()
    outcome.elapsed_s, outcome.cpu_s = clock.now() - outcome.begun_s, meter.cpu_s
    return outcome


def play_apart(job: PlayJob, watch: Watch | None = None) -> PlayOutcome:
    """Play in a process of its own.

    Args:
        watch: called with what goes on; False, or an interrupt, ends the play, and what was played stays.

    Raises:
        FroudeError: what the player states.
        TargetError: the player process died.
    """
    command = [sys.executable, "-m", "froude.emulation.player"]
    # A group of its own: an interrupt from the terminal is ours to hear, and we close its stdin.
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        pickle.dump(job, child.stdin, protocol=5)
        child.stdin.flush()
        outcome = _follow(child.stdin, child.stdout, watch)
    except BrokenPipeError:
        outcome = None
    finally:
        child.stdin.close()
        child.stdout.close()
        _end(child)
    if isinstance(outcome, FroudeError):
        raise outcome
    if outcome is None:
        raise TargetError(
            "the player process died", place=f"pid {child.pid}", found=f"exit {child.returncode}"
        )
    return outcome


def _follow(
    commands: BinaryIO | Any, answers: BinaryIO | Any, watch: Watch | None
) -> PlayOutcome | FroudeError | None:
    """Read what the player reports until its outcome; ask it to stop when `watch` says so."""
    stopping = False
    while True:
        try:
            report: object = pickle.load(answers)  # noqa: S301 - our own child process
            if isinstance(report, Status):
                if watch is not None and not watch(report) and not stopping:
                    stopping = True
                    commands.close()
                continue
            assert isinstance(report, (PlayOutcome, FroudeError))
            if stopping and isinstance(report, PlayOutcome):
                report.interrupted = True
            return report
        except KeyboardInterrupt:
            stopping = True
            if not commands.closed:
                commands.close()
        except (EOFError, pickle.UnpicklingError):
            return None


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


class _Meter:
    """Measures the player while it plays; a driver's `watch`."""

    def __init__(self, watch: Watch | None, *, tell_all: bool = False) -> None:
        self.seen: list[Load] = []
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
        self.stopped = self._watch is not None and not self._watch(self._status(core.tally))
        return not self.stopped

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
        counts, by_kind = _so_far(tally)
        lateness = _quantiles_ms(tally.lateness)
        return status._replace(counts=counts, errors_by_kind=by_kind, rows=rows, lateness=lateness)


def _quantiles_ms(histogram: Histogram) -> dict[float, float]:
    """The quantiles that are told while a play runs, in one pass; none of nothing."""
    ordered = sorted(histogram.counts.items())
    below = list(accumulate(count for _, count in ordered))
    if not below:
        return {}
    return {q: ordered[min(bisect_left(below, q * below[-1]), len(below) - 1)][0] / 1e3 for q in QUANTILES}


def _so_far(tally: Tally) -> tuple[dict[str, tuple[int, int]], Counter[tuple[str, str]]]:
    """Sent and answered calls by method, and errors by method and class, of both phases."""
    counts: dict[str, tuple[int, int]] = {}
    errors: Counter[tuple[str, str]] = Counter()
    for phase in (tally.ramp, tally):
        for method, series in phase.series.items():
            sent, answered = counts.get(method, (0, 0))
            counts[method] = (sent + series.sent, answered + series.answered)
            errors.update({(method, name): times for name, times in series.errors.items()})
    return counts, errors


def _affordable(job: PlayJob, nodes: int) -> tuple[Connections, list[str]]:
    """One connection a node only where the descriptors last; a pool otherwise, and a remark."""
    limit = raise_descriptor_limit() - _SPARE_DESCRIPTORS
    wanted = job.settings.connections
    if wanted.pool or nodes <= limit:
        return wanted, []
    pool = max(1, limit // max(1, len(job.plan.counts)))
    return Connections(pool, wanted.user), [
        f"{nodes} nodes share {pool} connections a type: this process may open {limit} descriptors"
    ]


def _path(schema: Schema, send: Send) -> str | None:
    """The path that a call names; None where it names none, or cannot be read."""
    try:
        return path_of(schema.decode_request(send.protocol, send.method, send.body))
    except InputError:
        return None


def _open_spool(job: PlayJob) -> BinaryIO | None:
    if job.record is Record.SUMMARY or job.spool is None:
        return None
    descriptor = os.open(job.spool, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    return os.fdopen(descriptor, "wb", buffering=1 << 20)


def connect(endpoint: Endpoint, client_id: bytes | None) -> ClientConnection:
    """The protocol machine of a connection.

    Args:
        client_id: of the connection that it replaces; None for a new one.
    """
    return ClientConnection(
        endpoint.protocol,
        client_id=client_id or uuid.uuid4().bytes,
        user=endpoint.user,
        real_user=endpoint.real_user,
        mechanisms=() if endpoint.token is None else (DigestMd5Client(endpoint.token, os.urandom(16)),),
    )
