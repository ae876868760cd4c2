"""`froude compare`: is a candidate slower or faster than a baseline?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.files import atomic_write_text, refuse_special
from froude.base.summary import counted
from froude.cli import inputs
from froude.cli.numbers import finite
from froude.cli.outputs import Output, claim
from froude.cli.outputs import page as page_places
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.render import save

if TYPE_CHECKING:
    from froude.documents.artifact import Origin
    from froude.experiment.compare.comparable import Sample
    from froude.experiment.compare.compare import Comparison

EXIT_MISSED = 3


def compare(
    ctx: typer.Context,
    baseline: Annotated[
        list[Path],
        typer.Option(metavar="RUN...", help="Runs of what is compared with; folders, or names here."),
    ],
    candidate: Annotated[
        list[Path], typer.Option(metavar="RUN...", help="Runs of what is judged, of the same load.")
    ],
    margin: Annotated[
        float,
        typer.Option(
            min=0.001,
            max=1,
            callback=finite,
            help="Share by which a candidate may differ and still count as the same.",
        ),
    ] = 0.05,
    level: Annotated[
        float,
        typer.Option(
            min=0.0001,
            max=0.5,
            callback=finite,
            help="Chance of one false difference or more among all measures that decide.",
        ),
    ] = 0.05,
    primary: Annotated[
        str,
        typer.Option(
            metavar="MEASURE",
            help="Measure to which half of that chance is given: mean, p50 or p99, of all calls or of a method as "
            "'p99(addBlock)'; throughput, errors. Name it before the runs are made.",
        ),
    ] = "mean",
    limited: Annotated[
        bool, typer.Option("--limited", help="Runs that player or busy machine limited count as well.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File of the comparison, JSON.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="An HTML page with every interval.")] = None,
) -> None:
    """Is a candidate slower, faster, the same, or can nobody tell yet? From repeated runs of two arms.

    A run counts once, however many calls it made: three runs of each arm at least. Compared are latency of all calls
    and of each method, throughput and errors; what the NameNode tells of CPU, garbage collection, locks and queues
    explains. Ends with 3 where the candidate is worse. Runs that failed, were interrupted, or were limited by player
    or machine are left out, and said; runs of other loads are refused.

    Example: froude compare --baseline old-1 old-2 old-3 --candidate new-1 new-2 new-3 --report compare.html
    """
    from froude.documents.artifact import Origin
    from froude.documents.lineage import content_of
    from froude.experiment.compare.compare import compare as compare_runs

    settings: Settings = ctx.obj
    arms = [[inputs.place(settings, path, "run") for path in arm] for arm in (baseline, candidate)]
    places = [Output(output, "comparison")] if output is not None else []
    claim(
        settings,
        [*places, *page_places(report, _suffix(output, report))],
        [path for arm in arms for path in arm],
    )
    samples = [_samples(arm) for arm in arms]
    if settings.dry_run:
        settings.would(f"compare {len(arms[0])} and {len(arms[1])} runs")
        return
    found = compare_runs(
        baseline=samples[0],
        candidate=samples[1],
        margin=margin,
        level=level,
        primary=primary,
        limited=limited,
    )
    hashes = tuple(content_of(path) for arm in arms for path in arm)
    show(settings, found, Origin(settings.command, hashes), output, report)


def show(
    settings: Settings,
    comparison: Comparison,
    origin: Origin,
    output: Path | None = None,
    report: Path | None = None,
) -> None:
    """Write and print what was found.

    Args:
        origin: how it came to be.
        output: file of it; None for none.
        report: page of it; None for none.

    Raises:
        typer.Exit: the candidate is worse.
    """
    from froude.experiment.compare.compare import Outcome
    from froude.experiment.compare.file import comparison_text

    text = comparison_text(comparison, origin)
    if output is not None:
        atomic_write_text(output, text)
    if report is not None:
        from froude.experiment.figures.page import page

        save(page([comparison]).report, report, suffix=_suffix(output, report), origin=origin)
    settings.emit(text)
    settings.out(comparison_table(comparison))
    for path in (output, report):
        if path is not None:
            settings.out(f"Written to {path}")
    if comparison.outcome is Outcome.WORSE:
        raise typer.Exit(EXIT_MISSED)


def comparison_table(comparison: Comparison) -> str:
    """The verdict, what to keep in mind with it, what was compared, and every measure."""
    from froude.experiment.compare.comparable import LIMITED
    from froude.experiment.compare.compare import Outcome, change_text
    from froude.experiment.compare.measures import Sort
    from froude.experiment.figures.comparison import value_text

    pairs = " as pairs" if comparison.paired else ""
    compared = (
        f"Compared{pairs}: {counted(len(comparison.baseline), 'run')} of the baseline, {len(comparison.candidate)} of "
        f"the candidate. Margin {100 * comparison.margin:.3g} %; chance of a false difference at most "
        f"{100 * comparison.level:.3g} %, half of it for {comparison.primary}."
    )
    lines = [comparison.answer, *(f"{remark}." for remark in comparison.remarks), compared]
    lines += [f"Left out: {name}: {why}" for name, why in comparison.left_out.items()]
    if any(why in LIMITED for why in comparison.left_out.values()):
        lines.append("Of runs that were made in turns, what limits all alike may count: --limited.")
    lines += [f"Differs: {name}: {first} and {second}" for name, first, second in comparison.differences]
    rows: list[tuple[str, ...]] = [
        ("measure", "outcome", "baseline", "candidate", "change", "from", "to", "runs needed")
    ]
    for row in comparison.rows:
        if row.sort is Sort.RESOURCE and not rows[-1][0].startswith(" "):
            rows.append(("what explains", *[""] * 7))
        name = f"  {row.measure}" if row.sort is Sort.RESOURCE else row.measure
        values = [value_text(mean, row.unit) for mean in row.means]
        changes = [change_text(each, row.sort) for each in (row.change, row.low, row.high)]
        needed = "" if row.outcome is not Outcome.OPEN else "many" if row.needed is None else str(row.needed)
        rows.append((name, row.words, *values, *changes, needed))
    if comparison.rows:
        lines += ["", aligned(rows, words=2)]
    for why in dict.fromkeys(comparison.not_compared.values()):
        names = [name for name, reason in comparison.not_compared.items() if reason == why]
        lines.append(f"Not compared, {why}: {', '.join(names)}")
    return "\n".join(lines)


def _suffix(output: Path | None, report: Path | None) -> str:
    """That of a page's figures, by which they do not take the comparison's own place."""
    if report is not None:
        refuse_special(report)  # of `.` and `/` there is no name with another suffix
    same = report is not None and output == report.with_suffix(".json")
    return ".report.json" if same else ".json"


def _samples(paths: Sequence[Path]) -> list[Sample]:
    from froude.emulation.run.files import read_run
    from froude.experiment.compare.comparable import Sample

    samples = []
    for path in paths:
        with inputs.named(path):
            samples.append(Sample(str(path), read_run(path)))
    return samples
