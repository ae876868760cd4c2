"""`froude compare --duet`, and `froude run` of a duet: baseline and candidate at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.clock import RealClock
from froude.base.errors import InputError
from froude.cli import inputs
from froude.cli.comparison import Written, show
from froude.cli.ending import Code, end
from froude.cli.fields import Given
from froude.cli.inputs import as_fields, named
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.experiment.runners import DuetRunner

NAME = "comparison.json"
"""Of the file in a duet's folder."""


def compare_at_once(
    settings: Settings,
    scenario: Path,
    written: Written,
    given: Given,
) -> None:
    """Do the duet of a scenario; what is given takes the place of what the scenario has.

    Raises:
        InputError: it is no duet, or cannot be played.
        typer.Exit: as `perform`.
    """
    from froude.experiment.runners import DuetRunner
    from froude.experiment.scenario.scenario import DuetScenario, read_scenario

    asked = read_scenario(scenario).scenario.moved(lambda path: inputs.place(settings, path))
    if not isinstance(asked, DuetScenario):
        remedy = "`froude scenario new duet` writes one"
        raise InputError("is no duet", file=scenario, place="kind", found=asked.kind, remedy=remedy)
    compare = asked.compare.replaced(**given)
    if "time_limit_s" in given:
        # There is no flag for the warm-up, which leaves at least half of the time.
        compare = compare.replaced(warm_up_s=min(compare.warm_up_s, compare.time_limit_s / 2))
    seed = asked.seed if settings.asked_seed is None else settings.asked_seed
    asked = asked.replaced(compare=compare, seed=seed)
    with as_fields(scenario, asked):
        perform(settings, DuetRunner.of(asked), [scenario], written.output or Path("duet"), written)


def perform(
    settings: Settings,
    runner: DuetRunner,
    read: Sequence[Path],
    output: Path,
    written: Written | None = None,
) -> None:
    """Play a duet, or print what would be played, and show what came of it.

    Args:
        read: what the command reads, but for the workload.
        written: where else the comparison is written; None for nowhere.

    Raises:
        FroudeError: it cannot be played.
        typer.Exit: it was interrupted, or the candidate is worse, or nothing could be compared.
    """
    from froude.base.units import seconds_text
    from froude.documents.artifact import Origin
    from froude.emulation.run.files import read_run
    from froude.experiment.compare.comparable import ARMS
    from froude.experiment.play.execution import Execution

    comparing = runner.scenario.compare
    written = replace(written or Written(), output=output / NAME)
    places = [Output(output / arm, "run", folder=True, keeps=True) for arm in ARMS]
    claim(settings, [*places, *written.places], [*read, runner.source])
    with named(runner.source):
        runner.check()
    if settings.dry_run:
        longest = seconds_text(comparing.time_limit_s)
        settings.would(
            f"play {runner.plan.scale} against baseline and candidate at once, for {longest} at most"
        )
        return
    with named(runner.source):
        found = runner.run(
            Execution(
                output, settings.workspace, settings.progress(), settings.command, workers=settings.workers
            )
        )
    origin = Origin(settings.command, (runner.opened.content,), runner.scenario.seed)
    interrupted = found.together is not None and found.together.interrupted
    environment = read_run(output / ARMS[0]).environment if (output / ARMS[0]).is_dir() else {}
    try:
        show(settings, found, origin, written, environment, RealClock().wall())
    finally:
        if interrupted:
            end(Code.INTERRUPTED, f"interrupted; what was played is in {output}")
    if not found.rows:
        end(Code.MISSED)
