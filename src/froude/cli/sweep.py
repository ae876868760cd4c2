"""`froude sweep`: the same experiment with some of its fields varied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import atomic_write_text, kind_of_place
from froude.base.summary import counted
from froude.cli.ending import Code, end
from froude.cli.inputs import as_fields, named
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.documents.recognise import kind_of

if TYPE_CHECKING:
    from froude.experiment.runners import SweepRunner
    from froude.experiment.sweep.result import Swept, SweptArm


def sweep(
    ctx: typer.Context,
    scenario: Annotated[
        Path,
        typer.Argument(
            metavar="SCENARIO", help="The YAML file of a sweep, or the name of one that needs nothing."
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder in which each arm has one, with its runs.")
    ] = Path("sweep"),
) -> None:
    """The same experiment with some of its fields varied: every value with every other, in turns.

    Each round runs every arm once, in an order of its own, and gives all of them one seed. Runs are kept in
    OUTPUT/ARM/ROUND; a sweep that was interrupted goes on where it stopped when it is started again. Every arm is
    compared with the first as by `froude compare`. It ends with 3 where one is worse, or has the same load and cannot
    be compared, or where the finding that the sweep is to show was not reproduced. What came of it is in
    OUTPUT/sweep.json, which `froude report` draws. `froude run` of such a scenario does the same.

    Example: froude sweep sweep.yaml -o sweep
    """
    from froude.experiment.runners import SweepRunner
    from froude.experiment.scenario.scenario import SweepScenario, read_scenario
    from froude.experiment.scenario.shipped import ready

    settings: Settings = ctx.obj
    scenario = ready(scenario)
    asked = read_scenario(scenario).scenario
    if not isinstance(asked, SweepScenario):
        remedy = f"`froude run {scenario}` runs it"
        raise InputError("is no sweep", file=scenario, place="kind", found=asked.kind, remedy=remedy)
    if settings.asked_seed is not None:
        asked = asked.replaced(seed=settings.asked_seed)
    with as_fields(scenario, asked), named(scenario):
        perform(settings, SweepRunner.of(asked), [scenario], output)


def perform(
    settings: Settings,
    runner: SweepRunner,
    read: Sequence[Path],
    output: Path,
    metrics_port: str | None = None,
) -> None:
    """Do a sweep, or say what would be run, and show what came of it.

    Args:
        metrics_port: where Prometheus is answered meanwhile; None for nowhere.

    Raises:
        FroudeError: it cannot be run.
        typer.Exit: it was interrupted, or an arm is worse than the first, or could not be compared with it.
    """
    from froude.cli.play import executing
    from froude.documents.artifact import Origin
    from froude.experiment.compare.compare import LEAST_RUNS
    from froude.experiment.sweep.file import KIND, NAME, swept_text

    _claim(output, [*read, runner.scenario.base])
    claim(settings, [Output(output / NAME, KIND)])
    number = len(runner.arms) * runner.scenario.repeats
    java = runner.java()
    if settings.dry_run:
        runner.check()
        there = len(runner.runs_there(output))
        names = [arm.name for arm in runner.arms]
        what = f"make {counted(number - there, 'run')} into {output}"
        settings.would(what, arms=names, kept=there, java=java and str(java))
        settings.out("\n".join(f"  {name}: {counted(runner.scenario.repeats, 'run')}" for name in names))
        if runner.scenario.repeats < LEAST_RUNS:
            settings.note(f"note: too few to compare arms; `repeats: {LEAST_RUNS}` are the least")
    if java is not None:
        settings.note(f"One Java for all arms: {java}")
    if settings.dry_run:
        return
    with executing(settings, output, metrics_port) as execution:
        swept = runner.run(execution)
    text = swept_text(swept, Origin(settings.command, seed=runner.scenario.seed))
    if kind_of_place(output) is not None:  # an interrupt may come before the first run
        atomic_write_text(output / NAME, text)
    settings.emit(text)
    settings.out(sweep_table(swept))
    if swept.interrupted:
        whole = f"{swept.made} of {counted(number, 'run')}: the whole ones are in {output}"
        end(Code.INTERRUPTED, f"interrupted after {whole}; the same command goes on")
    settings.out(f"Written to {output / NAME}; `froude report {output / NAME}` draws it")
    if swept.worse or swept.undecided or not swept.reproduced:
        end(Code.MISSED)


def sweep_table(swept: Swept) -> str:
    """The verdicts, every arm with the medians of its runs, and what is to be kept in mind."""
    rows: list[tuple[str, ...]] = [
        ("arm", "runs", "failed", "left out", "calls/s", "mean ms", "p50 ms", "p99 ms", "limited by")
    ]
    rows += [(arm.name, *_cells(arm)) for arm in swept.arms]
    from froude.experiment.compare.comparable import LIMITED

    lines = [swept.answer, "", aligned(rows)]
    lines.append(
        f"Medians of an arm's runs; latency is {swept.latency}." if swept.made else "No run was made."
    )
    if swept.kept:
        lines.append(f"{counted(swept.kept, 'run')} had been made before, and kept.")
    reasons = Counter(run.left_out for arm in swept.arms for run in arm.runs if run.left_out)
    lines += [f"Left out, {counted(number, 'run')}: {why}." for why, number in reasons.items()]
    if LIMITED & reasons.keys():
        lines.append("What limits all alike may count: `compare: {limited: true}` in the scenario.")
    lines += dict.fromkeys(f"{remark}." for _, found in swept.compared for remark in found.remarks)
    return "\n".join(lines)


def _cells(arm: SweptArm) -> tuple[str, ...]:
    runs = arm.runs
    limited = "/".join(sorted({run.limited_by for run in runs}))
    rate, *latencies = (_median(arm, name) for name in ("throughput", "mean", "p50", "p99"))
    return (
        str(len(runs)),
        str(sum(run.failed for run in runs)),
        str(sum(bool(run.left_out) for run in runs)),
        "" if rate is None else f"{rate:,.0f}",
        *("" if each is None else f"{1e3 * each:.3g}" for each in latencies),
        limited,
    )


def _median(arm: SweptArm, measure: str) -> float | None:
    """Of all runs that have a value, those that do not count among them: it is shown, and nothing rests on it."""
    values = [value for run in arm.runs if (value := run.values.get(measure)) is not None and not run.failed]
    return median(values) if values else None


def _claim(output: Path, read: Sequence[Path]) -> None:
    """Make sure that runs may be kept in a folder; those that it holds are looked at when it is run.

    Raises:
        InputError: it is a file or an artifact, lies in one, or holds one of the inputs in the place of an arm.
    """
    place = kind_of_place(output)
    if place is not None and (not output.is_dir() or kind_of(output) is not None):
        found = kind_of(output) or "no folder"
        raise InputError("is no folder of a sweep", file=output, found=found, remedy="Choose another place")
    for each in read:
        if each.resolve() == output.resolve():
            raise InputError("is an input of this command", file=output, remedy="Choose another place")
