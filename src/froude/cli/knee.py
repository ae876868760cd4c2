"""`froude knee`: how far a NameNode or a ResourceManager scales."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.summary import counted
from froude.cli import inputs
from froude.cli.ending import Code, end
from froude.cli.fields import Fields, Given, with_fields
from froude.cli.flags import WorkloadFile
from froude.cli.inputs import named
from froude.cli.outputs import Output, claim
from froude.cli.page_text import page_text
from froude.cli.play import SENDING
from froude.cli.settings import Settings
from froude.documents.artifact import Origin
from froude.emulation.limits import DEFAULT_LIMITS, MEASURES, YARN_LIMITS
from froude.experiment.scenario.options import KneeOptions, KneeSearch, NameNodeTarget, WorkloadLoad
from froude.workload.scale import Scale

if TYPE_CHECKING:
    from froude.experiment.knee.answer import Knee
    from froude.experiment.runners import KneeRunner


_MORE = {
    "limits": f"Of: {', '.join(MEASURES)}. The usual ones, of a NameNode: {'; '.join(DEFAULT_LIMITS)}; of a "
    f"ResourceManager: {'; '.join(YARN_LIMITS)}. 'error_rate <= 100 %' allows every call to fail."
}
_LOAD = Fields(WorkloadLoad, SENDING)
_SEARCH = Fields(KneeSearch, "raise_ most resolution cores")
_OPTIONS = Fields(
    KneeOptions,
    "limits repeats warm_up_s time_limit_s",
    flags={"limits": "--limit"},
    more=_MORE,
)
_TARGET = Fields(NameNodeTarget, "release heap properties", flags={"properties": "--conf"})


@with_fields
def knee(
    ctx: typer.Context,
    *,
    workload: WorkloadFile,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=QUANTITY", help="Where a scale variable begins [its largest recorded]; repeatable."
        ),
    ] = None,
    load: Annotated[Given, _LOAD],
    search: Annotated[Given, _SEARCH],
    options: Annotated[Given, _OPTIONS],
    target: Annotated[Given, _TARGET],
    output: Annotated[Path, typer.Option("-o", "--output", help="File of the answer.")] = Path("knee.json"),
) -> None:
    """How far does a NameNode or ResourceManager scale? Sustained load, raised until a limit breaks.

    Which of them a job's calls go to is started. Clients follow each other until each load was measured, for 15 seconds
    once the JIT compiler is quiet and the calls in a second have settled, on daemons that stay up for the search. A
    ResourceManager's clients are applications, whose masters and tasks run on emulated NodeManagers, and its answer is
    in containers a second, with how long they took to be granted. A job whose clients cannot follow each other is
    played once at each load instead, on fresh daemons each time, and --dry-run shows why. The load is raised as far
    as the machine's CPU allows until a limit breaks, then halved in between, and played again at both sides: 40 plays
    at most. Where the player or other work on the machine was the limit, the answer says so, and no smaller load is
    tried.
    Ends with 3 where no load kept its limits, or the answer is not known; an interrupt and --time-limit keep the plays
    that are whole.
    `froude report` shows latency and throughput against load.

    Example: froude knee workload.yaml --raise clients --limit 'p99(addBlock) < 50 ms' -o knee.json
    """
    settings: Settings = ctx.obj
    workload = inputs.place(settings, workload, "workload")
    claim_knee(settings, output, [workload])
    opened = inputs.workload(settings, workload)
    from froude.experiment.runners import KneeRunner
    from froude.experiment.scenario.scenario import KneeScenario

    scenario = KneeScenario(
        target=NameNodeTarget(**target, resourcemanager_heap=target["heap"]),
        load=WorkloadLoad(workload=workload, at=dict(Scale.parse(at or [])), **load),
        knee=KneeSearch(**search),
        seed=settings.seed,
        **options,
    )
    perform(settings, KneeRunner(scenario, opened), output)


def claim_knee(settings: Settings, output: Path, read: Sequence[Path]) -> None:
    """Make sure that an answer may be written.

    Raises:
        InputError: something else stands there, or it is one of what is read.
    """
    claim(settings, [Output(output, "knee")], read)


def perform(settings: Settings, runner: KneeRunner, output: Path) -> None:
    """Search for the knee of a scenario, or say what would be raised, and show what came of it.

    Raises:
        FroudeError: it cannot be searched for.
        typer.Exit: as `_show`.
    """
    from froude.experiment.play.execution import Execution

    with named(runner.source):
        if settings.dry_run:
            runner.check()
            settings.would(would_text(runner))
            return
        execution = Execution(
            output, settings.workspace, settings.progress(), settings.command, workers=settings.workers
        )
        found = runner.run(execution)
    _show(settings, found, runner, output)


def would_text(runner: KneeRunner) -> str:
    """What a search raises, how its clients are played where they are played once, and about how long it takes."""
    from froude.experiment.knee.duration import estimate_text, load_of
    from froude.experiment.knee.words import once_text

    loads, limits = runner.prepared
    raising = (
        f"raise {', '.join(loads.raised)} from {loads.base} until one of these breaks: {'; '.join(limits)}"
    )
    load = load_of(runner.scenario, loads.speed(1.0), sustained=loads.sustained)
    estimate = estimate_text(runner.scenario, load, loads.plan(1.0))
    parts = (f"{raising}.", f"{estimate[:1].upper()}{estimate[1:]}.", once_text(loads.obstacle))
    return "\n".join(part for part in parts if part)


def _show(settings: Settings, knee: Knee, runner: KneeRunner, output: Path) -> None:
    """Write and print what was found.

    Raises:
        typer.Exit: the search was interrupted, or no load kept its limits.
    """
    from froude.experiment.figures.page import page
    from froude.experiment.knee.answer import Status
    from froude.experiment.knee.file import knee_text, write_knee

    origin = Origin(settings.command, (runner.opened.content,), runner.scenario.seed)
    if knee.plays:
        write_knee(output, knee, origin)
        settings.emit(knee_text(knee, origin))
        settings.out(page_text(page([knee]).report))
        settings.out(f"Written to {output}; `froude report {output}` draws it")
    if knee.interrupted:
        whole = counted(len(knee.plays), "whole play")
        kept = f"what was played is in {output}" if knee.plays else "nothing was written"
        end(Code.INTERRUPTED, f"interrupted after {whole}: {kept}; its daemons are stopped")
    if knee.low is None or knee.status in {Status.BELOW, Status.MASKED}:
        end(Code.MISSED)
