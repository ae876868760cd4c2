"""The parts of a replay: what namespace it starts from, what clients did there, which emulated nodes do it again.

As `sections`, which has what every experiment has; `scenario` puts them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from froude.base.units import parse_zone
from froude.documents.forms import FieldError, Number, Place, Seconds, Text
from froude.documents.model import Example, Flag, Model
from froude.emulation.settings import Connections, DatanodeSettings, LogClientSettings, Mode
from froude.experiment.scenario.options import Load, Nodes

_MOST = 10**9
MOST_LINES = 10_000_000
"""Of a log that is made up."""


class MadeNamespace(Model):
    """A namespace that is made up from a profile, as `froude image synth` does."""

    profile: Annotated[Place | None, Example("analytics")] = None
    """File of the profile, or the name of one that is shipped; nothing is made up without."""
    inodes: Annotated[int | None, Number(2, _MOST, whole=True), Example(20_000)] = None
    """How many, in place of the profile's number."""


class LogGrowth(Model):
    """What a log is extrapolated to."""

    clients: Annotated[float, Number(1, 10_000), Example(4)] = 1.0
    """Clients for each of the log's, with copies of the folders and files that are theirs; 1 leaves the log as it is."""
    namespace: Annotated[float, Number(1, 10_000), Example(4)] = 1.0
    """Inodes for each of the image's, in copies of its folders and files that no client uses; all paths stay."""


class MadeLog(Model):
    """A log that is made up on an image's paths, as `froude image log` does."""

    rate: Annotated[float | None, Number(0.01, 1e6), Example(200)] = None
    """Lines in a second; no log is made up without."""
    duration_s: Annotated[float, Seconds(most_s=86_400)] = 30.0
    """From the first line to the last."""
    clients: Annotated[int, Number(1, 100_000, whole=True)] = 100
    """Users at addresses of their own."""
    changes: Annotated[float, Number(0, 1)] = 0.1
    """Share of lines that create, rename or delete."""

    def check(self) -> None:
        """Refuse a log that is too large to be made up.

        Raises:
            FieldError: so it is.
        """
        if (self.rate or 0) * self.duration_s > MOST_LINES:
            raise FieldError(
                "makes too many lines", names=("rate",), found=self.rate, allowed=f"{MOST_LINES:,} in all"
            )


class ReplayLoad(Load):
    """What clients did at a NameNode, to be done again."""

    audit_log: Annotated[tuple[Place, ...], Example(["hdfs-audit.log"], active=True)] = ()
    """Audit logs of one NameNode, packed or not; or the folder that `froude trace import audit` made of them; or
    instead of them:"""
    trace: Annotated[Place | None, Example("trace")] = None
    """A Trace that Froude recorded, with every call of clients and its arguments; or instead of it:"""
    made: MadeLog = MadeLog()
    """A log that is made up."""
    edits: Annotated[Place | None, Example("name/current")] = None
    """Folder of edits, by which logs are cut at the image's transaction; without, they are cut at its newest time."""
    time_zone: Annotated[str, Text(parse_zone, "such as Europe/Berlin")] = "UTC"
    """Of the dates in the logs."""
    cut: Flag = True
    """Whether what the image holds already is left out of the logs."""
    connections: Connections = Connections(pool=1)
    """How clients share connections."""
    growth: LogGrowth = LogGrowth()
    """More clients and more namespace than the log has."""
    mode: Mode = Mode.ONCE
    """once: the log, once; arrivals, population: it begins again when it is over, over copies of what it makes, until
    the end. arrivals: at its own times, however late calls are; population: later where calls are late."""

    def check(self) -> None:
        """Refuse several loads, and none.

        Raises:
            FieldError: so it is.
        """
        given = [
            name
            for name, there in (
                ("audit_log", self.audit_log),
                ("trace", self.trace),
                ("made.rate", self.made.rate),
            )
            if there
        ]
        if len(given) != 1:
            message = (
                "is missing, and so are a Trace and a made-up log" if not given else "stands beside another"
            )
            allowed = "one of audit_log, trace, made.rate"
            raise FieldError(message, names=("audit_log",), found=", ".join(given) or None, allowed=allowed)
        Load.check(self)
        if self.clients_per_s is not None:
            raise FieldError("is not for a log, whose clients come as recorded", names=("clients_per_s",))
        if self.trace is not None and self.mode is not Mode.ONCE:
            message = "needs an audit log, and a Trace is given"
            raise FieldError(message, names=("mode",), found=self.mode.value, allowed=Mode.ONCE.value)
        if self.trace is not None and self.growth.clients > 1:
            message = "is for an audit log, and a Trace is given"
            raise FieldError(message, names=("growth", "clients"), found=self.growth.clients, allowed=1)

    @property
    def imported(self) -> bool:
        """Whether the log is one that was imported, which is a folder."""
        return bool(self.audit_log) and self.audit_log[0].is_dir()


class ReplayedDatanodes(DatanodeSettings):
    """Emulated DataNodes that hold the blocks of an image."""

    count: Annotated[int, Number(0, 1_000_000, whole=True)] = 100
    """How many."""
    blocks: Annotated[Place | None, Example("blocks")] = None
    """Folder of `froude image blocks`: which replicas each holds; placed anew from the image by default."""
    racks: Annotated[int, Number(1, 100_000, whole=True)] = 1
    """Racks over which the image's replicas are spread."""


class ReplayNodes(Nodes):
    """The emulated nodes of a replay."""

    datanodes: ReplayedDatanodes = ReplayedDatanodes()
    """Emulated DataNodes."""
    clients: LogClientSettings = LogClientSettings()
    """Clients of the log."""

    @property
    def programs(self) -> Mapping[str, object]:
        """What the player takes: settings by kind of program."""
        clients = self.clients if self.datanodes.count else self.clients.replaced(blocks=0)
        return {each.kind: each for each in (self.datanodes, clients)}
