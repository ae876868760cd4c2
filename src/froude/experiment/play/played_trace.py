"""The calls that a player wrote down, as a Trace: what a capture of the same play would show."""

from __future__ import annotations

from pathlib import Path

from froude.base.seeds import Seeds
from froude.emulation.channel import PlayedCall
from froude.emulation.engine import PlayJob, PlayOutcome
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.emulation.recorder import read_spool, spool_of
from froude.emulation.run.run import Run
from froude.emulation.settings import Record
from froude.trace.types import Call, Fidelity, Status, Trace, TraceMeta


def trace_of(spool: Path, run: Run, outcome: PlayOutcome, job: PlayJob) -> Trace:
    """The Trace of a play.

    Args:
        spool: what the player wrote, or the first of several.
        outcome: says when it began on the player's clock.

    Raises:
        InputError: the spool is damaged at its beginning.
    """
    population = populate(job.plan, job.schema, seeds=Seeds(job.seed), settings=job.settings)
    players = outcome.players
    spools = {player: spool_of(spool, player) for player in range(players)}
    # Each player numbers its connections by itself. One that was lost on another machine has sent no spool.
    played = (
        _call(each._replace(channel=each.channel * players + player), outcome.begun_s, population)
        for player, path in spools.items()
        if path.exists()
        for each in read_spool(path)
    )
    calls = sorted(played, key=lambda call: call.start_s)
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


def _call(played: PlayedCall, begun_s: float, population: Population) -> Call:
    endpoint = population.endpoint(played.node, played.protocol, played.service)
    status = Status.SUCCESS if played.error is None else Status.ERROR
    if played.answered_s is None:
        status = Status.UNANSWERED
    return Call(
        start_s=played.sent_s - begun_s,
        duration_s=None if played.answered_s is None else played.answered_s - played.sent_s,
        connection=played.channel,
        peer=endpoint.source or "127.0.0.1",
        client_id=population.client_id(played.node),
        call_id=played.call_id,
        retry=played.retry,
        user=endpoint.user,
        real_user=endpoint.real_user,
        caller_context=population.caller_context(played.node),
        protocol=played.protocol,
        method=played.method,
        request=played.request,
        response=played.response,
        status=status,
        error=played.error if status is Status.ERROR else None,
        error_message=played.message if status is Status.ERROR else None,
        target=endpoint.target,
    )
