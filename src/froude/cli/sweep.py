"""`froude sweep`: the same experiment with some of its fields varied."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import kind_of_place
from froude.base.summary import counted
from froude.cli.inputs import named
from froude.cli.outputs import refuse_inside
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.workspace.recognise import kind_of

if TYPE_CHECKING:
    from froude.experiment.comparable import Sample
    from froude.experiment.runners import SweepRunner
    from froude.experiment.sweep import Swept

EXIT_MISSED, EXIT_INTERRUPTED = 3, 130


def sweep(
    ctx: typer.Context,
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help="The YAML file of a sweep.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder in which each arm has one, with its runs.")
    ] = Path("sweep"),
) -> None:
    """The same experiment with some of its fields varied: every value with every other, in turns.

    Each round runs every arm once, in an order of its own, and gives all of them one seed. Runs are kept in
    OUTPUT/ARM/ROUND; a sweep that was interrupted goes on where it stopped when it is started again. With one field
    and two values, the second is compared with the first as by `froude compare`, which ends with 3 where it is worse.
    `froude run` of such a scenario does the same.

    Example: froude sweep sweep.yaml -o sweep
    """
    from froude.experiment.runners import SweepRunner
    from froude.experiment.scenario import SweepScenario, read_scenario

    settings: Settings = ctx.obj
    asked = read_scenario(scenario).scenario
    if not isinstance(asked, SweepScenario):
        remedy = f"`froude run {scenario}` runs it"
        raise InputError("is no sweep", file=scenario, place="kind", found=asked.kind, remedy=remedy)
    if settings.asked_seed is not None:
        asked = replace(asked, seed=settings.asked_seed)
    with named(scenario):
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
        settings: global flags.
        runner: of the scenario.
        read: what the command reads.
        output: the sweep's folder.
        metrics_port: where Prometheus is answered meanwhile; None for nowhere.

    Raises:
        FroudeError: it cannot be run.
        typer.Exit: it was interrupted, or the second of two arms is worse.
    """
    from froude.cli.compare import show
    from froude.cli.play import executing
    from froude.workspace.artifact import Origin

    _claim(output, [*read, runner.scenario.base])
    number = len(runner.arms) * runner.scenario.repeats
    if settings.dry_run:
        runner.check()
        there = len(runner.runs_there(output))
        names = [arm.name for arm in runner.arms]
        settings.would(f"make {counted(number - there, 'run')} into {output}", arms=names, kept=there)
        settings.out("\n".join(f"  {name}: {counted(runner.scenario.repeats, 'run')}" for name in names))
        return
    with executing(settings, output, metrics_port) as execution:
        swept = runner.run(execution)
    settings.out(sweep_table(swept))
    if swept.interrupted:
        whole = sum(map(len, swept.arms.values()))
        text = (
            f"froude: interrupted after {whole} of {counted(number, 'run')}: the whole ones are in {output}; "
        )
        print(text + "the same command goes on", file=sys.stderr)
        raise typer.Exit(EXIT_INTERRUPTED)
    if swept.comparison is None:
        settings.emit({"arms": {name: [each.name for each in runs] for name, runs in swept.arms.items()}})
        return
    settings.out("")
    show(settings, swept.comparison, Origin(settings.command, seed=runner.scenario.seed))


def sweep_table(swept: Swept) -> str:
    """Every arm with the medians of its runs, and what is to be kept in mind.

    Args:
        swept: what came of a sweep.
    """
    rows = [("arm", "runs", "failed", "calls/s", "mean ms", "p50 ms", "p99 ms", "limited by")]
    for name, samples in swept.arms.items():
        rows.append((name, *_cells(samples)))
    lines = (
        [aligned(rows), "Medians of an arm's runs; latency is " + _latency(swept) + "."] if rows[1:] else []
    )
    if swept.kept:
        lines.append(f"{counted(swept.kept, 'run')} had been made before, and kept.")
    return "\n".join([*lines, *swept.remarks])


def _cells(samples: Sequence[Sample]) -> tuple[str, str, str, str, str, str, str]:
    from froude.experiment.compared import mean_s

    runs = [each.run for each in samples if each.run.failure is None]
    failed = str(len(samples) - len(runs))
    if not runs:
        return (str(len(samples)), failed, "", "", "", "", "")
    rate = median(run.throughput() for run in runs)
    mean_ms = median((mean_s(run) or 0.0) * 1e3 for run in runs)
    p50, p99 = (median(getattr(run.latency(), name) for run in runs) for name in ("p50_ms", "p99_ms"))
    limited = "/".join(sorted({run.bottleneck.by.value for run in runs}))
    return (str(len(samples)), failed, f"{rate:,.0f}", f"{mean_ms:.3g}", f"{p50:.3g}", f"{p99:.3g}", limited)


def _latency(swept: Swept) -> str:
    kinds = {each.run.main_latency.value for runs in swept.arms.values() for each in runs}
    return " or ".join(sorted(kinds))


def _claim(output: Path, read: Sequence[Path]) -> None:
    """Make sure that runs may be kept in a folder; those that it holds are looked at when it is run.

    Raises:
        InputError: it is a file or an artifact, lies in one, or holds one of the inputs in the place of an arm.
    """
    place = kind_of_place(output)
    if place is not None and (not output.is_dir() or kind_of(output) is not None):
        found = kind_of(output) or "no folder"
        raise InputError("is no folder of a sweep", file=output, found=found, remedy="Choose another place")
    refuse_inside(output)
    for each in read:
        if each.resolve() == output.resolve():
            raise InputError("is an input of this command", file=output, remedy="Choose another place")
