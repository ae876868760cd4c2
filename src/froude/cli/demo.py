"""`froude demo`: the whole chain, small, on a real NameNode."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.cli.ending import Code, end
from froude.cli.settings import Settings
from froude.emulation.run.verdict import Colour

if TYPE_CHECKING:
    from froude.documents.artifact import Origin
    from froude.experiment.main_job import MainJob


def demo(
    ctx: typer.Context,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder of all it makes [froude-demo].")
    ] = None,
    release: Annotated[str | None, typer.Option(help="Hadoop release to fetch and start.")] = None,
) -> None:
    """The whole chain, small, on a real NameNode that Froude fetches and starts.

    Records real clients on 2, 3 and 4 DataNodes, mines the pattern, predicts 6 DataNodes and 5 clients,
    checks that against a real run, plays 50 clients on 200 emulated DataNodes, raises the load until a limit
    breaks, and writes a report.

    Example: froude demo -o /tmp/froude-demo
    """
    from froude.documents.store import Workspace
    from froude.experiment.figures.main_job import main_job_report
    from froude.experiment.main_job import run_main_job
    from froude.experiment.record.jobs import DEMO
    from froude.hadoop.cluster.cds_build import prepare
    from froude.hadoop.release.distribution import Hadoop
    from froude.render import save

    settings: Settings = ctx.obj
    begun = time.monotonic()
    folder = output or (
        settings.workspace if (settings.workspace / "froude.toml").is_file() else Path("froude-demo")
    )
    if settings.dry_run:
        scales = "; ".join(str(scale) for scale in (*DEMO.train, DEMO.held_out))
        settings.would(f"record {scales}, play {DEMO.play}, and keep everything in {folder}")
        return
    workspace = Workspace(folder)
    progress = settings.progress()
    hadoop = Hadoop.find(release, progress=progress)
    prepare(hadoop, progress)
    done = run_main_job(
        DEMO, workspace, hadoop, progress=progress, seed=settings.seed, command=settings.command
    )
    with progress.task("write the report"):
        html, _ = save(
            main_job_report(done), workspace.new("report", suffix=".html"), origin=_origin(settings, done)
        )
    figures = {**_figures(done), "seconds": time.monotonic() - begun, "report": str(html)}
    settings.emit(figures)
    width = max(map(len, figures))
    for name, value in figures.items():
        settings.out(f"{name:<{width}}  {_text(name, value)}")
    if done.run.failure is not None:
        end(Code.ERROR, str(done.run.failure))
    if done.run.verdict.colour is Colour.RED:
        settings.note(f"froude: {done.run.verdict}")
        end(Code.MISSED)


def _origin(settings: Settings, done: MainJob) -> Origin:
    """What the report shows: the mined workload and the run."""
    from froude.documents.lineage import content_of

    shown = [done.workload_path, *([done.run.folder] if done.run.folder is not None else [])]
    return settings.origin([content_of(path) for path in shown], seeded=True)


def _figures(done: MainJob) -> dict[str, float | str | None]:
    latency = done.run.latency()
    return {
        "nodes whose call sequence was predicted exactly": done.prediction.sequence_share,
        "logical arguments predicted": done.prediction.row("logical").share,
        "all arguments predicted": done.prediction.row("all").share,
        "emulated nodes": sum(done.run.nodes.values()),
        "calls answered": done.run.answered(),
        "verdict": str(done.run.verdict),
        "calls failed": done.run.failed.total(),
        "calls left out": sum(done.run.left_out.values()),
        "p50 ms": latency.p50_ms,
        "p99 ms": latency.p99_ms,
        "limited by": str(done.run.bottleneck),
        **({} if done.knee is None else {"how far": done.knee.answer}),
    }


def _text(name: str, value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2%}" if "predicted" in name else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
