"""`froude provision`: hardware, application and SLA → the cheapest cluster, with a bound on what any could cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.base.files import atomic_write_text
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.provision.compile import Effort, Point
    from froude.provision.inputs.read import Parts
    from froude.provision.inputs.tree import FlawedInputError
    from froude.provision.plan import Plan
    from froude.provision.types import Problem
    from froude.render import Report

EXIT_ERROR, EXIT_MISSED = 1, 3

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Hardware, application and SLA → the cheapest cluster, with a proof.",
)

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="YAML or XML with resources, application, sla in any mix; or a shipped name: "
        "photoshare-calibrated, productsearch, terasort, paper2012.",
    ),
]
Gap = Annotated[float, typer.Option(help="Largest gap of the bounds that counts as proved.")]
Limit = Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="For one plan.")]
Scale = Annotated[float, typer.Option("--scale", help="The SLA's rates times this.")]


class Form(StrEnum):
    """What `convert` writes."""

    XML = "xml"
    YAML = "yaml"


@app.command(name="compile")
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
    from froude.provision.compile import compile_plan
    from froude.provision.figures import plan_report
    from froude.provision.plan_file import plan_document, plan_json
    from froude.provision.split import settled

    settings: Settings = ctx.obj
    _apart(output, bill_file, report)
    problem = _scaled(_problem(settings, files), scale)
    with settings.progress().task("compiling"):
        plan = compile_plan(problem, _effort(settings, gap, time_limit))
    problem = settled(problem, plan)
    wanted = [path for path in (output, bill_file, report) if path is not None]
    if settings.dry_run:
        settings.would("write " + ", ".join(map(str, wanted)), plan=plan_document(plan))
    else:
        atomic_write_text(output, plan_json(plan))
        _write_bill(bill_file, problem, plan)
        _save(report, plan_report(problem, plan, _facts(settings, files)))
        settings.emit(plan_document(plan))
    settings.out(_told(problem, plan))
    _end(settings, [plan])


@app.command()
def sweep(
    ctx: typer.Context,
    files: Files,
    low: Annotated[float, typer.Option("--from", help="Smallest multiple of the SLA.")] = 0.1,
    high: Annotated[float, typer.Option("--to", help="Largest.")] = 10.0,
    points: Annotated[int, typer.Option(help="How many, evenly spread in ratio.")] = 9,
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
    import json

    from froude.provision.compile import sweep as sweep_plans
    from froude.provision.figures import sweep_report

    settings: Settings = ctx.obj
    _apart(output, report)
    factors = _factors(low, high, points)
    problem = _problem(settings, files)
    with settings.progress().task("compiling"):
        found = sweep_plans(
            problem,
            factors,
            _effort(settings, gap, time_limit),
            baselines=baselines,
            workers=settings.workers,
        )
    document = _sweep_document(found)
    if settings.dry_run:
        settings.would(f"write {output}", **document)
    else:
        atomic_write_text(output, json.dumps(document, indent=2) + "\n")
        _save(report, sweep_report(problem, found, _facts(settings, files)))
        settings.emit(document)
    settings.out(_curve(found))
    _end(settings, [point.plan for point in found])


@app.command()
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
    from froude.provision.checker import cost_of
    from froude.provision.evaluate import evaluate as evaluate_plan
    from froude.provision.figures import evaluation_section
    from froude.provision.plan_file import read_cluster
    from froude.provision.split import settled, undecided
    from froude.render import Report, Tone

    settings: Settings = ctx.obj
    problem = _problem(settings, files)
    plan = read_cluster(cluster, problem)
    problem = settled(problem, plan)
    if undecided(problem) is not None:
        raise InputError(
            "split is missing", file=cluster, allowed="each phase's share of the batch job's time"
        )
    found = evaluate_plan(problem, plan)
    cost = cost_of(problem, plan.groups)
    limits = [{"constraint": limit.constraint, "weight": limit.weight} for limit in found.limits]
    settings.emit({"fraction": found.fraction, "met": found.met, "cost": cost, "limits": limits})
    settings.out(f"{found.fraction:.1%} of the SLA, for ${cost:,.2f}; bottleneck: {found.bottleneck}")
    tone = Tone.GOOD if found.met else Tone.BAD
    page = Report(f"{found.fraction:.1%} of the SLA", str(cluster), tone=tone, facts=_facts(settings, files))
    if not settings.dry_run:
        _save(report, _with(page, evaluation_section(found)))
    if not found.met:
        raise typer.Exit(EXIT_MISSED)


@app.command()
def validate(ctx: typer.Context, files: Files) -> None:
    """All errors of the inputs at once, each with file, line and field; ends with 3 when there are any.

    Example: froude provision validate hardware.xml application.xml sla.xml
    """
    from froude.provision.inputs.read import read_parts
    from froude.provision.inputs.tree import FlawedInputError

    settings: Settings = ctx.obj
    try:
        parts = read_parts(files)
    except FlawedInputError as error:
        _tell(settings, error)
        raise typer.Exit(EXIT_MISSED) from error
    warnings = _warnings(parts)
    settings.emit({"errors": [], "warnings": warnings, "found": _found(parts)})
    for warning in warnings:
        settings.note(f"note: {warning}")
    settings.out(f"No errors; found {', '.join(_found(parts)) or 'nothing'}")


@app.command()
def convert(
    ctx: typer.Context,
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="A .xml or .yaml file.")],
    form: Annotated[Form | None, typer.Option(help="What to write [by the suffix].")] = None,
) -> None:
    """Inputs in one form → one file in the other; same names, same numbers.

    Example: froude provision convert hardware.xml application.xml sla.xml -o photoshare.yaml
    """
    from froude.provision.inputs.read import read_parts
    from froude.provision.inputs.tree import FlawedInputError
    from froude.provision.inputs.write import to_xml, to_yaml

    settings: Settings = ctx.obj
    suffixes = {".xml": Form.XML, ".yaml": Form.YAML, ".yml": Form.YAML}
    wanted = form or suffixes.get(output.suffix)
    if wanted is None:
        raise InputError("has no suffix that tells its form", file=output, allowed=".xml, .yaml, or --form")
    try:
        parts = read_parts(files)
    except FlawedInputError as error:
        _tell(settings, error)
        raise typer.Exit(EXIT_ERROR) from error
    if settings.dry_run:
        settings.would(f"write {output}")
        return
    atomic_write_text(output, to_xml(parts) if wanted is Form.XML else to_yaml(parts))
    settings.emit({"output": str(output), "form": wanted.value, "found": _found(parts)})
    settings.out(f"{', '.join(_found(parts))} written to {output}")


def _problem(settings: Settings, files: Sequence[str]) -> Problem:
    """The inputs, or every error of them and the end."""
    from froude.provision.inputs.read import read_problem
    from froude.provision.inputs.tree import FlawedInputError

    try:
        return read_problem(files)
    except FlawedInputError as error:
        _tell(settings, error)
        raise typer.Exit(EXIT_ERROR) from error


def _tell(settings: Settings, error: FlawedInputError) -> None:
    settings.emit({"errors": [flaw.error().parts() for flaw in error.flaws]})
    for flaw in error.flaws:
        print(f"froude: {flaw}", file=sys.stderr)


def _apart(*outputs: Path | None) -> None:
    """Refuse two outputs in one place; a page's figures stand beside it as .json."""
    places = [path for path in outputs if path is not None]
    places += [path.with_suffix(".json") for path in outputs[-1:] if path is not None]
    for path in places:
        if places.count(path) > 1:
            raise InputError("is the place of two outputs", file=path, allowed="another name for one of them")


def _scaled(problem: Problem, scale: float) -> Problem:
    from dataclasses import replace

    if not 0 <= scale <= 1e12:
        raise InputError("is out of range", place="--scale", found=scale, allowed="0 to 1e12")
    return problem if scale == 1 else replace(problem, sla=problem.sla.scaled(scale))


def _effort(settings: Settings, gap: float, time_limit: float) -> Effort:
    from froude.provision.compile import Effort

    if not 0 <= gap < 1:
        raise InputError("is out of range", place="--gap", found=gap, allowed="0 to below 1")
    if not 0 < time_limit <= 1e7:
        raise InputError("is out of range", place="--time-limit", found=time_limit, allowed="above 0 s")
    return Effort(gap, time_limit, settings.seed)


def _factors(low: float, high: float, points: int) -> list[float]:
    if not 0 < low <= high <= 1e12:
        raise InputError(
            "is no range", place="--from, --to", found=f"{low:g} to {high:g}", allowed="0 < A <= B"
        )
    if not 1 <= points <= 10_000:
        raise InputError("is out of range", place="--points", found=points, allowed="1 to 10000")
    if points == 1:
        return [low]
    return [low * (high / low) ** (number / (points - 1)) for number in range(points)]


def _facts(settings: Settings, files: Sequence[str]) -> dict[str, str]:
    from froude.base.version import __version__

    return {"Inputs": ", ".join(files), "Seed": str(settings.seed), "Froude": __version__}


def _write_bill(path: Path | None, problem: Problem, plan: Plan) -> None:
    from froude.provision.bill import bill, bill_csv

    if path is not None:
        atomic_write_text(path, bill_csv(bill(problem, plan)))


def _save(path: Path | None, page: Report) -> None:
    from froude.render import save

    if path is not None:
        save(page, path)


def _with(page: Report, *sections: Any) -> Report:
    from dataclasses import replace

    return replace(page, sections=sections)


def _told(problem: Problem, plan: Plan) -> str:
    """A plan for people."""
    from froude.provision.bill import bill

    if not plan.groups:
        why = "\n".join(f"  {conflict}" for conflict in plan.conflict)
        return f"{plan.status.value}: no cluster was found\n{why}".rstrip()
    rows = [("item", "quantity", "each $", "total $")]
    for line in bill(problem, plan):
        each = line.price + line.energy
        rows.append((line.item, str(line.quantity), f"{each:,.2f}", f"{line.total:,.2f}"))
    stored = "\n".join(f"  {name}: {' + '.join(units)}" for name, units in plan.choices.items())
    head = f"${plan.upper:,.2f}, {plan.status.value}; no cluster costs less than ${plan.lower:,.2f}"
    return f"{head} (gap {plan.gap:.2%})\n{stored}\n{aligned(rows)}"


def _curve(points: Sequence[Point]) -> str:
    rows = [("SLA", "cost $", "lower bound $", "gap", "servers", "storage")]
    for point in points:
        plan = point.plan
        if plan.groups:
            stored = ", ".join(f"{name}: {' + '.join(units)}" for name, units in plan.choices.items())
            money = (f"{plan.upper:,.2f}", f"{plan.lower:,.2f}", f"{plan.gap:.2%}")
            rows.append((f"{point.factor:.4g}", *money, str(plan.servers), stored))
        else:
            why = "; ".join(map(str, plan.conflict))
            rows.append((f"{point.factor:.4g}", plan.status.value, "-", "-", "-", why))
    return aligned(rows)


def _sweep_document(points: Sequence[Point]) -> dict[str, Any]:
    from froude.provision.plan_file import plan_document

    return {
        "froude": "sweep/1",
        "points": [
            {
                "factor": point.factor,
                "plan": plan_document(point.plan),
                "baselines": {name: plan_document(plan) for name, plan in point.baselines.items()},
            }
            for point in points
        ],
    }


def _end(settings: Settings, plans: Sequence[Plan]) -> None:
    """Exit with 3 unless every plan is proved."""
    from froude.provision.plan import Status

    missed = [plan for plan in plans if plan.status is not Status.PROVED]
    if missed:
        settings.note(f"{len(missed)} of {len(plans)} not proved: {missed[0].status.value}")
        raise typer.Exit(EXIT_MISSED)


def _found(parts: Parts) -> list[str]:
    named = {"resources": parts.catalog, "application": parts.application, "sla": parts.sla}
    return [name for name, part in named.items() if part is not None]


def _warnings(parts: Parts) -> list[str]:
    """What is allowed and rarely meant."""
    found = []
    if parts.options.peak_utilization == 1:
        found.append("peak_utilization is 1: storage has no headroom at the SLA's peak")
    if (
        parts.application
        and not parts.application.host_cores
        and any(d.remote for d in parts.application.datasets)
    ):
        found.append("no host element: storage servers need no cores and no memory of their own")
    return found
