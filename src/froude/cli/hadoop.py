"""`froude hadoop`: get a Hadoop, look at it, keep a small cluster running."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from froude.base.errors import InputError, TargetError
from froude.cli.ending import Code, end
from froude.cli.inputs import pairs
from froude.cli.settings import Settings
from froude.cli.terminal import results
from froude.hadoop.cluster import background, cds_build, launcher
from froude.hadoop.cluster.state import Process, State, read_state
from froude.hadoop.release.distribution import (
    DEFAULT_RELEASE,
    Hadoop,
    cache_folder,
    cached_releases,
    java_for,
)
from froude.hadoop.release.jvm import heap_bytes
from froude.hadoop.release.yarn_jars import JOBS, YarnJars
from froude.hadoop.settings.yarn import HOSTS, PREFIXES, Containers
from froude.hadoop.settings.yarn_memory import Nodes, check_memory

_DOWN_S = 600.0
"""How long a recording may take to be written."""
_RECOVER = "What there is of it: `froude trace validate TRACE.partial --recover`"

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False)


class Ports(Enum):
    """Where a cluster listens."""

    FREE = "free"
    """On free ports."""
    FIXED = "fixed"
    """Where clients look that are told nothing."""


_Release = Annotated[
    str | None,
    typer.Argument(metavar="RELEASE", help=f"Such as 3.4.2 [{DEFAULT_RELEASE}]."),
]
_Home = Annotated[Path | None, typer.Option("--folder", help="An unpacked Hadoop, or a folder of its jars.")]


@app.callback()
def hadoop() -> None:
    """Get a Hadoop; start and stop a small cluster of real daemons on loopback."""


@app.command()
def fetch(
    ctx: typer.Context,
    release: _Release = None,
    yarn: Annotated[
        bool, typer.Option("--yarn", help="YARN, MapReduce and ready jobs, too: 60 MB more.")
    ] = False,
    prepare: Annotated[
        bool, typer.Option(help="Start it once, so that fast start-up takes half the time (15 s, 80 MB).")
    ] = True,
) -> None:
    """Fetch the jars of a release, unless they are in the cache.

    Only what a NameNode, a DataNode and the file system shell load: about 45 MB. A mirror in
    ~/.m2/settings.xml and jars in ~/.m2/repository are used; every jar is checked against its hash.

    Example: froude hadoop fetch
    """
    settings: Settings = ctx.obj
    wanted = release or DEFAULT_RELEASE
    if settings.dry_run:
        settings.would(f"fetch Hadoop {wanted}{' with YARN' if yarn else ''} into {cache_folder()}")
        return
    environ = {key: value for key, value in os.environ.items() if key != "HADOOP_HOME"}
    progress = settings.progress()
    hadoop = Hadoop.find(wanted, progress=progress, environ=environ)
    if yarn:
        YarnJars.find(hadoop, progress=progress)
    if prepare:
        cds_build.prepare(hadoop, progress)
    settings.emit(_described(hadoop))
    settings.out(f"Hadoop {hadoop.version}: {len(hadoop.jars)} jars in {cache_folder()}, for {hadoop.java}")


@app.command()
def show(ctx: typer.Context, release: _Release = None, folder: _Home = None) -> None:
    """Show the Hadoop that would be used, its Java, and what runs in this workspace.

    Ends with 1 where a daemon of the cluster no longer runs.

    Example: froude hadoop show
    """
    settings: Settings = ctx.obj
    cached = cached_releases(cache_folder())
    wanted = release or DEFAULT_RELEASE
    from_cache = folder is None and "HADOOP_HOME" not in os.environ
    hadoop = None
    if not from_cache or wanted in cached:
        home = {} if folder is None else {"HADOOP_HOME": str(folder)}
        hadoop = Hadoop.find(release, folder, java=java_for([release], {**os.environ, **home}))
    where = background.folder_of(settings.workspace)
    state = background.running(settings.workspace) or read_state(where / background.STATE)
    ended = {} if state is None else background.ended(settings.workspace, state)
    settings.emit(
        {
            "hadoop": None if hadoop is None else _described(hadoop),
            "cached": cached,
            "running": None if state is None or not state.supervisor.alive else state.plain(),
            "ended": ended,
        }
    )
    if hadoop is None:
        settings.out(f"Hadoop {wanted} is not in the cache. `froude hadoop fetch {wanted}` gets it.")
    else:
        size = sum(jar.stat().st_size for jar in hadoop.jars) / 1e6
        settings.out(f"Hadoop    {hadoop.version}, {len(hadoop.jars)} jars, {size:.1f} MB ({hadoop.source})")
        settings.out(f"Java      {hadoop.java}")
    settings.out(f"Cached    {', '.join(cached) or 'none'} in {cache_folder()}")
    if state is None:
        settings.out("Running   nothing in this workspace")
    else:
        _print_state(settings, state, ended)
    if ended:
        settings.note(f"froude: no longer running: {', '.join(ended)}. `froude hadoop down` removes the rest")
        end(Code.ERROR)


@app.command()
def up(
    ctx: typer.Context,
    release: _Release = None,
    folder: _Home = None,
    datanodes: Annotated[int, typer.Option(help="How many DataNodes; 0 for emulated ones.")] = 3,
    nodemanagers: Annotated[
        int, typer.Option(min=0, help="How many NodeManagers; with any, YARN runs beside HDFS.")
    ] = 0,
    resourcemanager: Annotated[
        bool,
        typer.Option(
            "--resourcemanager", help="A ResourceManager, too, without NodeManagers: for emulated ones."
        ),
    ] = False,
    node_memory: Annotated[
        str, typer.Option(help="What the containers of one NodeManager may use.")
    ] = "1 GiB",
    replication: Annotated[int, typer.Option(help="Copies of each block.")] = 2,
    heap: Annotated[str, typer.Option(help="The NameNode's largest heap.")] = "512 MB",
    fast: Annotated[bool, typer.Option("--fast", help="Start quickly; not for measuring.")] = False,
    conf: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A property of the daemons' configuration; repeatable."),
    ] = None,
    ports: Annotated[
        Ports, typer.Option(help="fixed: clients find it at 127.0.0.1:8020, its web server at 9870.")
    ] = Ports.FREE,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay until Ctrl-C or SIGTERM, and end the cluster then.")
    ] = False,
    through_proxy: Annotated[
        bool, typer.Option("--through-proxy", help="Record all calls until `froude hadoop down` → a Trace.")
    ] = False,
    scale: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="With --through-proxy: the scale it runs at; repeatable."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="With --through-proxy: of the Trace [trace-1, ...].")
    ] = None,
) -> None:
    """Start a small cluster that belongs to this workspace; it goes on in the background.

    Clients find it by the configuration and the `hdfs` command whose places are shown, or by `froude hadoop shell`.
    With --through-proxy they and the nodes reach the masters through a proxy that records every call; `froude hadoop
    down` makes the Trace whole. With --nodemanagers a ResourceManager, a JobHistoryServer and NodeManagers run, too,
    node N beside DataNode N: `froude hadoop run` gives them jobs. With --resourcemanager one runs for `froude play`,
    whose NodeManagers are emulated.

    Example: froude hadoop up --datanodes 0
    """
    settings: Settings = ctx.obj
    heap_bytes(heap)
    if (scale or name) and not through_proxy:
        raise typer.BadParameter("--scale and --name describe a recording: give --through-proxy, too")
    if foreground and through_proxy:
        raise typer.BadParameter("--through-proxy records until `froude hadoop down`: leave --foreground out")
    if resourcemanager and (nodemanagers or through_proxy):
        raise typer.BadParameter("--resourcemanager is for emulated NodeManagers, and is not recorded")
    properties = pairs(conf or [], "--conf")
    runs = PREFIXES if nodemanagers else ("yarn.",) if resourcemanager else ()
    _refuse_yarns(properties, runs)
    node_mb = _node_mb(settings, Nodes(datanodes, nodemanagers, Containers(heap_bytes(node_memory) >> 20)))
    named = _counted(datanodes, nodemanagers, alone=resourcemanager)
    if settings.dry_run:
        settings.would(f"start {named} in {settings.workspace}")
        return
    recording = _recording(settings, (datanodes, nodemanagers), scale or [], name) if through_proxy else None
    if background.running(settings.workspace) is None:
        hadoop = Hadoop.find(release, folder, progress=settings.progress())
        if nodemanagers or resourcemanager:
            YarnJars.find(hadoop, progress=settings.progress())
    wanted = background.Wanted(
        datanodes,
        replication,
        heap,
        fast,
        release,
        None if folder is None else str(folder.absolute()),
        ports is Ports.FIXED,
        recording,
        nodemanagers,
        node_mb,
        resourcemanager,
        properties,
    )
    module = "froude.experiment.record.recorded_cluster" if through_proxy else background.SUPERVISOR
    if foreground:
        _hold(settings, wanted, named)
        return
    with settings.progress().task(f"Starting {named}"):
        state = background.start(settings.workspace, wanted, supervisor_module=module)
    settings.emit(state.plain())
    _print_state(settings, state)


@app.command()
def down(ctx: typer.Context) -> None:
    """End the cluster of this workspace, exactly that, and remove its data; also one that still starts.

    Example: froude hadoop down
    """
    settings: Settings = ctx.obj
    if settings.dry_run:
        state = background.running(settings.workspace) or background.starting(settings.workspace)
        settings.would("end nothing: nothing runs here" if state is None else f"end {_named(state)}")
        return
    ended = background.stop(settings.workspace, timeout_s=_DOWN_S)
    settings.emit({"ended": None if ended is None else ended.plain()})
    settings.out("Nothing ran in this workspace" if ended is None else f"Ended {_named(ended)}")
    if isinstance(ended, State) and ended.trace:
        if not Path(ended.trace).is_dir():
            raise TargetError("was not made whole", file=ended.trace, remedy=_RECOVER)
        settings.out(f"Trace written to {ended.trace}: `froude trace show {Path(ended.trace).name}`")


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
def shell(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="-- WORDS", help="As after `hdfs dfs`, or after `hdfs`.")
    ] = None,
) -> None:
    """Run Hadoop's file system shell, or another of its commands, on the cluster of this workspace.

    What begins with a hyphen is for `hdfs dfs`, anything else for `hdfs` itself: `froude hadoop shell -- fsck /`.
    Standard input, output and the exit code are the command's own.

    Example: froude hadoop shell -- -ls /
    """
    settings: Settings = ctx.obj
    state = _running(settings)
    given = words or []
    command = given if given and not given[0].startswith("-") else ["dfs", *given]
    if settings.dry_run:
        settings.would(f"run hdfs {' '.join(command)} on {state.uri}")
        return
    raise typer.Exit(launcher.call(_home_of(settings, state), command, results()))


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
def run(
    ctx: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(metavar="JOB ...", help="examples, streaming, distcp or a jar; its arguments."),
    ],
) -> None:
    """Run a job on the YARN of this workspace's cluster, to its end.

    A jar's arguments are those of `hadoop jar`: a class first where the jar names none. Standard input, output and the
    exit code are the job's client's own.

    Example: froude hadoop run examples pi 2 100
    """
    settings: Settings = ctx.obj
    state = _running(settings)
    if not state.resourcemanager or state.master_id:
        remedy = "`froude hadoop down`, then `froude hadoop up --nodemanagers 3`"
        raise InputError("runs without YARN", file=state.uri, remedy=remedy)
    job = words[0]
    if job not in JOBS and not Path(job).is_file():
        allowed = f"{', '.join(JOBS)}, or a jar's file"
        raise InputError("is no job", file=job, allowed=allowed)
    command = words if job in JOBS else ["jar", *words]
    if settings.dry_run:
        settings.would(f"run yarn {' '.join(command)} on {state.resourcemanager}")
        return
    raise typer.Exit(launcher.call(_home_of(settings, state), command, results()))


def _running(settings: Settings) -> State:
    state = background.running(settings.workspace)
    if state is None:
        remedy = "Start a cluster: `froude hadoop up`"
        raise InputError("nothing runs here", file=settings.workspace, remedy=remedy)
    return state


def _hold(settings: Settings, wanted: background.Wanted, named: str) -> None:
    """Stay until somebody ends it, here or by `froude hadoop down`."""
    with ExitStack() as stack:
        with settings.progress().task(f"Starting {named}"):
            state, process = stack.enter_context(background.held(settings.workspace, wanted))
        settings.emit(state.plain())
        _print_state(settings, state)
        settings.out("Ctrl-C ends it")
        code = process.wait()
    if code:
        raise TargetError("ended by itself", file="the cluster's supervisor", found=f"exit code {code}")


def _refuse_yarns(properties: Mapping[str, str], runs: tuple[str, ...]) -> None:
    for name in properties:
        if name.startswith(PREFIXES) and not name.startswith(runs):
            raise InputError(
                "is YARN's, which does not run", place="--conf", found=name, allowed="--nodemanagers as well"
            )


def _counted(datanodes: int, nodemanagers: int, *, alone: bool = False) -> str:
    nodes = f"{datanodes} DataNode{'s' * (datanodes != 1)}"
    if alone:
        return f"a NameNode, a ResourceManager and {nodes}"
    if not nodemanagers:
        return f"a NameNode and {nodes}"
    return f"a NameNode, a ResourceManager, {nodes} and {nodemanagers} NodeManager{'s' * (nodemanagers != 1)}"


def _node_mb(settings: Settings, nodes: Nodes) -> int:
    """Memory of a node's containers; what does not fit into this machine is an error, what may not is said."""
    if nodes.nodemanagers:
        warning = check_memory(nodes, psutil.virtual_memory().available)
        if warning is not None:
            settings.note(warning)
    return nodes.containers.node_mb


def _recording(
    settings: Settings, nodes: tuple[int, int], scale: list[str], name: str | None
) -> dict[str, Any]:
    """What the process that records is told; a wrong Scale or name is an error now."""
    from froude.documents.store import Workspace
    from froude.experiment.record.recorded_cluster import RecordingWanted
    from froude.experiment.scenario.run_lists import DATANODES, NODEMANAGERS
    from froude.workload.scale import Scale

    workspace = Workspace.begin(settings.workspace)
    asked = {DATANODES: str(nodes[0])} | ({NODEMANAGERS: str(nodes[1])} if nodes[1] else {})
    asked |= {key: str(value) for key, value in Scale.parse(scale).items()}
    workspace.new("trace", name)
    return asdict(RecordingWanted(str(workspace.folder), asked, name, settings.command))


def _home_of(settings: Settings, state: State) -> Path:
    """Where its `bin/hdfs` is: nothing is run from elsewhere, whatever the file of the state says."""
    folder = background.folder_of(settings.workspace).resolve()
    home = Path(state.home).resolve()
    if folder not in home.parents:
        file = folder / background.STATE
        allowed = f"a folder below {folder}"
        raise InputError(
            "home is not this workspace's", file=file, found=state.home or "none", allowed=allowed
        )
    return home


def _named(cluster: State | Process) -> str:
    if isinstance(cluster, State):
        return cluster.uri
    return f"a cluster on its way up, process {cluster.pid}"


def _described(hadoop: Hadoop) -> dict[str, Any]:
    return {
        "version": hadoop.version,
        "source": hadoop.source,
        "jars": [str(jar) for jar in hadoop.jars],
        "java": {"version": hadoop.java.version, "path": str(hadoop.java.path), "source": hadoop.java.source},
    }


def _print_state(settings: Settings, state: State, ended: Mapping[str, str | None] | None = None) -> None:
    settings.out(f"Running   Hadoop {state.release}, {state.uri}")
    settings.out(f"          {state.cluster_id}, {state.http}/jmx")
    width = max((len(each.name) for each in state.daemons), default=0)
    for each in state.daemons:
        settings.out(f"          {each.name:<{width}} process {each.pid:<8} {each.address}")
        if ended and each.name in ended:
            settings.out(f"          {'':<{width}} ENDED; {ended[each.name] or 'no error in its log'}")
    if state.master_id:
        settings.out(f"Pages     {state.resourcemanager} jobs and nodes; its NodeManagers are emulated")
    elif state.resourcemanager:
        settings.out(f"Pages     {state.resourcemanager} jobs and nodes, {state.jobhistory} jobs that ended")
    if state.home:
        settings.out(f"Clients   export HADOOP_CONF_DIR={state.home}/conf PATH={state.home}/bin:$PATH")
    if state.resourcemanager and not state.master_id:
        hosts = f"{state.home}/conf/{HOSTS}"
        settings.out(f"Other JVM export JDK_JAVA_OPTIONS=-Djdk.net.hosts.file={hosts}")
        settings.out("Jobs      froude hadoop run examples pi 2 100")
    if state.trace:
        settings.out(f"Recording {state.trace}, until `froude hadoop down`")
