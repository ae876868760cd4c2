"""The calls that a player wrote down, as a Trace: what a capture of the same play would show."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from froude.base.seeds import Seeds
from froude.emulation.core import PlayedCall
from froude.emulation.engine import Job, Outcome
from froude.emulation.population import Troupe
from froude.emulation.programs.cast import Cast
from froude.emulation.recorder import Record, read_spool
from froude.emulation.run import Run
from froude.trace.redact import Redactor
from froude.trace.types import Call, Fidelity, Status, Trace, TraceMeta


def trace_of(spool: Path, run: Run, outcome: Outcome, job: Job) -> Trace:
    """The Trace of a play.

    Args:
        spool: what the player wrote.
        run: the play's run.
        outcome: says when it began on the player's clock.
        job: what was played.

    Raises:
        InputError: the spool is damaged at its beginning.
    """
    cast = Cast(job.plan, job.schema, seeds=Seeds(job.seed), speed=job.speed, fleet=job.fleet)
    troupe = Troupe(cast, job.connections)
    calls = sorted(_calls(spool, outcome.begun_s, job, troupe), key=lambda call: call.start_s)
    note = {"played": "the first three nodes of each type and one in twenty others"}
    meta = TraceMeta(
        scale=dict(job.plan.scale),
        started_at_s=run.begun_at_s,
        source_id=run.target_id,
        release=job.plan.workload.recorded.release,
        fidelity=Fidelity(),
        notes=note if job.record is Record.SAMPLED else {},
    )
    return Trace(meta, job.schema, calls)


def _calls(spool: Path, begun_s: float, job: Job, troupe: Troupe) -> Iterator[Call]:
    redactor = Redactor(job.schema, os.urandom(32))
    for played in read_spool(spool):
        yield _call(played, begun_s, troupe, redactor)


def _call(played: PlayedCall, begun_s: float, troupe: Troupe, redactor: Redactor) -> Call:
    endpoint = troupe.endpoint(played.node, played.protocol)
    status = Status.SUCCESS if played.response is not None else Status.ERROR
    if played.answered_s is None:
        status = Status.UNANSWERED
    response = played.response
    return Call(
        start_s=played.sent_s - begun_s,
        duration_s=None if played.answered_s is None else played.answered_s - played.sent_s,
        connection=played.channel,
        peer=endpoint.source or "127.0.0.1",
        client_id=troupe.client_id(played.node),
        call_id=played.call_id,
        retry=0,
        user=endpoint.user,
        real_user=None,
        caller_context=troupe.caller_context(played.node),
        protocol=played.protocol,
        method=played.method,
        request=redactor.request(played.protocol, played.method, played.request),
        response=None if response is None else redactor.response(played.protocol, played.method, response),
        status=status,
        error=played.error if status is Status.ERROR else None,
        error_message=played.message if status is Status.ERROR else None,
    )
