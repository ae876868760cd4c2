"""`froude provision why-not | best | slack | compare`: what else there is, and what is left over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.provision import common
from froude.cli.provision.common import Files, Limit, Output, Page, Scale, Tight
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.provision.analyses.choose import WhyNot
    from froude.provision.analyses.designs import Comparison
    from froude.provision.analyses.slack import Slack
    from froude.provision.types import Problem
    from froude.provision.types.plan import ProvisionPlan


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
    from froude.base.parallel import map as parallel_map
    from froude.provision.analyses.choose import why_not as ask
    from froude.provision.figures.others import why_not_report, why_text
    from froude.provision.search.compile import compile_plan

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "why-not"), report=report)
    problem = common.problem(settings, files, scale)
    limits = common.limits(settings, gap, time_limit)
    with settings.progress().task("compiling"):
        best = compile_plan(problem, limits)
        choices = _choices(problem, best, dataset, choice)
        answers = parallel_map(partial(ask, problem, best, dataset, limits), choices, settings.workers)
    answers.sort(key=lambda answer: float("inf") if answer.extra is None else answer.extra)
    page = why_not_report(best, answers, common.facts(settings, files))
    common.finish(
        settings,
        "why-not",
        {"best": best, "choices": answers},
        files=files,
        output=output,
        report=report,
        page=page,
    )
    settings.out(why_text(best, answers[0]) if len(answers) == 1 else _why(answers))
    common.end(settings, [best, *(answer.plan for answer in answers if answer.plan.found)])


def best(
    ctx: typer.Context,
    files: Files,
    number: Annotated[int, typer.Option("-k", "--number", help="How many architectures.")] = 5,
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.0001,
    time_limit: Limit = 10.0,
    scale: Scale = 1.0,
) -> None:
    """The k cheapest architectures: choices of storage that differ in at least one dataset.

    Ends with 3 when no cluster meets the SLA, or a gap was not reached.

    Example: froude provision best photoshare-calibrated -k 5
    """
    from froude.provision.analyses.choose import k_best
    from froude.provision.figures.others import best_report

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "best"), report=report)
    wanted = round(common.ranged("-k", number, 1, 1000))
    problem = common.problem(settings, files, scale)
    limits = common.limits(settings, gap, time_limit)
    with settings.progress().task(f"looking for {wanted} architectures"):
        plans = k_best(problem, wanted, limits)
    page = best_report(plans, common.facts(settings, files))
    common.finish(settings, "best", plans, files=files, output=output, report=report, page=page)
    settings.out(_ranked(plans))
    if not plans:
        raise typer.Exit(common.EXIT_MISSED)
    common.end(settings, plans)


def slack(
    ctx: typer.Context,
    files: Files,
    cluster: Annotated[
        Path | None, typer.Option(help="A plan of compile. Without it, the cheapest is compiled.")
    ] = None,
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.01,
    time_limit: Limit = 60.0,
    scale: Scale = 1.0,
) -> None:
    """What a plan leaves of every resource at the SLA, what binds, and how much growth it takes.

    Example: froude provision slack photoshare-calibrated --cluster plan.json --report slack.html
    """
    from froude.provision.analyses.slack import slack as find
    from froude.provision.figures.others import slack_report
    from froude.provision.inputs.plan_file import read_cluster
    from froude.provision.search.compile import compile_plan
    from froude.provision.search.split import decided

    settings: Settings = ctx.obj
    common.claim(settings, [*files, cluster], results=(output, "slack"), report=report)
    problem = common.problem(settings, files, scale)
    if cluster is not None:
        plan = read_cluster(cluster, problem)
    else:
        with settings.progress().task("compiling"):
            plan = compile_plan(problem, common.limits(settings, gap, time_limit))
    if not plan.found:
        common.end(settings, [plan])
        raise typer.Exit(common.EXIT_MISSED)
    left = find(decided(problem, plan), plan)
    page = slack_report(plan, left, common.facts(settings, files))
    common.finish(
        settings,
        "slack",
        left,
        files=[*files, *([cluster] if cluster is not None else [])],
        output=output,
        report=report,
        page=page,
    )
    settings.out(_left(left))


def compare(
    ctx: typer.Context,
    files: Files,
    other: Annotated[
        list[str], typer.Option("--with", metavar="FILE", help="The other design's files; repeatable.")
    ],
    low: common.From = 0.1,
    high: common.To = 10.0,
    points: common.Points = 9,
    output: Output = None,
    report: Page = None,
    gap: Tight = 0.001,
    time_limit: Limit = 10.0,
) -> None:
    """Two designs of an application over a range of the SLA: which costs less where, and by how much.

    Ends with 3 when a point is infeasible or its gap was not reached.

    Example: froude provision compare productsearch --with your-design.yaml --from 0.5 --to 8
    """
    from froude.provision.analyses.designs import compare as find
    from froude.provision.figures.others import comparison_report

    settings: Settings = ctx.obj
    common.claim(settings, [*files, *other], results=(output, "compare"), report=report)
    factors = common.factors(low, high, points)
    first, second = common.problem(settings, files), common.problem(settings, other)
    names = (" ".join(files), " ".join(other))
    with settings.progress().task("compiling both"):
        limits = common.limits(settings, gap, time_limit)
        comparison = find(first, second, factors, limits, workers=settings.workers)
    page = comparison_report(names, comparison, common.facts(settings, [*files, *other]))
    value = {
        "first": names[0],
        "second": names[1],
        "pairs": comparison.pairs,
        "stretches": comparison.stretches,
    }
    common.finish(settings, "compare", value, files=[*files, *other], output=output, report=report, page=page)
    settings.out(_compared(names, comparison))
    common.end(settings, [plan for pair in comparison.pairs for plan in (pair.first, pair.second)])


def _choices(
    problem: Problem, plan: ProvisionPlan, dataset: str, choice: str | None
) -> list[tuple[str, ...]]:
    """The choices that are asked about."""
    from froude.provision.inputs.tree import nearest
    from froude.provision.search.architecture import choices_of

    every = choices_of(problem, plan)
    if dataset not in every:
        message = f"leads nowhere{nearest(dataset, every)}"
        raise InputError(message, place="--dataset", found=dataset, allowed=", ".join(every) or "none")
    if choice is None:
        return list(every[dataset])
    wanted = tuple(part.strip() for part in choice.split(" + "))
    if wanted not in every[dataset]:
        allowed = ", ".join(" + ".join(names) for names in every[dataset])
        raise InputError("is no choice of it", place="--choice", found=choice, allowed=allowed)
    return [wanted]


def _why(answers: Sequence[WhyNot]) -> str:
    rows: list[Sequence[str]] = [
        ("choice", "more $", "at least", "at most", "what else changes, or what is in conflict")
    ]
    for answer in answers:
        if answer.extra is None:
            rows.append((" + ".join(answer.choice), "-", "-", "-", "; ".join(map(str, answer.plan.conflict))))
        else:
            money = [f"{amount or 0:,.2f}" for amount in (answer.extra, answer.least, answer.most)]
            rows.append((" + ".join(answer.choice), *money, "; ".join(answer.changes)))
    return aligned(rows)


def _ranked(plans: Sequence[ProvisionPlan]) -> str:
    from froude.provision.search.architecture import architecture_of

    if not plans:
        return "no cluster was found"
    rows: list[Sequence[str]] = [("architecture", "cost $", "more $", "gap", "servers")]
    for plan in plans:
        more = f"{plan.upper - plans[0].upper:,.2f}"
        cost = (f"{plan.upper:,.2f}", more, f"{plan.gap:.2%}", str(plan.servers))
        rows.append((str(architecture_of(plan)), *cost))
    return aligned(rows)


def _left(left: Slack) -> str:
    from froude.provision.figures.others import resource_text

    rows: list[Sequence[str]] = [("server and resource", "in use", "there", "share")]
    for group in left.groups:
        rows.append((group.name, "", "", ""))
        rows += [
            (
                f"  {resource.name}",
                *(resource_text(resource, n) for n in (resource.used, resource.available)),
                f"{resource.share:.1%}",
            )
            for resource in group.resources
        ]
    grow = left.growth
    return f"{grow.fraction:.1%} of the SLA; bottleneck: {grow.bottleneck}\n{aligned(rows)}"


def _compared(names: tuple[str, str], comparison: Comparison) -> str:
    from froude.provision.figures.others import winner_text

    rows: list[Sequence[str]] = [("SLA", "first $", "second $", "saved", "cheaper for certain")]
    for pair in comparison.pairs:
        costs = [
            f"{plan.upper:,.2f}" if plan.found else plan.status.value for plan in (pair.first, pair.second)
        ]
        saved = "-" if pair.saved is None else f"{pair.saved:.1%}"
        rows.append((f"{pair.factor:.4g}", *costs, saved, winner_text(names, pair.winner)))
    return aligned(rows)
