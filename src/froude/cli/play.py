"""`froude play`: a Plan against a real daemon → a Run."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.cli.settings import Settings
from froude.emulation.guard import parse_target
from froude.emulation.recorder import Record
from froude.emulation.run import Run
from froude.hadoop import background
from froude.workload.plan_file import read_plan

EXIT_ERROR, EXIT_MISSED, EXIT_INTERRUPTED = 1, 3, 130


def play(  # the flags of one command
    ctx: typer.Context,
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan's folder.")],
    target: Annotated[
        str | None, typer.Option(help="hdfs://HOST:PORT of the NameNode [what `froude hadoop up` runs here].")
    ] = None,
    target_is: Annotated[
        str | None, typer.Option(help="Its cluster id, for a NameNode that Froude did not start.")
    ] = None,
    http: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Its web address, to record its metrics as well.")
    ] = None,
    speed: Annotated[float, typer.Option(min=0.001, help="2 halves every recorded pause.")] = 1.0,
    duration: Annotated[str | None, typer.Option(help="Longest time, for example '5 min'.")] = None,
    record: Annotated[Record, typer.Option(help="Calls to write down.")] = Record.SAMPLED,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the run.")] = Path("run"),
) -> None:
    """Play a Plan against a real daemon → a Run.

    The NameNode of `froude hadoop up` in this workspace may be played on as it is, and is the target where none
    is named; any other needs its cluster id, and the cluster that was recorded is always refused. Ends with 3 if
    calls could not be sent as planned.

    Example: froude play plan --target hdfs://127.3.7.1:8020 --target-is CID-5cc9a6f4 -o run
    """
    settings: Settings = ctx.obj
    target = target or _here(settings)
    address = parse_target(target)
    made = read_plan(plan)
    if settings.dry_run:
        settings.would(f"play on {target} into {output}", nodes=dict(made.counts), playable=made.playable)
        settings.out("\n".join(f"{count:>8,}  {name}" for name, count in made.counts.items()))
        return
    if output.exists():
        raise InputError("already exists", file=output, remedy="Choose another folder with -o")
    from froude.experiment.play import play as play_plan

    ours = _ours(settings, address)
    run = play_plan(
        made,
        target,
        record=record.value,
        speed=speed,
        duration=duration,
        seed=settings.seed,
        progress=settings.progress(),
        folder=output,
        target_is=target_is or (ours.cluster_id if ours is not None else None),
        http=_web(http or (ours.http if ours is not None else None)),
    )
    settings.emit(_summary(run))
    settings.out(_text(run))
    if run.failure is not None:
        print(f"froude: {run.failure}", file=sys.stderr)
        raise typer.Exit(EXIT_ERROR)
    if run.interrupted:
        settings.note(f"froude: interrupted; what was played is in {output}")
        raise typer.Exit(EXIT_INTERRUPTED)
    if run.left_out:
        raise typer.Exit(EXIT_MISSED)


def _here(settings: Settings) -> str:
    state = background.running(settings.workspace)
    if state is None:
        remedy = "Name one with --target, or start one: `froude hadoop up --datanodes 0`"
        raise InputError(
            "there is no target: nothing runs in this workspace", place="--target", remedy=remedy
        )
    return state.uri


def _ours(settings: Settings, address: tuple[str, int]) -> background.State | None:
    """What `froude hadoop up` runs in this workspace, where that is the target.

    The target must still say that it is this one: the guard compares.
    """
    state = background.running(settings.workspace)
    return state if state is not None and parse_target(state.uri) == address else None


def _web(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    host, colon, port = text.removeprefix("http://").rstrip("/").rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise InputError("not a web address", place="--http", found=text, allowed="HOST:PORT")
    return host, int(port)


def _summary(run: Run) -> dict[str, object]:
    return {
        "bottleneck": str(run.bottleneck),
        "failure": run.failure,
        "elapsed_s": round(run.elapsed_s, 3),
        "calls_per_second": round(run.throughput(), 1),
        "lateness_p99_ms": run.lateness.p99_ms,
        "methods": {
            method: {"sent": sent, "answered": answered, **asdict(run.latency(method))}
            for method, (sent, answered) in run.counts.items()
        },
        "errors": run.errors,
        "left_out": run.left_out,
        "differences": None if run.differences is None else [asdict(one) for one in run.differences],
        "run": str(run.folder),
    }


def _left_out(run: Run) -> list[str]:
    """First of all what was never sent: figures are of less load than was asked for."""
    if not run.left_out:
        return []
    total = sum(run.left_out.values())
    lines = [
        f"NOT PLAYED AS PLANNED: {total:,} call{'s' if total > 1 else ''} never sent for want of an argument:"
    ]
    lines += [
        f"{times:>10,}  {what}" for what, times in sorted(run.left_out.items(), key=lambda pair: -pair[1])
    ]
    return [*lines, ""]


def _text(run: Run) -> str:
    lines = _left_out(run)
    lines += [f"Limited by {run.bottleneck}", ""]
    lines.append(f"{'method':<28}{'answered':>10}{'p50 ms':>10}{'p99 ms':>10}{'errors':>8}")
    for method, (_, answered) in run.counts.items():
        latency = run.latency(method)
        errors = sum(run.errors.get(method, {}).values())
        lines.append(f"{method:<28}{answered:>10,}{latency.p50_ms:>10.2f}{latency.p99_ms:>10.2f}{errors:>8,}")
    lines.append("")
    if run.differences is not None:
        lines += [f"{d.method}: sent {d.sent}, the target counted {d.counted}" for d in run.differences] or [
            "The target counted every call once."
        ]
    lines.append(f"Run written to {run.folder}")
    return "\n".join(lines)
