"""`froude play`: a Plan against a real daemon → a Run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.units import seconds_text
from froude.cli import inputs
from froude.cli.ending import Code, end
from froude.cli.fields import Fields, Given, with_fields
from froude.cli.inputs import named
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.emulation.abort import MEASURES as LIVE
from froude.emulation.limits import MEASURES, check_limits
from froude.emulation.settings import Mode
from froude.experiment.scenario.options import PlanLoad, PlayOptions, Target
from froude.hadoop.rpc.target import daemon_name

if TYPE_CHECKING:
    from froude.emulation.run.run import Run
    from froude.experiment.play.execution import Execution
    from froude.experiment.replay.dyno import DynoRunner
    from froude.experiment.runners import PlayRunner

MetricsPort = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics while it runs; 0 for any free port. With "
        "another HOST, everybody who reaches it can read them.",
    ),
]
SENDING = "pacing speed ramp players duration_s measure_s leftovers"
"""Fields of a load that `froude play` and `froude knee` have as flags."""
_MORE = {"limits": f"Of: {', '.join(MEASURES)}.", "abort_when": f"Of: {', '.join(LIVE)}."}
_LOAD = Fields(PlanLoad, f"{SENDING} mode clients_per_s")
_OPTIONS = Fields(PlayOptions, "record limits abort_when replay_ids", flags={"limits": "--limit"}, more=_MORE)


@with_fields
def play(
    ctx: typer.Context,
    *,
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan's folder, or its name here.")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]hdfs://HOST:PORT",
            help="Whom to play against [what `froude hadoop up` runs here]; repeat for each service that is called.",
        ),
    ] = None,
    target_is: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]ID",
            help="Its id (a NameNode's cluster id), for a daemon that Froude did not start; repeatable.",
        ),
    ] = None,
    http: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]HOST:PORT",
            help="Its web address, to record its metrics as well; without a service, that of the first target.",
        ),
    ] = None,
    load: Annotated[Given, _LOAD],
    options: Annotated[Given, _OPTIONS],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the run.")] = Path("run"),
    metrics_port: MetricsPort = None,
) -> None:
    """Play a Plan against a real daemon → a Run.

    The NameNode of `froude hadoop up` in this workspace may be played on as it is, and is the target where none
    is named, with its ResourceManager where the plan calls one; any other needs its id (a ResourceManager's is the time
    stamp in the names of its applications), and the cluster that was recorded is always refused. The verdict is
    green, amber or red, with its reasons; a red one, such as a limit that was not kept, ends with 3. The run's
    folder holds `run.json`, flat and stable, for scripts. With `--workers tcp://HOST:PORT` the workers of a dask
    scheduler play, one player each.

    Example: froude play plan
    """
    from froude.experiment.play.playable import check_plan, limits_of
    from froude.experiment.play.targets import running_targets
    from froude.experiment.runners import PlayRunner
    from froude.experiment.scenario.scenario import PlayScenario
    from froude.workload.plan_file import read_plan

    settings: Settings = ctx.obj
    plan = inputs.place(settings, plan, "plan")
    claim_run(settings, output, [plan])
    scenario = PlayScenario(load=PlanLoad(plan=plan, **load), seed=settings.seed, **options)
    scenario = scenario.moved(lambda path: inputs.place(settings, path))
    planned = read_plan(plan)  # before the target: without a plan there is nothing to start one for
    with named(plan):
        facts = check_plan(planned, scenario.load.duration_s, scenario.load.pacing, scenario.load.turnover)
    check_limits(limits_of(scenario), facts)
    running = running_targets(
        settings.workspace, facts.daemons, target=target or (), target_is=target_is or (), http=http or ()
    )
    scenario = scenario.replaced(target=Target(running=running))
    perform(settings, PlayRunner(scenario, planned), plan, output, metrics_port)


def claim_run(settings: Settings, output: Path, read: Sequence[Path]) -> None:
    """Make sure that a run may be kept.

    Raises:
        InputError: something stands there, or it lies in something that is read.
    """
    claim(settings, [Output(output, "run", folder=True, keeps=True)], read)


def perform(
    settings: Settings,
    runner: PlayRunner | DynoRunner,
    source: Path,
    output: Path,
    metrics_port: str | None = None,
) -> None:
    """Play a scenario, or say what would be played, and show what came of it.

    Args:
        metrics_port: where Prometheus is answered meanwhile; None for nowhere.

    Raises:
        FroudeError: it cannot be played.
        typer.Exit: as `_show`.
    """
    if settings.dry_run:
        with named(source):
            runner.check()
            _would_play(settings, runner, output)
        return
    with executing(settings, output, metrics_port) as execution, named(source):
        run = runner.run(execution)
    _show(settings, run, output)


@contextmanager
def executing(settings: Settings, output: Path, metrics_port: str | None) -> Iterator[Execution]:
    """Where an experiment is run, with Prometheus answered meanwhile.

    Args:
        metrics_port: where to listen; None for nowhere.

    Raises:
        InputError: nobody can listen there.
    """
    from froude.experiment.play.execution import Execution

    execution = Execution(
        output, settings.workspace, settings.progress(), settings.command, workers=settings.workers
    )
    if metrics_port is None:
        yield execution
        return
    from froude.experiment.play.prometheus import served

    with served(metrics_port) as endpoint:
        settings.note(f"Metrics for Prometheus: {endpoint.url} ({endpoint.readers})")
        yield replace(execution, live=endpoint.live)


def _show(settings: Settings, run: Run, output: Path) -> None:
    """Print what happened.

    Raises:
        typer.Exit: the target failed, the play was interrupted, or its verdict is red.
    """
    from froude.cli.run_text import run_text
    from froude.emulation.run.summary import summarise, summary_text
    from froude.emulation.run.verdict import Colour

    settings.emit(summary_text(summarise(run)))
    settings.out(run_text(run))
    if run.failure is not None:
        end(Code.MISSED if run.aborted or run.partial else Code.ERROR, str(run.failure))
    if run.interrupted:
        end(Code.INTERRUPTED, f"interrupted; what was played is in {output}")
    if run.verdict.colour is Colour.RED:
        end(Code.MISSED)


def _would_play(settings: Settings, runner: PlayRunner | DynoRunner, output: Path) -> None:
    from froude.emulation.facts import facts_of
    from froude.emulation.sustained import longest_warm_up_s
    from froude.experiment.replay.dyno import DynoRunner
    from froude.workload.plan import expected_s

    if isinstance(runner, DynoRunner):
        settings.would(f"play {runner.what} into {output}")
        return
    plan, scenario = runner.plan, runner.scenario
    running = [each.address for each in scenario.target.running.values()]
    heaps = {"namenode": scenario.target.heap, "resourcemanager": scenario.target.resourcemanager_heap}
    started = " and ".join(f"a {daemon_name(each)} of {heaps[each]}" for each in facts_of(plan).daemons)
    where = ", ".join(running) or f"{started} started for it"
    load, warm_up_s = scenario.load, None
    seconds = load.duration_s
    if load.mode is Mode.ONCE:
        seconds = expected_s(plan, speed=load.speed, ramp_per_s=load.ramp)
    elif seconds is not None:
        warm_up_s = longest_warm_up_s(seconds, load.measure_s)
    settings.would(
        f"play on {where} into {output}",
        nodes=dict(plan.counts),
        playable=plan.playable,
        expected_s=seconds,
        **({} if warm_up_s is None else {"longest_warm_up_s": warm_up_s}),
    )
    settings.out("\n".join(f"{count:>8,}  {name}" for name, count in plan.counts.items()))
    settings.out(_length_text(seconds, load.measure_s, warm_up_s))


def _length_text(seconds: float | None, measure_s: float | None, warm_up_s: float | None) -> str:
    """How long a play takes.

    Args:
        warm_up_s: the most of it before it is measured; None for a load that is played once.
    """
    if seconds is None:
        return "Its nodes never end"
    if warm_up_s is None:
        return f"About {seconds:,.0f} s, with quick answers"
    measured = "until its end" if measure_s is None else f"for {seconds_text(measure_s)}"
    return (
        f"At most {seconds_text(seconds)}: measured {measured} once it is steady, "
        f"after a warm-up of at most {seconds_text(warm_up_s)}"
    )
