"""`froude extrapolate`: a Workload at a Scale → a Plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.cli.settings import Settings
from froude.workload.extrapolate import extrapolate as make_plan
from froude.workload.plan_file import plan_summary, write_plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import read_workload

EXIT_MISSED = 3


def extrapolate(
    ctx: typer.Context,
    workload: Annotated[Path, typer.Argument(metavar="WORKLOAD", help="The workload's YAML file.")],
    at: Annotated[
        list[str], typer.Option(metavar="NAME=QUANTITY", help="A scale variable; repeat for each.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the plan.")] = Path("plan"),
) -> None:
    """A Workload at a Scale → a Plan, with its refusals.

    Ends with 3 if the plan cannot be played.

    Example: froude extrapolate workload.yaml --at datanodes=200 --at clients=50 --at files=8 -o plan
    """
    settings: Settings = ctx.obj
    plan = make_plan(read_workload(workload), Scale.parse(at))
    if not settings.dry_run:
        write_plan(output, plan)
    settings.emit(plan_summary(plan))
    for name, count in plan.counts.items():
        settings.out(f"{count:>8,}  {name}")
    for refusal in plan.refusals:
        settings.out(f"{'refused' if refusal.fatal else 'note'}: {refusal.what}")
    written = "Nothing written" if settings.dry_run else f"Plan written to {output}"
    settings.out(written if plan.playable else f"{written}; it cannot be played")
    if not plan.playable:
        raise typer.Exit(EXIT_MISSED)
