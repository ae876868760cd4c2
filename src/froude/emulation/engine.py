"""Has a plan played in a process of its own, so that players never share an interpreter with reports or samplers.

The parent hands a `PlayJob` to `python -m froude.emulation.player`, which does not import pyarrow, and gets
progress and the `PlayOutcome` back through a pipe. Of several players that process is the first, and speaks for all.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from froude.base.errors import FroudeError, TargetError
from froude.emulation.programs.events import Endpoint
from froude.emulation.programs.population import PlaySettings
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import IntervalRow, Served, Tally
from froude.emulation.settings import Record
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.sasl import DigestMd5Client
from froude.messages.schema import Schema
from froude.workload.plan import Plan

QUANTILES = (0.5, 0.9, 0.99, 1.0)
"""Shown of lateness while a play runs."""
MEASURE, DONE = b"m", b"d"
"""To a player, on its stdin: what it sends from now on is measured; the play ends, and is whole."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Players that were asked to come from other machines, and where the first process waits for them."""

    listener: int
    """Descriptor of a socket that listens; the process inherits it."""
    token: bytes
    """What shows that one was asked."""
    names: tuple[str, ...]
    """Of each, the worker that holds it."""


@dataclass(frozen=True, slots=True)
class PlayJob:
    """All a player process needs to know."""

    plan: Plan
    schema: Schema
    settings: PlaySettings
    """Targets, pacing, connections; its time of day is the player's own."""
    seed: int = 0
    duration_s: float | None = None
    measure_s: float | None = None
    """A sustained load ends when it was measured for so long; None for `duration_s` alone."""
    record: Record = Record.SUMMARY
    spool: Path | None = None
    """Where calls are written down; needed unless the record is a summary."""
    tell_all: bool = False
    """Whether each `Status` holds everything, which costs the player some milliseconds a second."""
    players: int = 1
    """The most processes that play; no more than there are nodes of the most numerous type."""
    crew: Crew | None = None
    """Players on other machines, which play instead; None where all are on this one."""


@dataclass(slots=True)
class PlayOutcome:
    """What a player process gives back."""

    tally: Tally
    begun_at_s: float
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
    players: int = 1
    partial: bool = False
    """Whether a player was lost, whose calls are not counted."""
    machine: str = ""
    """Which one the player ran on; empty for the one that plays are started on."""


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
    served: Mapping[str, Served] = {}
    """Service times by method up to the end of the last whole interval, also of the ramp."""
    failed: Mapping[str, int] = {}
    """Calls by method that failed so far, though they did not when they were recorded, also of the ramp."""
    overall: IntervalRow | None = None
    """Latencies of all calls in the last whole interval; None where none was answered."""


class Order(IntEnum):
    """What becomes of a play that is watched; true but for its end."""

    END = 0
    GO_ON = 1
    MEASURE = 2
    """What is sent from now on is measured: a sustained load is steady."""
    DONE = 3
    """The play ends, and what was played is a whole run: whoever watches it has seen enough."""


_COMMANDS: Mapping[int, bytes] = {Order.MEASURE: MEASURE, Order.DONE: DONE}

Watch = Callable[[Status], int]
"""Called once a second; gives an `Order`, or False to end the play and True to go on."""


def fresh_nonce() -> str:
    """A `nonce` for the settings of one play: eight random bytes, in hex."""
    return os.urandom(8).hex()


def play_apart(job: PlayJob, watch: Watch | None = None) -> PlayOutcome:
    """Play in a process of its own.

    Args:
        watch: called with what goes on; False, or an interrupt, ends the play, and what was played stays.

    Raises:
        FroudeError: what the player states.
        TargetError: the player process died.
        KeyboardInterrupt: it was interrupted before anything was played.
    """
    command = [sys.executable, "-m", "froude.emulation.player"]
    inherited = () if job.crew is None else (job.crew.listener,)
    # A group of its own: an interrupt from the terminal is ours to hear, and we close its stdin.
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0, pass_fds=inherited
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        pickle.dump(job, child.stdin, protocol=5)
        child.stdin.flush()
        outcome = _follow(child.stdin, child.stdout, watch)
    except BrokenPipeError:
        outcome = None
    finally:
        with suppress(BrokenPipeError):  # an order that a player which had ended did not read
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
    stopping, ordered = False, Order.GO_ON
    while True:
        try:
            report: object = pickle.load(answers)  # noqa: S301 - our own child process
            if isinstance(report, Status):
                order = Order.GO_ON if watch is None or stopping else watch(report)
                if (command := _COMMANDS.get(order)) and order != ordered:
                    ordered = Order(order)
                    with suppress(BrokenPipeError):  # it has ended meanwhile: its outcome is on the way
                        commands.write(command)
                        commands.flush()
                elif not order:
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
            if stopping:
                raise KeyboardInterrupt from None
            return None


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


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
