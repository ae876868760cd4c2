"""`froude provision vary | why-not`: what the answer hangs on, and what else there is."""

from __future__ import annotations

from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.cli.answers import Output, Page, claim
from froude.cli.fields import with_fields
from froude.cli.numbers import finite
from froude.cli.provision import common
from froude.cli.provision.common import Files, Limit, Scale, Tight
from froude.cli.settings import Settings


@with_fields
def vary(
    ctx: typer.Context,
    *,
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
    span: Annotated[
        float,
        typer.Option(
            min=1.001, max=1e6, callback=finite, help="Farthest factor up and down that is looked at."
        ),
    ] = 10.0,
    tolerance: Annotated[
        float,
        typer.Option(min=1e-9, max=1, callback=finite, help="Relative width at which an edge is known."),
    ] = 0.001,
    samples: Annotated[int, typer.Option(min=2, max=100_000, help="Of the ranges: how many to draw.")] = 100,
    meet: Annotated[str, typer.Option(help="Share of the samples that a plan must sustain.")] = "95%",
    output: Output = None,
    report: Page = None,
    gap: Annotated[
        float | None,
        typer.Option(
            help="Largest gap of the bounds that counts as proved [0.0001; 0.01 with ranges].", **common.GAP
        ),
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
    from froude.provision import answers

    settings: Settings = ctx.obj
    ranged = [text for text in inputs or () if "=" in text]
    if ranged and (share is not None or len(ranged) < len(inputs or ())):
        bare = next((text for text in inputs or () if "=" not in text), None)
        place = "--input" if bare else "--by, --input PATH=RANGE"
        raise InputError("has no range" if bare else "cannot be given together", place=place, found=bare)
    kind = "uncertainty" if ranged else "robustness" if share is None else "sensitivity"
    claim(settings, files, output, kind, report)
    moved = common.share("--by", share or "20%")
    wanted = common.share("--meet", meet)
    problem = common.problem(files, scale)
    limits = common.limits(settings, (0.01 if ranged else 1e-4) if gap is None else gap, time_limit)
    how = common.how(settings)
    if ranged:
        answer = answers.uncertainty(problem, ranged, limits, samples=samples, wanted=wanted, **how)
    elif share is None:
        answer = answers.robustness(problem, inputs or (), limits, span=span, tolerance=tolerance, **how)
    else:
        answer = answers.sensitivity(problem, inputs or (), limits, share=moved, **how)
    common.finish(settings, answer, files, output=output, report=report)


@with_fields
def why_not(
    ctx: typer.Context,
    *,
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
    from froude.provision import answers

    settings: Settings = ctx.obj
    claim(settings, files, output, "why-not", report)
    problem = common.problem(files, scale)
    answer = answers.why_not(
        problem, dataset, choice, common.limits(settings, gap, time_limit), **common.how(settings)
    )
    common.finish(settings, answer, files, output=output, report=report)
