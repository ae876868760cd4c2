"""`froude provision sweep`: plans over the multiples of the SLA: a curve, a roadmap, two designs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.base.progress import counting
from froude.base.summary import counted
from froude.cli.answers import Page
from froude.cli.numbers import ranged
from froude.cli.provision import common
from froude.cli.provision.common import Files
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.provision.search.compile import Point
    from froude.provision.search.solve_limits import SolveLimits
    from froude.provision.types import Problem
    from froude.render.answer import Answer


def sweep(
    ctx: typer.Context,
    files: Files,
    low: common.From = 0.1,
    high: common.To = 10.0,
    points: Annotated[
        int | None, typer.Option(help="How many, evenly spread in ratio [9; 25 of a roadmap].")
    ] = None,
    roadmap: Annotated[
        bool, typer.Option("--roadmap", help="Where the architecture changes, and the fewest changes.")
    ] = False,
    within: Annotated[str, typer.Option(help="Extra cost that the roadmap may have: 1% or 0.01.")] = "1%",
    tolerance: Annotated[float, typer.Option(help="Relative width of a boundary of the roadmap.")] = 0.01,
    other: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="FILE", help="Another design's files, to compare; repeatable."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="JSON",
            help="The figures [sweep.json, roadmap.json or compare.json].",
        ),
    ] = None,
    report: Page = None,
    baselines: Annotated[bool, typer.Option(help="Homogeneous clusters beside each point.")] = True,
    gap: Annotated[
        float | None,
        typer.Option(help="Largest gap of the bounds that counts as proved [0.01; 0.001 to compare]."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", help="For one plan [60; 10 to compare]."),
    ] = None,
) -> None:
    """Cost against SLA: plans at multiples of the SLA, beside clusters with one storage type.

    With --roadmap: over which loads which architecture is the cheapest, and the fewest changes that stay near it.
    With --with: two designs of an application, which costs less where, and by how much.

    Ends with 3 when a point is infeasible or its gap was not reached.

    Example: froude provision sweep photoshare-calibrated --from 0.01 --to 100 --report sweep.html
    """
    settings: Settings = ctx.obj
    view = _view({"--roadmap": roadmap, "--with": bool(other)})
    kind = {"--roadmap": "roadmap", "--with": "compare"}.get(view, "sweep")
    place = Path(f"{kind}.json") if output is None else output
    read = [*files, *(other or [])]
    common.claim(settings, read, results=(place, kind), report=report)
    close = view in {"--roadmap", "--with"}
    limits = common.limits(
        settings,
        (0.001 if close else 0.01) if gap is None else gap,
        (10.0 if close else 60.0) if time_limit is None else time_limit,
    )
    factors = common.factors(low, high, (25 if roadmap else 9) if points is None else points)
    allowance = common.share("--within", within)
    width = ranged("--tolerance", tolerance, 1e-6, 1.0)
    problem = common.problem(files)
    if view == "--roadmap":
        answer = _roadmap(settings, problem, factors, limits, (allowance, width))
    elif view == "--with":
        names = (" ".join(files), " ".join(other or []))
        designs = (problem, common.problem(other or []))
        answer = _compared(settings, names, designs, factors, limits)
    else:
        answer = _curve(settings, problem, factors, limits, baselines=baselines)
    common.finish(settings, answer, read, output=place, report=report)


def _view(asked: dict[str, bool]) -> str:
    """The flag that chooses what is shown; empty for the curve.

    Raises:
        InputError: two choose.
    """
    given = [flag for flag, wanted in asked.items() if wanted]
    if len(given) > 1:
        raise InputError("cannot be given together", place=", ".join(given), allowed="one of them")
    return given[0] if given else ""


def _curve(
    settings: Settings,
    problem: Problem,
    factors: Sequence[float],
    limits: SolveLimits,
    *,
    baselines: bool,
) -> Answer:
    from froude.provision.figures import sweep_report
    from froude.provision.search.compile import sweep as sweep_plans
    from froude.render.answer import Answer

    compiled: list[Point] = []
    interrupted = ""
    try:
        with settings.progress().task(f"compiling {counted(len(factors), 'load')}", len(factors)) as task:
            count = counting(task, _point_text)

            def done(point: Point) -> None:
                compiled.append(point)
                count(point)

            curve = sweep_plans(
                problem, factors, limits, baselines=baselines, workers=settings.workers, done=done
            )
    except KeyboardInterrupt:
        if not compiled:
            raise
        curve, interrupted = compiled, f"after {len(compiled)} of {counted(len(factors), 'load')}"
    content = {"points": _points(curve), **({"interrupted": interrupted} if interrupted else {})}
    missed = common.unproved([point.plan for point in curve])
    return Answer("sweep", content, partial(sweep_report, problem, curve), missed, interrupted)


def _point_text(point: Point) -> str:
    return f"load x{point.factor:.3g}: {point.plan.in_brief}"


def _points(points: Sequence[Point]) -> list[dict[str, Any]]:
    from froude.provision.inputs.plan_file import plan_document

    return [
        {
            "factor": point.factor,
            "plan": plan_document(point.plan),
            "baselines": {name: plan_document(plan) for name, plan in point.baselines.items()},
        }
        for point in points
    ]


def _roadmap(
    settings: Settings,
    problem: Problem,
    factors: Sequence[float],
    limits: SolveLimits,
    widths: tuple[float, float],
) -> Answer:
    from froude.provision.analyses.regimes import roadmap as find
    from froude.provision.figures.roadmaps import roadmap_report
    from froude.render.answer import Answer

    allowance, width = widths
    analysis = find(
        problem, factors, limits, allowance=allowance, tolerance=width, workers=settings.workers,
        progress=settings.progress(),
    )  # fmt: skip
    page = partial(roadmap_report, problem, analysis)
    missed = common.unproved([point.plan for point in analysis.points])
    return Answer("roadmap", common.found(analysis), page, missed)


def _compared(
    settings: Settings,
    names: tuple[str, str],
    designs: tuple[Problem, Problem],
    factors: Sequence[float],
    limits: SolveLimits,
) -> Answer:
    from froude.provision.analyses.designs import compare
    from froude.provision.figures.choices import comparison_report
    from froude.render.answer import Answer

    said = f"compiling both designs at {counted(len(factors), 'load')}"
    with settings.progress().task(said, 2 * len(factors)) as task:
        comparison = compare(
            *designs, factors, limits, workers=settings.workers,
            done=counting(task, lambda plan: plan.in_brief),
        )  # fmt: skip
    pairs, stretches = comparison.pairs, comparison.stretches
    value = {"first": names[0], "second": names[1], "pairs": pairs, "stretches": stretches}
    plans = [plan for pair in pairs for plan in (pair.first, pair.second)]
    page = partial(comparison_report, names, comparison)
    return Answer("compare", common.found(value), page, common.unproved(plans))
