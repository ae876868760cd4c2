"""The parts of an experiment: who is called, with what load, by which emulated nodes, within which limits.

Each is declared once; `scenario` puts them together to what a file says, and `play` and `knee` take them as their
options. In a file a time has its unit (`duration: 5 min`), and a path is relative to the file's folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from froude.base.errors import InputError
from froude.base.units import seconds_text
from froude.documents.forms import Amount, FieldError, Number, Place, Seconds, Text
from froude.documents.model import Example, Flag, Model, declared
from froude.emulation.abort import EXAMPLE, parse_condition
from froude.emulation.limits import MEASURES, parse_limit
from froude.emulation.settings import (
    FASTEST,
    MOST_PLAYERS,
    SLOWEST,
    SLOWEST_RAMP,
    Connections,
    DatanodeSettings,
    Leftovers,
    Mode,
    NodemanagerSettings,
    Pacing,
    Record,
    Turnover,
)
from froude.hadoop.release.jvm import check_release, heap_bytes
from froude.hadoop.rpc.target import parse_address

ANY = "any"
"""In a file, the service of the only target: whoever is called."""
SPREAD = 4
"""The first clients of a population begin within this part of the longest time of a play."""


def parse_web(text: str, *, place: str = "http") -> tuple[str, int]:
    """Host and port of a web server.

    Args:
        text: `HOST:PORT`, or with `http://` before it.

    Raises:
        InputError: another form.
    """
    host, colon, port = text.removeprefix("http://").rstrip("/").rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdecimal() and len(port) < 6):
        port = "0"
    if not 0 < int(port) < 1 << 16:
        raise InputError("not a web address", place=place, found=text, allowed="HOST:PORT")
    return host, int(port)


def _check_address(text: str) -> None:
    parse_address(text, place="address")


_Limits = Annotated[
    tuple[Annotated[str, Text(parse_limit, f"a limit on one of {', '.join(MEASURES)}")], ...],
    Example(["p99(addBlock) < 50 ms", "error_rate < 1 %"]),
]
_Conditions = Annotated[
    tuple[Annotated[str, Text(parse_condition, f"a limit and its time, such as '{EXAMPLE}'")], ...],
    Example([EXAMPLE]),
]


def check_conditions(conditions: Sequence[str], longest_s: float, whole: str) -> None:
    """Refuse a condition that would have to hold for longer than a play can take, and so never ends it.

    Args:
        longest_s: the longest time of the play, seconds.
        whole: what that time is called.

    Raises:
        FieldError: there is one.
    """
    for number, text in enumerate(conditions):
        for_s = parse_condition(text).for_s
        if for_s > longest_s:
            raise FieldError(
                "must hold for longer than the whole play",
                names=("abort_when", f"[{number}]"),
                found=seconds_text(for_s),
                allowed=f"at most the {whole}, {seconds_text(longest_s)}",
            )


# --- who is called ----------------------------------------------------------------------------------------


class Running(Model):
    """A daemon that runs already, and that Froude did not start for this."""

    address: Annotated[str, Text(_check_address, "hdfs://HOST:PORT")]
    """Where it answers."""
    id: str | None = None
    """Who it must say that it is: a NameNode's cluster id, a ResourceManager's start and address."""
    http: Annotated[str | None, Text(parse_web, "HOST:PORT"), Example("127.0.0.1:9870")] = None
    """Its web address, to record its metrics as well."""
    gc_log: Annotated[Place | None, Example("gc.log")] = None
    """Log of its JVM's garbage collector, on this machine: of -Xlog:gc*,safepoint with the time of day in each line."""


class ReleaseTarget(Model):
    """Daemons that Froude starts."""

    release: Annotated[str | None, Text(check_release, "such as 3.5.0"), Example("3.5.0")] = None
    """Hadoop release that is fetched and started; the one that is found here by default."""


class NameNodeTarget(ReleaseTarget):
    """A NameNode that Froude starts."""

    heap: Annotated[str, Text(heap_bytes, "a size of 16 MiB to 16 TiB")] = "1 GB"
    """Largest heap of the NameNode."""
    resourcemanager_heap: Annotated[str, Text(heap_bytes, "a size of 16 MiB to 16 TiB")] = "1 GB"
    """Largest heap of the ResourceManager that is started beside it for a plan that calls one."""
    java_options: Annotated[tuple[str, ...], Example(["-XX:+UseParallelGC"])] = ()
    """Further options of each JVM."""
    jars: Annotated[Place | None, Example("build")] = None
    """Folder of jars that come before the release's own on the class path, such as a build with a change."""
    properties: Annotated[Mapping[str, str], Example({"dfs.namenode.handler.count": "64"})] = {}
    """Properties of their configuration, each a text; they count before those of the folder `conf`."""
    conf: Annotated[Place | None, Example("conf")] = None
    """Folder with the core-site.xml and hdfs-site.xml of a cluster: all in them but addresses, folders and secrets."""
    image: Annotated[Place | None, Example("name")] = None
    """Name directory or FsImage to start from; it is copied, and gets ids of its own."""


class Target(NameNodeTarget):
    """A NameNode that Froude starts, or daemons that run already."""

    running: Annotated[
        Mapping[str, Running],
        Example({ANY: {"address": "hdfs://127.0.0.1:8020", "id": "CID-00000000", "http": "127.0.0.1:9870"}}),
    ] = {}
    """Daemons that run already, by service (namenode, resourcemanager), or one as `any`; nothing is started then."""

    def check(self) -> None:
        """Refuse settings of a NameNode that is not started.

        Raises:
            FieldError: there is one.
        """
        for each in declared(NameNodeTarget) if self.running else ():
            if getattr(self, each.name) != each.default:
                message = "is for a NameNode that Froude starts, and `running` names daemons that run already"
                raise FieldError(message, names=(each.key,), allowed="one of the two")


# --- the load ---------------------------------------------------------------------------------------------


class Sending(Model):
    """How calls are sent."""

    pacing: Annotated[Pacing | None, Example(Pacing.CLOSED.value)] = None
    """closed: clients wait for answers; scheduled: calls are due when the plan says, the default if it can."""
    speed: Annotated[float, Number(SLOWEST, FASTEST)] = 1.0
    """2 halves every recorded pause and, in a schedule, every recorded service time."""
    ramp: Annotated[float, Number(SLOWEST_RAMP, FASTEST)] = 1000.0
    """Emulated daemons that begin in a second, and the most clients of those that ran in parallel."""
    players: Annotated[int | None, Number(1, MOST_PLAYERS, whole=True), Example(2)] = None
    """Processes that play, each some of the nodes; one a core beyond the first, or one a dask worker, by default."""
    leftovers: Leftovers = Leftovers.KEEP
    """What becomes of files and folders that clients of a load that is kept up have made and not deleted. keep: they
    stay; remove: clients that follow delete them, next to their own calls."""
    connections: Connections = Connections()
    """How emulated nodes share connections."""


class TimedSending(Sending):
    """How calls are sent, and for how long."""

    duration_s: Annotated[float | None, Seconds(), Example("5 min")] = None
    """Longest time of a play; a plan of DataNodes alone, and a load that is kept up, need one."""
    measure_s: Annotated[float | None, Seconds(), Example("30 s")] = None
    """How long a load that is kept up is measured once it is steady; the rest of `duration` by default, and 15 s
    where a load is raised."""

    def check(self) -> None:
        """Refuse a part that is longer than the whole.

        Raises:
            FieldError: it is.
        """
        if self.measure_s is not None and self.duration_s is not None and self.measure_s > self.duration_s:
            message, longest = (
                "is longer than the whole play",
                f"at most the duration, {seconds_text(self.duration_s)}",
            )
            raise FieldError(message, names=("measure",), found=seconds_text(self.measure_s), allowed=longest)


class Load(TimedSending):
    """How a load is sent, and whether it is kept up."""

    mode: Mode = Mode.ONCE
    """once: the planned clients; population: as many are at work until the end, each that ends is followed by another
    one; arrivals: clients begin at a rate until the end."""
    clients_per_s: Annotated[float | None, Number(1e-6, FASTEST), Example(2)] = None
    """Clients that begin in a second, at random times, for arrivals; as recorded by default."""

    @property
    def turnover(self) -> Turnover:
        """What the player takes."""
        return Turnover(
            self.mode, self.clients_per_s or 0.0, (self.duration_s or 0.0) / SPREAD, self.leftovers
        )

    def check(self) -> None:
        """Refuse settings of another mode, too.

        Raises:
            FieldError: there is one.
        """
        TimedSending.check(self)
        if self.clients_per_s is not None and self.mode is not Mode.ARRIVALS:
            raise FieldError("is for arrivals", names=("clients_per_s",), allowed="with the mode arrivals")
        if self.mode is not Mode.ONCE and not self.connections.pool:
            message = "would leave a connection open for each client that has ended"
            raise FieldError(message, names=("connections", "pool"), allowed="1 or more with this mode")


class WorkloadLoad(TimedSending):
    """A mined workload."""

    workload: Annotated[Place, Example("workload.yaml", active=True)]
    """File of the workload."""
    at: Annotated[Mapping[str, Amount], Example({"datanodes": 50, "files": 400})] = {}
    """Where the workload's variables begin; the largest recorded quantity by default."""


class DuetLoad(Sending):
    """A mined workload that is sent for as long as a duet takes."""

    workload: Annotated[Place, Example("workload.yaml", active=True)]
    """File of the workload."""
    at: Annotated[Mapping[str, Amount], Example({"datanodes": 50, "clients": 16})] = {}
    """Its Scale; the largest recorded quantity of each variable by default."""


class PlanLoad(Load):
    """A Plan, or a mined workload at a Scale."""

    plan: Annotated[Place | None, Example("plan", active=True)] = None
    """Folder of the plan; or instead of it:"""
    workload: Annotated[Place | None, Example("workload.yaml")] = None
    """File of the workload."""
    at: Annotated[Mapping[str, Amount], Example({"datanodes": 50, "files": 400})] = {}
    """Scale at which the workload is played: every variable that was recorded."""

    def check(self) -> None:
        """Refuse two loads, and none.

        Raises:
            FieldError: so it is.
        """
        Load.check(self)
        if (self.plan is None) == (self.workload is None):
            message = "is given beside a workload" if self.plan else "is missing, and so is a workload"
            raise FieldError(message, names=("plan",), allowed="a plan, or a workload")
        if self.at and self.workload is None:
            raise FieldError("is for a workload, and a plan is given", names=("at",), allowed="no Scale")


# --- emulated nodes ---------------------------------------------------------------------------------------


class Nodes(Model):
    """Settings of emulated nodes, by kind of program."""

    datanodes: DatanodeSettings = DatanodeSettings()
    """Emulated DataNodes."""
    nodemanagers: NodemanagerSettings = NodemanagerSettings()
    """Emulated NodeManagers."""

    @property
    def programs(self) -> Mapping[str, object]:
        """What the player takes: settings by kind of program."""
        return {each.kind: each for each in (self.datanodes, self.nodemanagers)}


# --- options ----------------------------------------------------------------------------------------------


class Conditions(Model):
    """What every play of an experiment has in common."""

    nodes: Nodes = Nodes()
    """Settings of emulated nodes."""
    seed: Annotated[int, Number(whole=True)] = 0
    """Root of every random choice."""

    def kept(self, folder: Path) -> str | None:  # noqa: ARG002 - a scenario's text depends on where it lies
        """The scenario to keep in a run's folder; None for options that are not of one."""
        return None


class PlayOptions(Conditions):
    """The options of a play: `fr.PlayOptions(record="full", load=fr.Load(speed=2))`."""

    load: Load = Load()
    """How the load is sent."""
    record: Record = Record.SAMPLED
    """Calls to write down."""
    limits: _Limits = ()
    """Conditions on the run; one that is not kept makes its verdict red."""
    abort_when: _Conditions = ()
    """Conditions that end the play early, as failed, once one has held for its time."""
    check_counts: Flag = True
    """Whether to compare with the target's own counts afterwards; takes up to 12 s."""
    replay_ids: Annotated[Place | None, Example("run")] = None
    """Folder of a Run of the same seed: its clients' RPC ids are used again. By default no two plays share any, since a
    NameNode takes a call with the ids of an earlier one for a repetition, and gives the old answer for ten minutes."""

    def check(self) -> None:
        """Refuse a part to measure of a load that is played once, one kept up for good, and conditions that cannot hold.

        Raises:
            FieldError: so it is.
        """
        load = self.load
        if load.mode is Mode.ONCE and load.measure_s is not None:
            allowed = "with the mode population or arrivals"
            raise FieldError("is for a load that is kept up", names=("load", "measure"), allowed=allowed)
        if load.mode is Mode.ONCE and load.leftovers is not Leftovers.KEEP:
            message = "needs clients that follow, and the load is not kept up"
            raise FieldError(
                message, names=("load", "leftovers"), allowed="remove with the mode population or arrivals"
            )
        if load.duration_s is not None:
            check_conditions(self.abort_when, load.duration_s, "duration")
        if load.mode is not Mode.ONCE and load.duration_s is None:
            message = f"is needed with the mode {load.mode.value}: such a load never ends"
            raise FieldError(message, names=("load", "duration"), allowed="a time, such as 2 min")


class KneeSearch(Model):
    """How a knee is searched for."""

    raise_: Annotated[tuple[str, ...], Example(["datanodes", "clients"])] = ()
    """Variables that are raised together, or speed; all on which the number of nodes at work depends by default."""
    most: Annotated[float, Number(1, FASTEST)] = 1024.0
    """Largest factor of the first load."""
    resolution: Annotated[float, Number(0.01, 1)] = 0.1
    """How near the loads on both sides of the knee must be, as a share."""
    most_plays: Annotated[int, Number(1, 1000, whole=True)] = 40
    """After so many plays the search ends wherever it is."""
    cores: Annotated[int | None, Number(1, 4096, whole=True)] = None
    """Cores of another machine, for which the computed limit is scaled as an upper bound; none by default."""


class KneeOptions(Conditions):
    """The options of a search for a knee: `fr.KneeOptions(limits=["p99 < 50 ms"], repeats=2)`."""

    load: TimedSending = TimedSending()
    """How the load is sent; it is kept up by further clients, where those can follow."""
    knee: KneeSearch = KneeSearch()
    """How it is searched for."""
    limits: _Limits = ()
    """What must be kept, beside the usual limits on measures that none of these is about."""
    warm_up_s: Annotated[float, Seconds(zero=True, most_s=3600)] = 60.0
    """Longest time for which each load is kept up before it is measured; less where it is steady sooner."""
    repeats: Annotated[int, Number(1, 20, whole=True)] = 3
    """Plays on each side of the knee."""
    time_limit_s: Annotated[float | None, Seconds(), Example("10 min")] = None
    """No play begins that would not be over by then: what is known is the answer."""

    def check(self) -> None:
        """Refuse clients that arrive: a search raises how many are at work.

        Raises:
            FieldError: they do.
        """
        if isinstance(self.load, Load) and self.load.mode is Mode.ARRIVALS:
            message = "is no load of a search, which raises how many clients are at work"
            raise FieldError(message, names=("load", "mode"), allowed="once, population")


class DuetComparing(Model):
    """How a duet is decided; to be chosen before it is played."""

    margin: Annotated[float, Number(0.001, 1)] = 0.1
    """Share by which the candidate may differ and still count as the same."""
    level: Annotated[float, Number(0.0001, 0.5)] = 0.05
    """Chance of a false difference in any measure at any look."""
    time_limit_s: Annotated[float, Seconds()] = 600.0
    """Longest time for which both targets are called, warm-up included; less where the verdict is clear sooner."""
    warm_up_s: Annotated[float, Seconds(zero=True, most_s=3600)] = 120.0
    """Longest time for which both targets are called before they are measured; less where both are steady sooner."""


class DuetOptions(Conditions):
    """The options of a duet."""

    load: Sending = Sending()
    """How the load is sent; it is kept up by further clients."""
    abort_when: _Conditions = ()
    """Conditions on either play that end the duet early; a candidate that meets one alone is worse."""
    compare: DuetComparing = DuetComparing()
    """How it is decided."""
