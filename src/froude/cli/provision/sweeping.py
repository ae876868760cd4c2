"""`froude provision sweep`: plans over the multiples of the SLA: a curve, a roadmap, two designs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.cli.answers import Page, claim
from froude.cli.numbers import finite
from froude.cli.provision import common
from froude.cli.provision.common import Files
from froude.cli.settings import Settings


def sweep(
    ctx: typer.Context,
    files: Files,
    low: common.From = 0.1,
    high: common.To = 10.0,
    points: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="How many, evenly spread in ratio [9; 25 of a roadmap]."),
    ] = None,
    roadmap: Annotated[
        bool, typer.Option("--roadmap", help="Where the architecture changes, and the fewest changes.")
    ] = False,
    within: Annotated[str, typer.Option(help="Extra cost that the roadmap may have: 1% or 0.01.")] = "1%",
    tolerance: Annotated[
        float,
        typer.Option(min=1e-6, max=1, callback=finite, help="Relative width of a boundary of the roadmap."),
    ] = 0.01,
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
        typer.Option(
            help="Largest gap of the bounds that counts as proved [0.01; 0.001 to compare].", **common.GAP
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="TIME", parser=common.TIME, help="For one plan [60 s; 10 s to compare]."
        ),
    ] = None,
) -> None:
    """Cost against SLA: plans at multiples of the SLA, beside clusters with one storage type.

    With --roadmap: over which loads which architecture is the cheapest, and the fewest changes that stay near it.
    With --with: two designs of an application, which costs less where, and by how much.

    Ends with 3 when a point is infeasible or its gap was not reached.

    Example: froude provision sweep photoshare-calibrated --from 0.01 --to 100 --report sweep.html
    """
    from froude.provision import answers

    settings: Settings = ctx.obj
    view = _view({"--roadmap": roadmap, "--with": bool(other)})
    kind = {"--roadmap": "roadmap", "--with": "compare"}.get(view, "sweep")
    place = Path(f"{kind}.json") if output is None else output
    read = [*files, *(other or [])]
    claim(settings, read, place, kind, report)
    close = view in {"--roadmap", "--with"}
    limits = common.limits(
        settings,
        (0.001 if close else 0.01) if gap is None else gap,
        (10.0 if close else 60.0) if time_limit is None else time_limit,
    )
    factors = common.factors(low, high, (25 if roadmap else 9) if points is None else points)
    allowance = common.share("--within", within)
    problem = common.problem(files)
    how = common.how(settings)
    if view == "--roadmap":
        answer = answers.roadmap(problem, factors, limits, allowance=allowance, tolerance=tolerance, **how)
    elif view == "--with":
        names, second = (" ".join(files), " ".join(other or [])), common.problem(other or [])
        answer = answers.comparison(problem, second, factors, limits, names=names, **how)
    else:
        answer = answers.sweep(problem, factors, limits, baselines=baselines, **how)
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
