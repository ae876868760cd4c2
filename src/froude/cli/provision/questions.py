"""`froude provision vary | why-not`: what the answer hangs on, and what else there is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.progress import counting
from froude.base.summary import counted
from froude.cli import numbers
from froude.cli.answers import Output, Page
from froude.cli.provision import common
from froude.cli.provision.common import Files, Limit, Scale, Tight
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.provision.analyses.inputs import Input
    from froude.provision.analyses.uncertainty import Distribution
    from froude.provision.search.solve_limits import SolveLimits
    from froude.provision.types import Problem
    from froude.provision.types.plan import ProvisionPlan
    from froude.render.answer import Answer


def vary(
    ctx: typer.Context,
    files: Files,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="PATH[=RANGE]",
            help="Such as dataset.photos.size, unit.SSD.price, io.photoview.photos.record_size, or two joined by + "
            "that change in proportion; repeatable. Without it prices, sizes, loads and times. Ranges: "
            "150GB..250GB is uniform, 150GB..200GB..300GB triangular, 200GB*1.5 lognormal with median and factor.",
        ),
    ] = None,
    share: Annotated[
        str | None, typer.Option("--by", metavar="SHARE", help="Move each input so far both ways, as 20%.")
    ] = None,
    span: Annotated[float, typer.Option(help="Farthest factor up and down that is looked at.")] = 10.0,
    tolerance: Annotated[float, typer.Option(help="Relative width at which an edge is known.")] = 0.001,
    samples: Annotated[int, typer.Option(help="Of the ranges: how many to draw.")] = 100,
    meet: Annotated[str, typer.Option(help="Share of the samples that a plan must sustain.")] = "95%",
    output: Output = None,
    report: Page = None,
    gap: Annotated[
        float | None,
        typer.Option(help="Largest gap of the bounds that counts as proved [0.0001; 0.01 with ranges]."),
    ] = None,
    time_limit: Limit = 10.0,
    scale: Scale = 1.0,
) -> None:
    """How far each input may move before the cheapest cluster is built of other things, and of which.

    The storage types per dataset stay in a range; their counts may change. With --by: what each input does to the
    cost when it moves alone, and which price moves which dataset, exactly. With ranges: how the cost is distributed
    when all of them are uncertain at once, and the plan that is regretted least.

    Ends with 3 when no cluster meets the SLA, the gap was not reached, or no plan sustains enough samples.

    Example: froude provision vary photoshare-calibrated --input unit.SSD.price --input "io.*.photos.record_size"
    """
    settings: Settings = ctx.obj
    ranged = [text for text in inputs or () if "=" in text]
    if ranged and (share is not None or len(ranged) < len(inputs or ())):
        bare = next((text for text in inputs or () if "=" not in text), None)
        place = "--input" if bare else "--by, --input PATH=RANGE"
        raise InputError("has no range" if bare else "cannot be given together", place=place, found=bare)
    kind = "uncertainty" if ranged else "robustness" if share is None else "sensitivity"
    common.claim(settings, files, results=(output, kind), report=report)
    moved = common.share("--by", share or "20%")
    farthest = numbers.ranged("--span", span, 1.001, 1e6)
    width = numbers.ranged("--tolerance", tolerance, 1e-9, 1.0)
    wanted = common.share("--meet", meet)
    number = round(numbers.ranged("--samples", samples, 2, 100_000))
    problem = common.problem(files, scale)
    limits = common.limits(settings, (0.01 if ranged else 1e-4) if gap is None else gap, time_limit)
    if ranged:
        answer = _uncertain(settings, problem, ranged, limits, (number, wanted))
    elif share is None:
        chosen = chosen_inputs(problem, inputs)
        answer = _robust(settings, problem, chosen, limits, (farthest, width))
    else:
        answer = _swings(settings, problem, chosen_inputs(problem, inputs), limits, moved)
    common.finish(settings, answer, files, output=output, report=report)


def _robust(
    settings: Settings,
    problem: Problem,
    chosen: Sequence[Input],
    limits: SolveLimits,
    widths: tuple[float, float],
) -> Answer:
    from froude.provision.analyses.vary import robustness
    from froude.provision.figures.ranges import robustness_report
    from froude.render.answer import Answer

    span, tolerance = widths
    moving = f"how far {counted(len(chosen), 'input')} may move"
    with settings.progress().task(moving, 2 * len(chosen)) as task:
        analysis = robustness(
            problem, chosen, limits, span=span, tolerance=tolerance, workers=settings.workers,
            done=counting(task, lambda edge: f"the last one to {edge.stays:.4g}"),
        )  # fmt: skip
    page = partial(robustness_report, analysis)
    return Answer("robustness", common.found(analysis), page, common.unproved([analysis.plan]))


def _swings(
    settings: Settings,
    problem: Problem,
    chosen: Sequence[Input],
    limits: SolveLimits,
    share: float,
) -> Answer:
    from froude.provision.analyses import prices
    from froude.provision.analyses.documents import document
    from froude.provision.analyses.vary import tornado
    from froude.provision.figures.ranges import sensitivity_report
    from froude.render.answer import Answer

    progress = settings.progress()
    analysis = prices.price_sensitivity(problem, limits, workers=settings.workers, progress=progress)
    with progress.task(f"moving {counted(len(chosen), 'input')}", 2 * len(chosen)) as task:
        swings = tornado(
            problem, analysis.plan, chosen, limits, share=share, workers=settings.workers,
            done=counting(task, lambda plan: plan.in_brief),
        )  # fmt: skip
    value = {"found": {**document(analysis), "tornado": document(swings)}}
    page = partial(sensitivity_report, analysis, swings, share)
    return Answer("sensitivity", value, page, common.unproved([analysis.plan]))


def _uncertain(
    settings: Settings,
    problem: Problem,
    ranges: Sequence[str],
    limits: SolveLimits,
    drawn: tuple[int, float],
) -> Answer:
    from froude.provision.analyses import uncertainty
    from froude.provision.figures.uncertain import uncertainty_report
    from froude.render.answer import Answer

    number, wanted = drawn
    known = [known_input(problem, text) for text in ranges]
    try:
        analysis = uncertainty.uncertainty(
            problem, known, limits, samples=number, wanted=wanted, workers=settings.workers,
            progress=settings.progress(),
        )  # fmt: skip
    except ValueError as error:
        raise InputError(f"draws a value that may not be: {error}", place="--input") from error
    best = analysis.recommended
    met = best is not None and best.met >= wanted
    page = partial(uncertainty_report, analysis)
    return Answer("uncertainty", common.found(analysis), page, None if met else "")


def chosen_inputs(problem: Problem, paths: Sequence[str] | None) -> tuple[Input, ...]:
    """The inputs asked for; the main ones where none is.

    Args:
        paths: their names, in the order in which they were asked for.
    """
    from froude.provision.analyses.inputs import find_input, main_inputs

    return tuple(find_input(problem, path) for path in paths) if paths else main_inputs(problem)


def known_input(problem: Problem, text: str) -> tuple[Input, Distribution]:
    """`PATH=RANGE` as an input and what is known of it.

    Args:
        text: as the user wrote it.

    Raises:
        InputError: no such input, or no range.
    """
    from froude.provision.analyses.inputs import find_input
    from froude.provision.analyses.uncertainty import Lognormal, Triangular, Uniform

    path, _, given = text.rpartition("=")
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
        return numbers.ranged("--input", float(text), 1.000001, 1e6)
    except ValueError as error:
        raise InputError("is no factor", place="--input", found=text, allowed="above 1") from error


def why_not(
    ctx: typer.Context,
    files: Files,
    dataset: Annotated[str, typer.Option(help="Of the application.")],
    choice: Annotated[
        str | None, typer.Option(help="Unit names, the cache second: `SSD + DRAM`. Without it, every one.")
    ] = None,
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.0001,
    time_limit: Limit = 10.0,
    scale: Scale = 1.0,
) -> None:
    """What a choice of storage would cost that the cheapest cluster does not make, and what binds then.

    Ends with 3 when no cluster meets the SLA, or a gap was not reached.

    Example: froude provision why-not photoshare-calibrated --dataset photos --choice "SSD + DRAM"
    """
    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "why-not"), report=report)
    problem = common.problem(files, scale)
    limits = common.limits(settings, gap, time_limit)
    answer = _forced(settings, problem, (dataset, choice), limits)
    common.finish(settings, answer, files, output=output, report=report)


def _forced(
    settings: Settings,
    problem: Problem,
    asked: tuple[str, str | None],
    limits: SolveLimits,
) -> Answer:
    from froude.base.parallel import map as parallel_map
    from froude.provision.analyses import choose
    from froude.provision.figures.choices import why_not_report
    from froude.provision.search.compile import compile_plan
    from froude.render.answer import Answer

    with common.compiling(settings, limits) as watched:
        best = compile_plan(problem, watched)
    choices = _choices(problem, best, *asked)
    with settings.progress().task(f"compiling {counted(len(choices), 'choice')}", len(choices)) as task:
        ask = partial(choose.why_not, problem, best, asked[0], limits)
        answers = parallel_map(
            ask, choices, settings.workers, counting(task, lambda answer: answer.plan.in_brief)
        )
    answers.sort(key=lambda answer: float("inf") if answer.extra is None else answer.extra)
    value = {"best": best, "choices": answers}
    plans = [best, *(answer.plan for answer in answers if answer.plan.found)]
    page = partial(why_not_report, best, answers)
    return Answer("why-not", common.found(value), page, common.unproved(plans))


def _choices(
    problem: Problem, plan: ProvisionPlan, dataset: str, choice: str | None
) -> list[tuple[str, ...]]:
    """The choices that are asked about."""
    from froude.provision.search.architecture import choices_of

    every = choices_of(problem, plan)
    if dataset not in every:
        raise InputError("leads nowhere", place="--dataset", found=dataset, allowed=every)
    if choice is None:
        return list(every[dataset])
    wanted = tuple(part.strip() for part in choice.split(" + "))
    if wanted not in every[dataset]:
        allowed = ", ".join(" + ".join(names) for names in every[dataset])
        raise InputError("is no choice of it", place="--choice", found=choice, allowed=allowed)
    return [wanted]
