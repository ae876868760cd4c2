"""`froude provision compile | sweep | evaluate`: inputs → plans, and what a given cluster reaches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.documents import STAMP
from froude.base.errors import InputError
from froude.cli.outputs import Output, write
from froude.cli.provision import common
from froude.cli.provision.common import Files, Gap, Limit, Scale
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.workspace.migrate import Migrations

if TYPE_CHECKING:
    from froude.provision.search.compile import Point


SWEEP = Migrations("sweep", 1)


def compile_(
    ctx: typer.Context,
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="The plan, as JSON.")] = Path("plan.json"),
    bill_file: Annotated[
        Path | None, typer.Option("--bill", metavar="CSV", help="The bill of materials too.")
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="A page of it too.")] = None,
    gap: Gap = 0.01,
    time_limit: Limit = 60.0,
    scale: Scale = 1.0,
) -> None:
    """Inputs → the cheapest cluster that meets the SLA, with a bound on what any could cost.

    Ends with 3 when no cluster meets the SLA, or the gap was not reached.

    Example: froude provision compile photoshare-calibrated --bill bill.csv --report report.html
    """
    from froude.provision.check.bill import BILL_HEAD, bill, bill_csv
    from froude.provision.figures import plan_report
    from froude.provision.inputs.plan_file import plan_document, plan_json
    from froude.provision.search.compile import compile_plan
    from froude.provision.search.split import decided

    settings: Settings = ctx.obj
    bill_place = [] if bill_file is None else [Output(bill_file, "bill", mark=re.compile(BILL_HEAD))]
    common.claim(settings, files, results=(output, "cluster"), report=report, others=bill_place)
    problem = common.problem(settings, files, scale)
    with settings.progress().task("compiling"):
        plan = compile_plan(problem, common.limits(settings, gap, time_limit))
    problem = decided(problem, plan)
    wanted = [path for path in (output, bill_file, report) if path is not None]
    if settings.dry_run:
        settings.would("write " + ", ".join(map(str, wanted)), plan=plan_document(plan))
    else:
        how = common.origin(settings, files)
        texts = common.page_files(plan_report(problem, plan, common.facts(settings, files)), report, how)
        if bill_file is not None:
            texts[bill_file] = bill_csv(bill(problem, plan))
        text = plan_json(plan, how)
        write({**texts, output: text})
        settings.emit(text)
    settings.out(common.summary(problem, plan))
    common.end(settings, [plan])


def sweep(
    ctx: typer.Context,
    files: Files,
    low: common.From = 0.1,
    high: common.To = 10.0,
    points: common.Points = 9,
    output: Annotated[Path, typer.Option("-o", "--output", help="The plans, as JSON.")] = Path("sweep.json"),
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="A page of them too.")] = None,
    baselines: Annotated[bool, typer.Option(help="Homogeneous clusters beside each.")] = True,
    gap: Gap = 0.01,
    time_limit: Limit = 60.0,
) -> None:
    """Cost against SLA: plans at multiples of the SLA, beside clusters with one storage type.

    Ends with 3 when a point is infeasible or its gap was not reached.

    Example: froude provision sweep photoshare-calibrated --from 0.01 --to 100 --report sweep.html
    """
    from froude.provision.figures import sweep_report
    from froude.provision.search.compile import sweep as sweep_plans
    from froude.workspace.document import dump_sealed_figures

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "sweep"), report=report)
    factors = common.factors(low, high, points)
    problem = common.problem(settings, files)
    with settings.progress().task("compiling"):
        curve = sweep_plans(
            problem,
            factors,
            common.limits(settings, gap, time_limit),
            baselines=baselines,
            workers=settings.workers,
        )
    document = _sweep_document(curve)
    if settings.dry_run:
        settings.would(f"write {output}", **document)
    else:
        how = common.origin(settings, files)
        texts = common.page_files(sweep_report(problem, curve, common.facts(settings, files)), report, how)
        text = dump_sealed_figures(SWEEP, document, how)
        write({**texts, output: text})
        settings.emit(text)
    settings.out(_curve(curve))
    common.end(settings, [point.plan for point in curve])


def evaluate(
    ctx: typer.Context,
    files: Files,
    cluster: Annotated[Path, typer.Option(help="The cluster: a plan, or YAML that names its servers.")],
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="A page of it too.")] = None,
) -> None:
    """A cluster of yours → the fraction of the SLA that it meets, and its bottleneck.

    Ends with 3 when it meets less than all.

    Example: froude provision evaluate photoshare-calibrated --cluster plan.json
    """
    from froude.provision.check.checker import cost_of
    from froude.provision.check.evaluate import evaluate as evaluate_plan
    from froude.provision.figures import evaluation_section
    from froude.provision.inputs.plan_file import read_cluster
    from froude.provision.search.split import decided, undecided
    from froude.render import Report, Tone

    settings: Settings = ctx.obj
    common.claim(settings, [*files, cluster], report=report)
    problem = common.problem(settings, files)
    plan = read_cluster(cluster, problem)
    problem = decided(problem, plan)
    if undecided(problem) is not None:
        raise InputError(
            "split is missing", file=cluster, allowed="each phase's share of the batch job's time"
        )
    evaluation = evaluate_plan(problem, plan)
    cost = cost_of(problem, plan)
    limits = [{"constraint": limit.constraint, "weight": limit.weight} for limit in evaluation.limits]
    notes = list(evaluation.notes)
    settings.emit(
        {
            "fraction": evaluation.fraction,
            "met": evaluation.met,
            "cost": cost,
            "limits": limits,
            "notes": notes,
        }
    )
    settings.out(
        f"{evaluation.fraction:.1%} of the SLA, for ${cost:,.2f}; bottleneck: {evaluation.bottleneck}"
    )
    for note in notes:
        settings.note(note)
    tone = Tone.GOOD if evaluation.met else Tone.BAD
    page = Report(
        f"{evaluation.fraction:.1%} of the SLA", str(cluster), tone=tone, facts=common.facts(settings, files)
    )
    if not settings.dry_run:
        page = common.with_sections(page, evaluation_section(evaluation))
        write(common.page_files(page, report, common.origin(settings, [*files, cluster])))
    if not evaluation.met:
        raise typer.Exit(common.EXIT_MISSED)


def _curve(points: Sequence[Point]) -> str:
    rows = [("SLA", "cost $", "lower bound $", "gap", "servers", "storage")]
    for point in points:
        plan = point.plan
        if plan.found:
            stored = ", ".join(f"{name}: {' + '.join(units)}" for name, units in plan.choices.items())
            money = (f"{plan.upper:,.2f}", f"{plan.lower:,.2f}", f"{plan.gap:.2%}")
            rows.append((f"{point.factor:.4g}", *money, str(plan.servers), stored))
        else:
            why = "; ".join(map(str, plan.conflict))
            rows.append((f"{point.factor:.4g}", plan.status.value, "-", "-", "-", why))
    return aligned(rows)


def _sweep_document(points: Sequence[Point]) -> dict[str, Any]:
    from froude.provision.inputs.plan_file import plan_document

    return {
        STAMP: SWEEP.stamp,
        "points": [
            {
                "factor": point.factor,
                "plan": plan_document(point.plan),
                "baselines": {name: plan_document(plan) for name, plan in point.baselines.items()},
            }
            for point in points
        ],
    }
