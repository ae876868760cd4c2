"""`froude compare`: is a candidate slower or faster than a baseline?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
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
    from froude.experiment.compare.compare import Comparison, Row

EXIT_MISSED = 3


def compare(
    ctx: typer.Context,
    baseline: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN...", help="Runs of what is compared with; folders, or names here."),
    ] = None,
    candidate: Annotated[
        list[Path] | None, typer.Option(metavar="RUN...", help="Runs of what is judged, of the same load.")
    ] = None,
    duet: Annotated[
        Path | None,
        typer.Option(
            metavar="SCENARIO",
            help="Instead of runs: a scenario of kind duet, which runs baseline and candidate at the same time.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1,
            callback=finite,
            help="Share by which a candidate may differ and still count as the same [0.05; of a duet, 0.1].",
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(
            min=0.0001,
            max=0.5,
            callback=finite,
            help="Chance of one false difference or more among all measures that decide [0.05].",
        ),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option(help="Longest time for which a duet calls both, such as '40 min' [10 min].")
    ] = None,
    primary: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="Measure to which half of that chance is given: mean, p50 or p99, of all calls or of a method as "
            "'p99(addBlock)'; throughput, errors, 'CPU per call' [mean]. Name it before the runs are made.",
        ),
    ] = None,
    limited: Annotated[
        bool, typer.Option("--limited", help="Runs that player or busy machine limited count as well.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File of the comparison, JSON; of a duet, its folder [duet]."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="An HTML page with every interval.")] = None,
) -> None:
    """Is a candidate slower, faster, the same, or can nobody tell yet? From repeated runs of two arms.

    A run counts once, however many calls it made: three runs of each arm at least. Compared are latency of all calls
    and of each method, throughput, errors and CPU time for a call; what the NameNode reports of garbage collection,
    locks and queues explains. Ends with 3 where the candidate is worse. Runs that failed, were interrupted, or were
    limited by player or machine are left out, and said; runs of other loads are refused.

    With --duet nothing has to be played before: two NameNodes, or ResourceManagers, are started and called at the same
    time with one workload. Both are compared in slices of the same seconds, which cancels out what other work does to
    the machine; five looks at most, and a verdict that is clear ends it. `froude scenario new duet` writes its scenario.

    Example: froude compare --baseline old-1 old-2 old-3 --candidate new-1 new-2 new-3 --report compare.html
    Example: froude compare --duet duet.yaml --time-limit '10 min' --report duet.html
    """
    from froude.documents.artifact import Origin
    from froude.documents.lineage import content_of
    from froude.experiment.compare.compare import DEFAULT_LEVEL, DEFAULT_MARGIN
    from froude.experiment.compare.compare import compare as compare_runs
    from froude.experiment.compare.measures import DEFAULT_PRIMARY

    settings: Settings = ctx.obj
    if duet is not None:
        from froude.cli.duet import compare_at_once

        runs_only = {
            "--baseline": baseline,
            "--candidate": candidate,
            "--primary": primary,
            "--limited": limited,
        }
        _refuse(runs_only, "is for runs, and --duet makes its own")
        compare_at_once(settings, duet, output, report, margin=margin, level=level, time_limit=time_limit)
        return
    _refuse({"--time-limit": time_limit}, "is for a duet")
    if not baseline or not candidate:
        missing = "--candidate" if baseline else "--baseline"
        raise typer.BadParameter("is missing: runs of both arms, or --duet SCENARIO", param_hint=missing)
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
        margin=DEFAULT_MARGIN if margin is None else margin,
        level=DEFAULT_LEVEL if level is None else level,
        primary=primary or DEFAULT_PRIMARY,
        limited=limited,
    )
    hashes = tuple(content_of(path) for arm in arms for path in arm)
    show(settings, found, Origin(settings.command, hashes), output, report)


def _refuse(flags: Mapping[str, object], why: str) -> None:
    """Refuse flags that have no meaning here.

    Raises:
        InputError: one was given.
    """
    given = next((name for name, value in flags.items() if value), None)
    if given is not None:
        raise InputError(why, place=given, remedy="Leave it out")


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
    from froude.experiment.compare.compare import change_text
    from froude.experiment.compare.measures import Sort
    from froude.experiment.figures.comparison import value_text

    lines = [comparison.answer, *(f"{remark}." for remark in comparison.remarks), compared_text(comparison)]
    lines += [f"Left out: {name}: {why}" for name, why in comparison.left_out.items()]
    if any(why in LIMITED for why in comparison.left_out.values()):
        lines.append("Of runs that were made in turns, what limits all alike may count: --limited.")
    lines += [f"Differs: {name}: {first} and {second}" for name, first, second in comparison.differences]
    rows: list[tuple[str, ...]] = [
        (
            "measure",
            "outcome",
            "baseline",
            "candidate",
            "change",
            "from",
            "to",
            "runs needed" if comparison.together is None else "time needed",
        )
    ]
    for row in comparison.rows:
        if row.sort is Sort.RESOURCE and not rows[-1][0].startswith(" "):
            rows.append(("what explains", *[""] * 7))
        name = f"  {row.measure}" if row.sort is Sort.RESOURCE else row.measure
        values = [value_text(mean, row.unit) for mean in row.means]
        changes = [change_text(each, row.sort) for each in (row.change, row.low, row.high)]
        rows.append((name, comparison.words_of(row), *values, *changes, _needed(comparison, row)))
    if comparison.rows:
        lines += ["", aligned(rows, words=2)]
    for why in dict.fromkeys(comparison.not_compared.values()):
        names = [name for name, reason in comparison.not_compared.items() if reason == why]
        lines.append(f"Not compared, {why}: {', '.join(names)}")
    return "\n".join(lines)


def compared_text(comparison: Comparison) -> str:
    """What was compared, with the margin and the chance of error."""
    from froude.experiment.compare.compare import minutes_text

    margin, level = f"Margin {100 * comparison.margin:.3g} %", f"{100 * comparison.level:.3g} %"
    together = comparison.together
    if together is not None:
        return (
            f"Compared at the same time, over {minutes_text(together.measured_s)} after a warm-up of "
            f"{minutes_text(together.warm_up_s)}, in {counted(together.looks, 'look')}. {margin}; chance of a "
            f"false difference at any look at most {level}."
        )
    pairs = " as pairs" if comparison.paired else ""
    return (
        f"Compared{pairs}: {counted(len(comparison.baseline), 'run')} of the baseline, {len(comparison.candidate)} of "
        f"the candidate. {margin}; chance of a false difference at most {level}, half of it for {comparison.primary}."
    )


def _needed(comparison: Comparison, row: Row) -> str:
    """How much more would have to be measured for a measure that is open; empty for one that is not."""
    from froude.experiment.compare.compare import Outcome, minutes_text

    if row.outcome is not Outcome.OPEN:
        return ""
    if row.needed is None:
        return "many"
    together = comparison.together
    return str(row.needed) if together is None else minutes_text(row.needed * together.batch_s)


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
