"""What can be asked about a problem and its plans; each gives its figures and a page of them.

In Python: `fr.provision.robustness(fr.read_problem(["photoshare-calibrated"]))`; `froude provision` does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from froude.base.errors import InputError
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.base.progress import Progress, Silent, counting
from froude.base.summary import counted
from froude.documents.forms import FieldError, check_range, range_text
from froude.provision.analyses import choose, designs, prices, regimes, vary
from froude.provision.analyses import uncertainty as uncertain
from froude.provision.analyses.documents import document
from froude.provision.analyses.inputs import Input, find_input, main_inputs
from froude.provision.analyses.slack import slack
from froude.provision.analyses.uncertainty import Distribution, Lognormal, Triangular, Uniform
from froude.provision.check.checker import cost_of
from froude.provision.figures import sweep_report
from froude.provision.figures.choices import comparison_report, why_not_report
from froude.provision.figures.plans import evaluation_report
from froude.provision.figures.ranges import robustness_report, sensitivity_report
from froude.provision.figures.roadmaps import roadmap_report
from froude.provision.figures.uncertain import uncertainty_report
from froude.provision.inputs.plan_file import plan_document
from froude.provision.inputs.units import parse
from froude.provision.search.architecture import choices_of
from froude.provision.search.compile import Point, compile_plan
from froude.provision.search.compile import sweep as sweep_plans
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status
from froude.render.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSE, _WIDE = SolveLimits(1e-4, 10.0), SolveLimits(0.01, 60.0)
_FACTORS = (1.000001, 1e6)
_MULTIPLES = (1e-12, 1e12)
"""Of an SLA."""


def evaluation(problem: Problem, plan: ProvisionPlan) -> Answer:
    """The fraction of the SLA that a cluster meets, its bottleneck, and what each resource has left."""
    left, cost = slack(problem, plan), cost_of(problem, plan)
    reached = left.growth
    content = {
        "fraction": reached.fraction if reached.limits else None,
        "met": reached.met,
        "cost": cost,
        "limits": document(reached.limits),
        "notes": list(reached.notes),
        "groups": document(left.groups),
    }
    return Answer(
        "evaluation",
        content,
        lambda facts: evaluation_report(left, cost, facts),
        None if reached.met else "",
    )


def robustness(
    problem: Problem,
    inputs: Sequence[str] = (),
    limits: SolveLimits = _CLOSE,
    *,
    span: float = 10.0,
    tolerance: float = 0.001,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """How far each input may move before the cheapest cluster is built of other things, and of which.

    Args:
        inputs: their paths, such as `unit.SSD.price`; none for the main ones.
        span: farthest factor up and down that is looked at.
        tolerance: relative width at which an edge is known.
    """
    check_range("span", [span], 1.001, 1e6)
    chosen = _inputs(problem, inputs)
    moving = f"how far {counted(len(chosen), 'input')} may move"
    with (progress or Silent()).task(moving, 2 * len(chosen)) as task:
        found = vary.robustness(
            problem, chosen, limits, span=span, tolerance=tolerance, workers=workers,
            done=counting(task, lambda edge: f"the last one to {edge.stays:.4g}"),
        )  # fmt: skip
    return Answer("robustness", _found(found), partial(robustness_report, found), unproved([found.plan]))


def sensitivity(
    problem: Problem,
    inputs: Sequence[str] = (),
    limits: SolveLimits = _CLOSE,
    *,
    share: float = 0.2,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """What each input does to the cost when it moves alone, and which price moves which dataset.

    Args:
        inputs: their paths; none for the main ones.
        share: by which each moves both ways.
    """
    check_range("share", [share], 0.001, 0.999)
    chosen, shown = _inputs(problem, inputs), progress or Silent()
    found = prices.price_sensitivity(problem, limits, workers=workers, progress=shown)
    with shown.task(f"moving {counted(len(chosen), 'input')}", 2 * len(chosen)) as task:
        swings = vary.tornado(
            problem, found.plan, chosen, limits, share=share, workers=workers,
            done=counting(task, lambda plan: plan.in_brief),
        )  # fmt: skip
    content = {"found": {**document(found), "tornado": document(swings)}}
    page = partial(sensitivity_report, found, swings, share)
    return Answer("sensitivity", content, page, unproved([found.plan]))


def uncertainty(
    problem: Problem,
    ranges: Sequence[str],
    limits: SolveLimits = SolveLimits(0.01, 10.0),  # noqa: B008 - immutable
    *,
    samples: int = 100,
    wanted: float = 0.95,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """How the cost is distributed when inputs are uncertain at once, and the plan that is regretted least.

    Args:
        ranges: `PATH=RANGE` each, such as `dataset.photos.size=150GB..250GB`.
        wanted: share of them that a plan must sustain, 0 to 1.

    Raises:
        InputError: no such input, or no range.
    """
    check_range("samples", [samples], 2, 100_000)
    check_range("wanted", [wanted], 0, 1)
    known = [known_input(problem, text) for text in ranges]
    try:
        found = uncertain.uncertainty(
            problem, known, limits, samples=samples, wanted=wanted, workers=workers, progress=progress or Silent()
        )  # fmt: skip
    except ValueError as error:
        raise FieldError(f"draws a value that may not be: {error}", names=("input",)) from error
    best = found.recommended
    met = best is not None and best.met >= wanted
    return Answer("uncertainty", _found(found), partial(uncertainty_report, found), None if met else "")


def why_not(
    problem: Problem,
    dataset: str,
    choice: str | None = None,
    limits: SolveLimits = _CLOSE,
    *,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """What a choice of storage would cost that the cheapest cluster does not make, and what binds then.

    Args:
        choice: names of units, the cache second: `SSD + DRAM`; None for every one.
    """
    shown = progress or Silent()
    with compiling(shown, limits) as watched:
        best = compile_plan(problem, watched)
    choices = _choices(problem, best, dataset, choice)
    with shown.task(f"compiling {counted(len(choices), 'choice')}", len(choices)) as task:
        ask = partial(choose.why_not, problem, best, dataset, limits)
        answers = parallel_map(ask, choices, workers, counting(task, lambda answer: answer.plan.in_brief))
    answers.sort(key=lambda answer: float("inf") if answer.extra is None else answer.extra)
    plans = [best, *(answer.plan for answer in answers if answer.plan.found)]
    content = _found({"best": best, "choices": answers})
    return Answer("why-not", content, partial(why_not_report, best, answers), unproved(plans))


def sweep(
    problem: Problem,
    factors: Sequence[float],
    limits: SolveLimits = _WIDE,
    *,
    baselines: bool = True,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """Cost against SLA: plans at multiples of it; those that Ctrl-C leaves whole are kept.

    Args:
        baselines: whether clusters with one storage type stand next to each.
    """
    check_range("factors", factors, *_MULTIPLES)
    compiled: list[Point] = []
    interrupted = ""
    try:
        with (progress or Silent()).task(f"compiling {counted(len(factors), 'load')}", len(factors)) as task:
            count = counting(task, _point_text)

            def done(point: Point) -> None:
                compiled.append(point)
                count(point)

            curve = sweep_plans(problem, factors, limits, baselines=baselines, workers=workers, done=done)
    except KeyboardInterrupt:
        if not compiled:
            raise
        curve, interrupted = compiled, f"after {len(compiled)} of {counted(len(factors), 'load')}"
    content = {"points": list(map(_point, curve)), **({"interrupted": interrupted} if interrupted else {})}
    missed = unproved([point.plan for point in curve])
    return Answer("sweep", content, partial(sweep_report, problem, curve), missed, interrupted)


def roadmap(
    problem: Problem,
    factors: Sequence[float],
    limits: SolveLimits = SolveLimits(0.001, 10.0),  # noqa: B008 - immutable
    *,
    allowance: float = 0.01,
    tolerance: float = 0.01,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """Over which loads which architecture is the cheapest, and the fewest changes that stay near it.

    Args:
        factors: multiples of the SLA.
        allowance: share by which a plan may cost more than the cheapest.
        tolerance: relative width at which an edge is known.
    """
    check_range("factors", factors, *_MULTIPLES)
    found = regimes.roadmap(
        problem, factors, limits, allowance=allowance, tolerance=tolerance, workers=workers,
        progress=progress or Silent(),
    )  # fmt: skip
    missed = unproved([point.plan for point in found.points])
    return Answer("roadmap", _found(found), partial(roadmap_report, problem, found), missed)


def comparison(
    first: Problem,
    second: Problem,
    factors: Sequence[float],
    limits: SolveLimits = SolveLimits(0.001, 10.0),  # noqa: B008 - immutable
    *,
    names: tuple[str, str] = ("first", "second"),
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """Two designs of an application: which costs less where, and by how much.

    Args:
        factors: multiples of their SLAs.
    """
    check_range("factors", factors, *_MULTIPLES)
    what = f"compiling both designs at {counted(len(factors), 'load')}"
    with (progress or Silent()).task(what, 2 * len(factors)) as task:
        found = designs.compare(
            first, second, factors, limits, workers=workers, done=counting(task, lambda plan: plan.in_brief)
        )  # fmt: skip
    value = {"first": names[0], "second": names[1], "pairs": found.pairs, "stretches": found.stretches}
    plans = [plan for pair in found.pairs for plan in (pair.first, pair.second)]
    return Answer("compare", _found(value), partial(comparison_report, names, found), unproved(plans))


def unproved(plans: Sequence[ProvisionPlan]) -> str | None:
    """How many plans are not proved, and why the first is not; None where all are."""
    missed = [plan for plan in plans if plan.status is not Status.PROVED]
    return f"{len(missed)} of {len(plans)} not proved: {missed[0].status.value}" if missed else None


@contextmanager
def compiling(progress: Progress, limits: SolveLimits) -> Iterator[SolveLimits]:
    """Show the bounds of one plan while the block looks for it."""
    with progress.task(f"compiling, at most {limits.time_limit_s:g} s") as task:
        best = [0.0, float("inf")]

        def show(lower: float, upper: float) -> None:
            best[:] = max(best[0], lower), min(best[1], upper)
            found = f"a cluster of ${best[1]:,.2f}" if best[1] < float("inf") else "no cluster yet"
            task.say(f"{found}; none costs less than ${best[0]:,.2f}" if best[0] else found)

        yield replace(limits, watch=show)


def known_input(problem: Problem, text: str) -> tuple[Input, Distribution]:
    """`PATH=RANGE` as an input and what is known of it.

    Raises:
        InputError: no such input, or no range.
    """
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
    try:
        return parse(text, entry.dimension)
    except InputError as error:
        raise InputError(error.message, place=entry.path, found=error.found, allowed=error.allowed) from error


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError as error:
        raise FieldError("is no factor", names=("input",), found=text, allowed="above 1") from error
    if not _FACTORS[0] <= factor <= _FACTORS[1]:
        raise FieldError("is out of range", names=("input",), found=factor, allowed=range_text(*_FACTORS))
    return factor


def _inputs(problem: Problem, paths: Sequence[str]) -> tuple[Input, ...]:
    """Those of the paths, in their order; the main ones where there is none."""
    return tuple(find_input(problem, path) for path in paths) if paths else main_inputs(problem)


def _choices(
    problem: Problem, plan: ProvisionPlan, dataset: str, choice: str | None
) -> list[tuple[str, ...]]:
    """The choices that are asked about."""
    every = choices_of(problem, plan)
    if dataset not in every:
        raise FieldError("leads nowhere", names=("dataset",), found=dataset, allowed=every)
    if choice is None:
        return list(every[dataset])
    wanted = tuple(part.strip() for part in choice.split(" + "))
    if wanted not in every[dataset]:
        allowed = ", ".join(" + ".join(names) for names in every[dataset])
        raise FieldError("is no choice of it", names=("choice",), found=choice, allowed=allowed)
    return [wanted]


def _found(value: Any) -> dict[str, Any]:
    """Values of `froude.provision.analyses` as the content of a document."""
    return {"found": document(value)}


def _point(point: Point) -> dict[str, Any]:
    baselines = {name: plan_document(plan) for name, plan in point.baselines.items()}
    return {"factor": point.factor, "plan": plan_document(point.plan), "baselines": baselines}


def _point_text(point: Point) -> str:
    return f"load x{point.factor:.3g}: {point.plan.in_brief}"
