"""`froude extrapolate`: a Workload at a Scale → a Plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.cli import inputs
from froude.cli.ending import Code, end
from froude.cli.flags import WorkloadFile
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.workload.extrapolate import extrapolate as make_plan
from froude.workload.plan_file import PARTS, plan_summary, write_plan
from froude.workload.scale import Scale


def extrapolate(
    ctx: typer.Context,
    workload: WorkloadFile,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=QUANTITY",
            help="A scale variable; repeat for each that was recorded: without it, they are named.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the plan.")] = Path("plan"),
) -> None:
    """A Workload at a Scale → a Plan, with its refusals.

    Ends with 3 if the plan is refused; such a plan never replaces one that stands there.

    Example: froude extrapolate workload.yaml --at datanodes=50 --at clients=20 --at files=40
    """
    settings: Settings = ctx.obj
    workload = inputs.place(settings, workload, "workload")
    claim(settings, [Output(output, "plan", folder=True, parts=PARTS)], [workload])
    scale = Scale.parse(at or [])
    opened = inputs.workload(settings, workload)
    with inputs.named(workload), settings.progress().task(f"planning {scale}"):
        plan = make_plan(opened.workload, scale)
    stays = plan.refused and output.exists()
    if not settings.dry_run and not stays:
        with settings.progress().task(f"writing {output}"):
            write_plan(output, plan, settings.origin([opened.content]), workload=opened)
    settings.emit(plan_summary(plan))
    for name, count in plan.counts.items():
        settings.out(f"{count:>8,}  {name}")
    for refusal in plan.refusals:
        settings.out(f"{'refused' if refusal.fatal else 'note'}: {refusal.what}")
    written = "Nothing written" if settings.dry_run or stays else f"Plan written to {output}"
    settings.out(written if plan.playable else f"{written}; it cannot be played")
    if plan.playable and not (settings.dry_run or stays):
        settings.out(f"Play it: froude play {output}")
    if stays:
        settings.out(f"The plan that stands in {output} stays as it is")
    if plan.refused:
        end(Code.MISSED)
