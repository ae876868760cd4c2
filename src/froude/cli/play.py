"""`froude play`: a Plan against a real daemon → a Run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.units import parse_seconds, seconds_text
from froude.cli import inputs
from froude.cli.ending import Code, end
from froude.cli.inputs import as_flags, named
from froude.cli.numbers import finite
from froude.cli.outputs import Output, claim
from froude.cli.run_text import run_text
from froude.cli.settings import Settings
from froude.emulation.abort import MEASURES as LIVE
from froude.emulation.limits import MEASURES, check_limits
from froude.emulation.pacing import FASTEST, SLOWEST, SLOWEST_RAMP, Pacing
from froude.emulation.run.run import Record
from froude.emulation.run.summary import summarise, summary_text
from froude.emulation.run.verdict import Colour
from froude.emulation.sharing import MOST_PLAYERS
from froude.emulation.sustained import Leftovers, Mode, longest_warm_up_s
from froude.hadoop.cluster import background
from froude.hadoop.cluster.state import State
from froude.hadoop.rpc.target import daemon_name, parse_address
from froude.workload.plan import expected_s
from froude.workload.plan_file import read_plan

if TYPE_CHECKING:
    from froude.emulation.run.run import Run
    from froude.experiment.play.execution import Execution
    from froude.experiment.replay.dyno import DynoRunner
    from froude.experiment.runners import PlayRunner
    from froude.experiment.scenario.options import Running

MetricsPort = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics while it runs; 0 for any free port. With "
        "another HOST, everybody who reaches it can read them.",
    ),
]
PacingFlag = Annotated[
    Pacing | None,
    typer.Option(
        help="closed: clients wait for answers, as real ones do; scheduled: calls are due at planned times "
        "[scheduled, where service times were recorded]."
    ),
]
SpeedFlag = Annotated[
    float,
    typer.Option(
        min=SLOWEST,
        max=FASTEST,
        callback=finite,
        help="2 halves every recorded pause and, with scheduled pacing, every recorded service time.",
    ),
]
RampFlag = Annotated[
    float,
    typer.Option(
        min=SLOWEST_RAMP,
        max=FASTEST,
        callback=finite,
        help="Emulated daemons, such as DataNodes, that begin in a second, and the most clients of those that ran in "
        "parallel.",
    ),
]
PlayersFlag = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_PLAYERS,
        help="Processes that play, each some of the emulated nodes [one a core beyond the first].",
    ),
]
DurationFlag = Annotated[str | None, typer.Option(help="Longest time of a play, for example '5 min'.")]
ModeFlag = Annotated[
    Mode,
    typer.Option(
        help="once: the planned clients; population: as many are at work until the end, each that ends is followed by "
        "another one; arrivals: clients begin at a rate until the end."
    ),
]
RateFlag = Annotated[
    float | None,
    typer.Option(
        "--clients-per-s",
        min=1e-6,
        max=FASTEST,
        callback=finite,
        help="Clients that begin in a second, at random times, with --mode arrivals [as recorded].",
    ),
]
MeasureFlag = Annotated[
    str | None,
    typer.Option(
        help="How long a load that is kept up is measured once it is steady, for example '30 s' [until --duration]."
    ),
]
LeftoversFlag = Annotated[
    Leftovers,
    typer.Option(
        help="What becomes of files and folders that clients of a load that is kept up have made and not deleted: keep; "
        "remove: clients that follow delete them, next to their own calls."
    ),
]


def play(  # the flags of one command
    ctx: typer.Context,
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
    pacing: PacingFlag = None,
    speed: SpeedFlag = 1.0,
    ramp: RampFlag = 1000.0,
    players: PlayersFlag = None,
    duration: DurationFlag = None,
    mode: ModeFlag = Mode.ONCE,
    clients_per_s: RateFlag = None,
    measure: MeasureFlag = None,
    leftovers: LeftoversFlag = Leftovers.KEEP,
    record: Annotated[Record, typer.Option(help="Calls to write down.")] = Record.SAMPLED,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="What the run must keep, such as 'p99(addBlock) < 50 ms' or 'error_rate < 1 %'; repeatable. "
            f"Of: {', '.join(MEASURES)}.",
        ),
    ] = None,
    abort_when: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="End the play early, with 3, once this has held for its time, such as 'error_rate > 5 % for 30 s'; "
            f"repeatable. Of: {', '.join(LIVE)}.",
        ),
    ] = None,
    replay_ids: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Use the RPC client ids of a run of the same seed again, on another target: the run's own may answer "
            "from its retry cache for ten minutes [fresh ones in each play].",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the run.")] = Path("run"),
    metrics_port: MetricsPort = None,
) -> None:
    """Play a Plan against a real daemon → a Run.

    The NameNode of `froude hadoop up` in this workspace may be played on as it is, and is the target where none
    is named, with its ResourceManager where the plan calls one; any other needs its id (a ResourceManager's is the time
    stamp in the names of its applications), and the cluster that was recorded is always refused. The verdict is
    green, amber or red, with its reasons; a red one, such as a limit that was not kept, ends with 3. The run's
    folder holds `run.json`, flat and stable, for scripts.

    Example: froude play plan
    """
    from froude.experiment.play.playable import check_plan, limits_of
    from froude.experiment.runners import PlayRunner
    from froude.experiment.scenario.options import PlanLoad, Target
    from froude.experiment.scenario.scenario import PlayScenario

    settings: Settings = ctx.obj
    plan = inputs.place(settings, plan, "plan")
    claim_run(settings, output, [plan])
    limit_s = None if duration is None else parse_seconds(duration, place="--duration")
    measure_s = None if measure is None else parse_seconds(measure, place="--measure")
    with as_flags(limits="limit", abort_when="abort-when"):
        scenario = PlayScenario(
            load=PlanLoad(
                plan=plan,
                pacing=pacing,
                speed=speed,
                ramp=ramp,
                duration_s=limit_s,
                players=players,
                mode=mode,
                clients_per_s=clients_per_s,
                measure_s=measure_s,
                leftovers=leftovers,
            ),
            record=record,
            limits=tuple(limit or ()),
            abort_when=tuple(abort_when or ()),
            seed=settings.seed,
            replay_ids=None if replay_ids is None else inputs.place(settings, replay_ids, "run"),
        )
    planned = read_plan(plan)  # before the target: without a plan there is nothing to start one for
    with named(plan):
        facts = check_plan(planned, limit_s, pacing, scenario.load.turnover)
    check_limits(limits_of(scenario), facts)
    running = _running(settings, facts.daemons, target, target_is, http)
    scenario = replace(scenario, target=Target(running=running))
    perform(settings, PlayRunner(scenario, planned), plan, output, metrics_port)


def claim_run(settings: Settings, output: Path, read: Sequence[Path]) -> None:
    """Make sure that a run may be kept.

    Args:
        read: what the command reads.

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
        source: what is played, for errors.
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
        output: where it is kept.
        metrics_port: where to listen; None for nowhere.

    Raises:
        InputError: nobody can listen there.
    """
    from froude.experiment.play.execution import Execution

    execution = Execution(output, settings.workspace, settings.progress(), settings.command)
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
    settings.emit(summary_text(summarise(run)))
    settings.out(run_text(run))
    if run.failure is not None:
        end(Code.MISSED if run.aborted else Code.ERROR, str(run.failure))
    if run.interrupted:
        end(Code.INTERRUPTED, f"interrupted; what was played is in {output}")
    if run.verdict.colour is Colour.RED:
        end(Code.MISSED)


def _would_play(settings: Settings, runner: PlayRunner | DynoRunner, output: Path) -> None:
    from froude.emulation.facts import facts_of
    from froude.experiment.replay.dyno import DynoRunner

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


def _running(
    settings: Settings,
    daemons: Sequence[str],
    target: list[str] | None,
    target_is: list[str] | None,
    http: list[str] | None,
) -> dict[str, Running]:
    """The targets of the flags, or what runs in this workspace.

    Raises:
        InputError: no target, one that is no address, a flag that is given twice for one service, or a web address
            of a service without a target.
    """
    from froude.experiment.scenario.options import ANY, Running, parse_web

    uris = _by_service(target or [_here(settings)], "--target")
    addresses = {service: parse_address(uri, place="--target") for service, uri in uris.items()}
    ours = {service: _ours(settings, address) for service, address in addresses.items()}
    ids = {service: state.cluster_id for service, state in ours.items() if state is not None}
    ids |= _by_service(target_is or [], "--target-is")
    webs = {service: state.http for service, state in ours.items() if state is not None}
    for service, web in _by_service(http or [], "--http").items():
        parse_web(web, place="--http")
        if service and service not in uris:
            allowed = ", ".join(filter(None, uris)) or "HOST:PORT"
            raise InputError("is not the service of a target", place="--http", found=service, allowed=allowed)
        webs[service or next(iter(uris))] = web
    logs = {
        service: Path(state.gc_log) for service, state in ours.items() if state is not None and state.gc_log
    }
    running = {
        service or ANY: Running(
            address=uri,
            id=ids.get(service),
            http=webs.get(service),
            gc_log=logs.get(service),
        )
        for service, uri in uris.items()
    }
    return running if target else _with_master(settings, daemons, running)


def _with_master(
    settings: Settings, called: Sequence[str], running: dict[str, Running]
) -> dict[str, Running]:
    """What of all that runs in this workspace the plan calls."""
    from froude.experiment.scenario.options import Running, parse_web
    from froude.hadoop.cluster.resourcemanager import SERVICES

    state = background.running(settings.workspace)
    if state is None or not state.master_id or "resourcemanager" not in called:
        return running
    host, port = parse_web(state.resourcemanager)
    (namenode,) = running.values()
    address, page = f"{host}:{SERVICES['resourcemanager']}", f"{host}:{port}"
    master = Running(address=address, id=state.master_id, http=page)
    return {each: namenode if each == "namenode" else master for each in called}


def _here(settings: Settings) -> str:
    state = background.running(settings.workspace)
    if state is None:
        remedy = "Name one with --target, or start one: `froude hadoop up --datanodes 0`"
        raise InputError(
            "there is no target: nothing runs in this workspace", place="--target", remedy=remedy
        )
    return state.uri


def _ours(settings: Settings, address: tuple[str, int]) -> State | None:
    """What `froude hadoop up` runs in this workspace, where that is the target.

    The target must still say that it is this one: the guard compares.
    """
    state = background.running(settings.workspace)
    return state if state is not None and parse_address(state.uri, place="state") == address else None


def _by_service(texts: list[str], flag: str) -> dict[str, str]:
    """`[SERVICE=]VALUE` texts by service; the empty name stands for the only one.

    Args:
        flag: which, for the error.

    Raises:
        InputError: one service twice.
    """
    by_service: dict[str, str] = {}
    for text in texts:
        service, equals, value = text.rpartition("=")
        if (service if equals else "") in by_service:
            allowed = "one for each service, as SERVICE=VALUE"
            raise InputError("a service is given twice", place=flag, found=text, allowed=allowed)
        by_service[service if equals else ""] = value
    return by_service
