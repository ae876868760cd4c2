"""`froude play`: a Plan against a real daemon → a Run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from froude.base.errors import InputError
from froude.base.units import parse_seconds
from froude.cli import inputs
from froude.cli.inputs import named
from froude.cli.numbers import finite
from froude.cli.outputs import Output, claim
from froude.cli.run_text import run_text
from froude.cli.settings import Settings
from froude.cli.terminal import visible
from froude.emulation.limits import MEASURES, parse_limit
from froude.emulation.pacing import FASTEST, SLOWEST, SLOWEST_RAMP, Pacing
from froude.emulation.recorder import Record
from froude.emulation.run_summary import summarise, summary_text
from froude.emulation.verdict import Colour
from froude.hadoop import background
from froude.hadoop.cluster_state import State
from froude.hadoop.target import parse_address
from froude.workload.plan import Plan, expected_s
from froude.workload.plan_file import read_plan

if TYPE_CHECKING:
    from froude.emulation.run import Run

EXIT_ERROR, EXIT_MISSED, EXIT_INTERRUPTED = 1, 3, 130


def play(  # the flags of one command
    ctx: typer.Context,
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan's folder, or its name here.")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]hdfs://HOST:PORT",
            help="Whom to play against [what `froude hadoop up` runs here]; repeat for each service that is called.",
        ),
    ] = None,
    target_is: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]ID",
            help="Its id (a NameNode's cluster id), for a daemon that Froude did not start; repeatable.",
        ),
    ] = None,
    http: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Its web address, to record its metrics as well.")
    ] = None,
    pacing: Annotated[
        Pacing | None,
        typer.Option(
            help="closed: clients wait for answers, as real ones do; scheduled: calls are due at planned times "
            "[scheduled, where service times were recorded]."
        ),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(
            min=SLOWEST,
            max=FASTEST,
            callback=finite,
            help="2 halves every recorded pause and, with scheduled pacing, every recorded service time.",
        ),
    ] = 1.0,
    ramp: Annotated[
        float,
        typer.Option(
            min=SLOWEST_RAMP,
            max=FASTEST,
            callback=finite,
            help="Emulated daemons, such as DataNodes, that begin in a second; and at most so many of the clients that "
            "ran beside each other.",
        ),
    ] = 1000.0,
    duration: Annotated[str | None, typer.Option(help="Longest time, for example '5 min'.")] = None,
    record: Annotated[Record, typer.Option(help="Calls to write down.")] = Record.SAMPLED,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="What the run must keep, such as 'p99(addBlock) < 50 ms' or 'error_rate < 1 %'; repeatable. "
            f"Of: {', '.join(MEASURES)}.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the run.")] = Path("run"),
) -> None:
    """Play a Plan against a real daemon → a Run.

    The NameNode of `froude hadoop up` in this workspace may be played on as it is, and is the target where none
    is named; any other needs its cluster id, and the cluster that was recorded is always refused. The verdict is
    green, amber or red, with its reasons; a red one, such as a limit that was not kept, ends with 3. The run's
    folder holds `run.json`, flat and stable, for scripts.

    Example: froude play plan
    """
    from froude.experiment.admission import check_targets
    from froude.experiment.play import play as play_plan
    from froude.experiment.playable import check_play

    settings: Settings = ctx.obj
    plan = inputs.place(settings, plan, "plan")
    claim(settings, [Output(output, "run", folder=True, keeps=True)], [plan])
    planned = read_plan(plan)  # before the target: without a plan there is nothing to start one for
    asked = _targets(settings, target, target_is, http)
    limits = [parse_limit(text) for text in limit or []]
    limit_s = None if duration is None else parse_seconds(duration, place="--duration")
    if settings.dry_run:
        with named(plan):
            check_play(planned, limits=limits, duration_s=limit_s, pacing=pacing, speed=speed, ramp=ramp)
            check_targets(asked.uris, planned.workload.recorded.source_ids, asked.ids)
        seconds = expected_s(planned, speed=speed, ramp_per_s=ramp)
        _would_play(settings, planned, list(asked.uris.values()), output, seconds)
        return
    with named(plan):
        run = play_plan(
            planned,
            asked.uris,
            record=record.value,
            pacing=pacing,
            speed=speed,
            ramp=ramp,
            duration=limit_s,
            seed=settings.seed,
            progress=settings.progress(),
            folder=output,
            target_is=asked.ids,
            http=asked.http,
            limits=[each.text for each in limits],
            command=settings.command,
        )
    _show(settings, run, output)


def _show(settings: Settings, run: Run, output: Path) -> None:
    """Print what happened.

    Raises:
        typer.Exit: the target failed, the play was interrupted, or its verdict is red.
    """
    settings.emit(summary_text(summarise(run)))
    settings.out(run_text(run))
    if run.failure is not None:
        print(visible(f"froude: {run.failure}"), file=sys.stderr)
        raise typer.Exit(EXIT_ERROR)
    if run.interrupted:
        settings.note(f"froude: interrupted; what was played is in {output}")
        raise typer.Exit(EXIT_INTERRUPTED)
    if run.verdict.colour is Colour.RED:
        raise typer.Exit(EXIT_MISSED)


def _would_play(
    settings: Settings, plan: Plan, where: list[str], output: Path, seconds: float | None
) -> None:
    settings.would(
        f"play on {', '.join(where)} into {output}",
        nodes=dict(plan.counts),
        playable=plan.playable,
        expected_s=seconds,
    )
    settings.out("\n".join(f"{count:>8,}  {name}" for name, count in plan.counts.items()))
    settings.out("Its nodes never end" if seconds is None else f"About {seconds:,.0f} s, with quick answers")


class _Targets(NamedTuple):
    """Whom to play against, as far as the command line and this workspace say."""

    uris: Mapping[str, str]
    """By service."""
    ids: Mapping[str, str]
    """Typed, or known of what runs here; by service."""
    http: tuple[str, int] | None


def _targets(
    settings: Settings, target: list[str] | None, target_is: list[str] | None, http: str | None
) -> _Targets:
    """The targets of the flags, or what runs in this workspace.

    Raises:
        InputError: no target, one that is no address, or a flag that is given twice for one service.
    """
    uris = _by_service(target or [_here(settings)], "--target")
    addresses = {service: parse_address(uri, place="--target") for service, uri in uris.items()}
    ours = {service: _ours(settings, address) for service, address in addresses.items()}
    ids = {service: state.cluster_id for service, state in ours.items() if state is not None}
    own_http = next((state.http for state in ours.values() if state is not None), None)
    return _Targets(uris, ids | _by_service(target_is or [], "--target-is"), _web(http or own_http))


def _here(settings: Settings) -> str:
    state = background.running(settings.workspace)
    if state is None:
        remedy = "Name one with --target, or start one: `froude hadoop up --datanodes 0`"
        raise InputError(
            "there is no target: nothing runs in this workspace", place="--target", remedy=remedy
        )
    return state.uri


def _ours(settings: Settings, address: tuple[str, int]) -> State | None:
    """What `froude hadoop up` runs in this workspace, where that is the target.

    The target must still say that it is this one: the guard compares.
    """
    state = background.running(settings.workspace)
    return state if state is not None and parse_address(state.uri, place="state") == address else None


def _by_service(texts: list[str], flag: str) -> dict[str, str]:
    """`[SERVICE=]VALUE` texts by service; the empty name stands for the only one.

    Args:
        texts: as given.
        flag: which, for the error.

    Raises:
        InputError: one service twice.
    """
    by_service: dict[str, str] = {}
    for text in texts:
        service, equals, value = text.rpartition("=")
        if (service if equals else "") in by_service:
            allowed = "one for each service, as SERVICE=VALUE"
            raise InputError("a service is given twice", place=flag, found=text, allowed=allowed)
        by_service[service if equals else ""] = value
    return by_service


def _web(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    host, colon, port = text.removeprefix("http://").rstrip("/").rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 1 << 16:
        raise InputError("not a web address", place="--http", found=text, allowed="HOST:PORT")
    return host, int(port)
