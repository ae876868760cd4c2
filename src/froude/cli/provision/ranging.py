"""`froude provision roadmap | robustness | sensitivity | uncertainty`: what the answer hangs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.provision import common
from froude.cli.provision.common import Files, Limit, Output, Page, Scale, Tight
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.provision.analyses.inputs import Input
    from froude.provision.analyses.prices import Sensitivity
    from froude.provision.analyses.regimes import Roadmap
    from froude.provision.analyses.uncertainty import Distribution, Uncertainty
    from froude.provision.analyses.vary import Robustness, Swing
    from froude.provision.types import Problem

Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="PATH",
        help="Such as dataset.photos.size, unit.SSD.price, io.photoview.photos.record_size, or two joined "
        "by + that change in proportion; repeatable. Without it prices, sizes, loads and times.",
    ),
]


def roadmap(
    ctx: typer.Context,
    files: Files,
    low: common.From = 0.1,
    high: common.To = 10.0,
    points: common.Points = 25,
    within: Annotated[str, typer.Option(help="Extra cost that the roadmap may have: 1% or 0.01.")] = "1%",
    tolerance: Annotated[float, typer.Option(help="Relative width of a regime's boundary.")] = 0.01,
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.001,
    time_limit: Limit = 10.0,
) -> None:
    """Over which loads which architecture is the cheapest, and the fewest changes that stay near it.

    Ends with 3 when a point is infeasible or its gap was not reached.

    Example: froude provision roadmap photoshare-calibrated --from 0.1 --to 4 --within 1% --report roadmap.html
    """
    from froude.provision.analyses.regimes import roadmap as find
    from froude.provision.figures.roadmaps import roadmap_report

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "roadmap"), report=report)
    allowance = common.share("--within", within)
    width = common.ranged("--tolerance", tolerance, 1e-6, 1.0)
    factors = common.factors(low, high, points)
    problem, limits = common.problem(settings, files), common.limits(settings, gap, time_limit)
    with settings.progress().task("compiling"):
        analysis = find(
            problem, factors, limits, allowance=allowance, tolerance=width, workers=settings.workers
        )
    page = roadmap_report(problem, analysis, common.facts(settings, files))
    common.finish(settings, "roadmap", analysis, files=files, output=output, report=report, page=page)
    settings.out(_stages(analysis))
    common.end(settings, [point.plan for point in analysis.points])


def robustness(
    ctx: typer.Context,
    files: Files,
    inputs: Inputs = None,
    span: Annotated[float, typer.Option(help="Farthest factor up and down that is looked at.")] = 10.0,
    tolerance: Annotated[float, typer.Option(help="Relative width at which an edge is known.")] = 0.001,
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.0001,
    time_limit: Limit = 10.0,
    scale: Scale = 1.0,
) -> None:
    """How far each input may move before the cheapest cluster is built of other things, and of which.

    The storage types per dataset stay in a range; their counts may change. Ends with 3 when no cluster meets
    the SLA, or the gap was not reached.

    Example: froude provision robustness photoshare-calibrated --input unit.SSD.price --input "io.*.photos.record_size"
    """
    from froude.provision.analyses.vary import robustness as find
    from froude.provision.figures.ranges import robustness_report

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "robustness"), report=report)
    farthest = common.ranged("--span", span, 1.001, 1e6)
    width = common.ranged("--tolerance", tolerance, 1e-9, 1.0)
    problem = common.problem(settings, files, scale)
    limits, chosen = common.limits(settings, gap, time_limit), _inputs(problem, inputs)
    with settings.progress().task(f"moving {len(chosen)} inputs"):
        analysis = find(problem, chosen, limits, span=farthest, tolerance=width, workers=settings.workers)
    page = robustness_report(analysis, common.facts(settings, files))
    common.finish(settings, "robustness", analysis, files=files, output=output, report=report, page=page)
    settings.out(_ranges(analysis))
    common.end(settings, [analysis.plan])


def sensitivity(
    ctx: typer.Context,
    files: Files,
    inputs: Inputs = None,
    share: Annotated[str, typer.Option("--by", help="How far each input moves for the tornado.")] = "20%",
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.0001,
    time_limit: Limit = 10.0,
    scale: Scale = 1.0,
) -> None:
    """Which price moves which dataset, exactly; and what each input does to the cost when it moves alone.

    Ends with 3 when no cluster meets the SLA, or the gap was not reached.

    Example: froude provision sensitivity photoshare-calibrated --by 20% --report sensitivity.html
    """
    from froude.provision.analyses.documents import document
    from froude.provision.analyses.prices import price_sensitivity
    from froude.provision.analyses.vary import tornado
    from froude.provision.figures.ranges import sensitivity_report

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "sensitivity"), report=report)
    moved = common.share("--by", share)
    problem = common.problem(settings, files, scale)
    limits, chosen = common.limits(settings, gap, time_limit), _inputs(problem, inputs)
    with settings.progress().task("crossing prices"):
        analysis = price_sensitivity(problem, limits, workers=settings.workers)
    with settings.progress().task(f"moving {len(chosen)} inputs"):
        swings = tornado(problem, analysis.plan, chosen, limits, share=moved, workers=settings.workers)
    page = sensitivity_report(analysis, swings, moved, common.facts(settings, files))
    value = {**document(analysis), "tornado": document(swings)}
    common.finish(settings, "sensitivity", value, files=files, output=output, report=report, page=page)
    settings.out(_sensitivity(analysis, swings))
    common.end(settings, [analysis.plan])


def uncertainty(
    ctx: typer.Context,
    files: Files,
    inputs: Annotated[
        list[str],
        typer.Option(
            "--input",
            metavar="PATH=RANGE",
            help="150GB..250GB is uniform, 150GB..200GB..300GB triangular, 200GB*1.5 lognormal with median and "
            "factor; repeatable.",
        ),
    ],
    samples: Annotated[int, typer.Option(help="How many to draw.")] = 100,
    meet: Annotated[str, typer.Option(help="Share of the samples that a plan must sustain.")] = "95%",
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.01,
    time_limit: Limit = 10.0,
    scale: Scale = 1.0,
) -> None:
    """Inputs with ranges → how the cost is distributed, and the plan that is regretted least.

    Ends with 3 when no plan sustains the share of the samples asked for.

    Example: froude provision uncertainty photoshare-calibrated --input dataset.photos.size=150GB..250GB --seed 7
    """
    from froude.provision.analyses.uncertainty import uncertainty as find
    from froude.provision.figures.uncertain import uncertainty_report

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "uncertainty"), report=report)
    wanted = common.share("--meet", meet)
    number = round(common.ranged("--samples", samples, 2, 100_000))
    problem = common.problem(settings, files, scale)
    known = [_known(problem, text) for text in inputs]
    limits = common.limits(settings, gap, time_limit)
    with settings.progress().task(f"compiling {number} samples"):
        try:
            analysis = find(problem, known, limits, samples=number, wanted=wanted, workers=settings.workers)
        except ValueError as error:
            raise InputError(f"draws a value that may not be: {error}", place="--input") from error
    page = uncertainty_report(analysis, common.facts(settings, files))
    common.finish(settings, "uncertainty", analysis, files=files, output=output, report=report, page=page)
    settings.out(_uncertainty(analysis))
    if analysis.recommended is None or analysis.recommended.met < wanted:
        raise typer.Exit(common.EXIT_MISSED)


def _inputs(problem: Problem, paths: Sequence[str] | None) -> tuple[Input, ...]:
    from froude.provision.analyses.inputs import find_input, main_inputs

    return tuple(find_input(problem, path) for path in paths) if paths else main_inputs(problem)


def _known(problem: Problem, text: str) -> tuple[Input, Distribution]:
    """`PATH=RANGE` as an input and what is known of it."""
    from froude.provision.analyses.inputs import find_input
    from froude.provision.analyses.uncertainty import Lognormal, Triangular, Uniform

    path, equals, given = text.rpartition("=")
    if not equals:
        raise InputError("has no range", place="--input", found=text, allowed="PATH=LOW..HIGH")
    entry = find_input(problem, path)
    median, times, factor = given.partition("*")
    if times:
        return entry, Lognormal(_value(entry, median), _factor(factor))
    values = [_value(entry, part) for part in given.split("..")]
    if len(values) not in {2, 3} or sorted(values) != values:
        raise InputError("is no range", place=path, found=given, allowed="LOW..HIGH or LOW..MODE..HIGH")
    return entry, Uniform(*values) if len(values) == 2 else Triangular(*values)


def _value(entry: Input, text: str) -> float:
    from froude.provision.inputs.units import parse

    try:
        return parse(text, entry.dimension)
    except InputError as error:
        raise InputError(error.message, place=entry.path, found=error.found, allowed=error.allowed) from error


def _factor(text: str) -> float:
    try:
        return common.ranged("--input", float(text), 1.000001, 1e6)
    except ValueError as error:
        raise InputError("is no factor", place="--input", found=text, allowed="above 1") from error


def _stages(roadmap: Roadmap) -> str:
    regimes, stages = len(roadmap.regimes), len(roadmap.stages)
    head = f"{regimes} regime{'s' * (regimes != 1)}; "
    head += f"roadmap within {roadmap.within:.2%}: {stages} stage{'s' * (stages != 1)}"
    rows: list[Sequence[str]] = [("architecture", "SLA from", "to", "holds to", "extra")]
    for stage in roadmap.stages:
        ends = (f"{stage.first:.4g}", f"{stage.last:.4g}", f"{stage.until:.4g}")
        rows.append((str(stage.architecture), *ends, f"{stage.worst:.2%}"))
    optima: list[Sequence[str]] = [("cheapest architecture", "SLA from", "to", "cost there $", "proved")]
    for regime in roadmap.regimes:
        cost = f"{regime.first.plan.upper:,.2f}" if regime.architecture else "-"
        span = (f"{regime.first.factor:.4g}", f"{regime.last.factor:.4g}")
        sure = "yes" if regime.proved else "no"
        optima.append((str(regime.architecture or "no cluster"), *span, cost, sure))
    return f"{head}\n{aligned(rows)}\n\n{aligned(optima)}"


def _ranges(robustness: Robustness) -> str:
    from froude.provision.figures.ranges import amount, edge_text

    if robustness.architecture is None:
        return f"{robustness.plan.status.value}: no cluster was found"
    rows: list[Sequence[str]] = [("input", "value", "down to", "up to", "below", "above")]
    for span in robustness.ranges:
        values = [amount(span.input, value) for value in (span.input.value, span.low.stays, span.high.stays)]
        beyond = [edge_text(robustness.architecture, edge) for edge in (span.low, span.high)]
        rows.append((span.input.path, *values, *beyond))
    return f"{robustness.architecture}, ${robustness.plan.upper:,.2f}\n{aligned(rows)}"


def _sensitivity(sensitivity: Sensitivity, swings: Sequence[Swing]) -> str:
    if not sensitivity.plan.found:
        return f"{sensitivity.plan.status.value}: no cluster was found"
    rows: list[Sequence[str]] = [("to move", "the price of", "to $", "must drop by")]
    for drop in sensitivity.drops:
        if drop.crossing is None or drop.drop is None:
            rows.append((drop.dataset, drop.unit, "-", f"never: {drop.why}"))
        else:
            rows.append((drop.dataset, drop.unit, f"{drop.crossing.price:,.2f}", f"{drop.drop:.1%}"))
    moves: list[Sequence[str]] = [("input", "lower $", "higher $", "architecture")]
    cost = sensitivity.plan.upper
    for swing in swings:
        ends = [swing.change(plan, cost) for plan in (swing.low_plan, swing.high_plan)]
        texts = ["-" if end is None else f"{end:+,.2f}" for end in ends]
        moves.append((swing.input.path, texts[0], texts[1], "changes" if swing.moves else "stays"))
    return f"${cost:,.2f}\n{aligned(rows)}\n\n{aligned(moves)}"


def _uncertainty(uncertainty: Uncertainty) -> str:
    from froude.provision.analyses.uncertainty import QUANTILES
    from froude.provision.figures.uncertain import recommendation

    shown = (f"{share:.0%}: ${uncertainty.quantile(share) or 0:,.2f}" for share in QUANTILES)
    rows: list[Sequence[str]] = [("architecture", "cost $", "meets", "mean regret $", "worst $")]
    for candidate in uncertainty.candidates[:10]:
        regrets = ["-" if r is None else f"{r:,.2f}" for r in (candidate.mean_regret, candidate.worst_regret)]
        rows.append((str(candidate.architecture), f"{candidate.cost:,.2f}", f"{candidate.met:.1%}", *regrets))
    return (
        f"{recommendation(uncertainty)}\nCost of the optimum by quantile: {', '.join(shown)}\n{aligned(rows)}"
    )
