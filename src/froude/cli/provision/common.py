"""What the provisioning commands share: arguments, the problem, a plan in words, how a command ends.

Meant to be used by its name: `common.problem(files)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.cli import answers, ending
from froude.cli.ending import Code
from froude.cli.numbers import amount, finite
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.documents.artifact import Origin
    from froude.provision.search.solve_limits import SolveLimits
    from froude.provision.types import Problem
    from froude.provision.types.plan import ProvisionPlan
    from froude.render.answer import Answer

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="YAML or XML with resources, application, sla in any mix; or a shipped name: "
        "photoshare-calibrated, photoshare-replicated, hdfs-petabyte, productsearch, terasort, paper2012.",
    ),
]
GAP: Mapping[str, Any] = {"min": 0, "max": 0.999, "callback": finite}
TIME = amount("s", least=1e-3, most=1e7)
_MULTIPLE: Mapping[str, Any] = {"min": 1e-12, "max": 1e12, "callback": finite}
Gap = Annotated[float, typer.Option(help="Largest gap of the bounds that counts as proved.", **GAP)]
Limit = Annotated[float, typer.Option("--time-limit", metavar="TIME", parser=TIME, help="For one plan.")]
Tight = Annotated[
    float,
    typer.Option(
        "--gap", help="Largest gap that counts as proved; neighbours are told apart by less.", **GAP
    ),
]
From = Annotated[float, typer.Option("--from", help="Smallest multiple of the SLA.", **_MULTIPLE)]
To = Annotated[float, typer.Option("--to", help="Largest.", **_MULTIPLE)]
Scale = Annotated[
    float, typer.Option("--scale", min=0, max=1e12, callback=finite, help="The SLA's rates times this.")
]


def problem(files: Sequence[str], scale: float = 1.0) -> Problem:
    """The inputs at a multiple of their SLA.

    Args:
        files: paths or shipped names, in any mix of parts.
        scale: the SLA's rates times this, 0 to 1e12.
    """
    from froude.provision.inputs.read import read_problem

    problem = read_problem(files)
    return problem if scale == 1 else replace(problem, sla=problem.sla.scaled(scale))


def cluster(problem: Problem, file: Path) -> tuple[Problem, ProvisionPlan]:
    """A plan or a cluster of the user's, and the inputs with the split that it decides.

    Raises:
        InputError: it is none, or it leaves the split of a batch job open.
    """
    from froude.provision.inputs.plan_file import read_cluster
    from froude.provision.search.split import decided, undecided

    plan = read_cluster(file, problem)
    problem = decided(problem, plan)
    if undecided(problem) is not None:
        raise InputError("split is missing", file=file, allowed="each phase's share of the batch job's time")
    return problem, plan


def origin(settings: Settings, files: Sequence[str | Path]) -> Origin:
    """How what is written came to be: the command, its seed, and what it read.

    Args:
        files: paths or shipped names of what was read.

    Raises:
        InputError: an input cannot be read any more.
    """
    from froude.documents.lineage import content_of
    from froude.provision.inputs.read import find_input

    return settings.origin([content_of(find_input(str(file))) for file in files], seeded=True)


def limits(settings: Settings, gap: float, time_limit: float) -> SolveLimits:
    """How hard to look for one plan.

    Args:
        gap: relative distance of cost and lower bound that counts as proved.
        time_limit: seconds for one plan.
    """
    from froude.provision.search.solve_limits import SolveLimits

    return SolveLimits(gap, time_limit, settings.seed)


def factors(low: float, high: float, points: int) -> list[float]:
    """Multiples of the SLA from `low` to `high`, evenly spread in ratio.

    Args:
        high: largest multiple, `low` or more.
        points: how many; a single one is `low`.

    Raises:
        InputError: no range.
    """
    if low > high:
        found = f"{low:g} to {high:g}"
        raise InputError("is no range", place="--from, --to", found=found, allowed="the smaller first")
    if points == 1:
        return [low]
    return [low * (high / low) ** (number / (points - 1)) for number in range(points)]


def summary(problem: Problem, plan: ProvisionPlan) -> str:
    """A plan for people."""
    from froude.provision.check.bill import bill

    if not plan.found:
        why = "\n".join(f"  {conflict}" for conflict in plan.conflict)
        return f"{plan.status.value}: no cluster was found\n{why}".rstrip()
    rows = [("item", "quantity", "each $", "total $")]
    for line in bill(problem, plan):
        each = line.price + line.energy
        rows.append((line.item, str(line.quantity), f"{each:,.2f}", f"{line.total:,.2f}"))
    stored = "\n".join(f"  {name}: {' + '.join(units)}" for name, units in plan.choices.items())
    head = f"${plan.upper:,.2f}, {plan.status.value}; no cluster costs less than ${plan.lower:,.2f}"
    return f"{head} (gap {plan.gap:.2%})\n{stored}\n{aligned(rows)}"


def how(settings: Settings) -> dict[str, Any]:
    """Who works, and where progress is shown, as questions take them."""
    return {"workers": settings.workers, "progress": settings.progress()}


def finish(
    settings: Settings,
    answer: Answer,
    files: Sequence[str | Path],
    *,
    output: Path | None,
    report: Path | None,
) -> None:
    """Write an answer, and show it; see `froude.cli.answers.finish`.

    Args:
        files: paths or shipped names of what was read.
    """
    from froude.documents.lineage import content_of
    from froude.provision.inputs.read import find_input

    read = {str(file): content_of(find_input(str(file))) for file in files}
    answers.finish(settings, answer, inputs=read, output=output, report=report)


def end(settings: Settings, plans: Sequence[ProvisionPlan]) -> None:
    """Exit with 3 unless every plan is proved.

    Raises:
        typer.Exit: one is not proved; its code is 3.
    """
    from froude.provision.answers import unproved

    missed = unproved(plans)
    if missed is not None:
        settings.note(missed)
        ending.end(Code.MISSED)


def share(flag: str, text: str) -> float:
    """A share that is given as `1%` or `0.01`.

    Raises:
        InputError: neither, or not between 0 and 1 (0 % and 100 %); both are allowed.
    """
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / (100 if number != text.strip() else 1)
    except ValueError as error:
        raise InputError("is no share", place=flag, found=text, allowed="1% or 0.01") from error
    if not 0 <= value <= 1:
        raise InputError("is out of range", place=flag, found=text, allowed="0 to 1")
    return value
