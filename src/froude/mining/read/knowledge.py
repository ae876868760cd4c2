"""What the miner knows about Hadoop beforehand: a few small tables, and nothing else in the package.

Everything here only names or hints. Take the tables away and the miner still mines; types get duller names,
and batches and real-time calls that a short run cannot show stay unseen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from froude.workload.types import SCRIPTED, Poll


@dataclass(frozen=True, slots=True)
class Role:
    """How senders of one kind are known by sight."""

    name: str
    protocol: str = ""
    """Last part of a protocol's name, one call of which decides; empty for none."""
    context: str = ""
    """Regular expression that the caller context matches; empty for none."""
    program: str = SCRIPTED
    """Emulation program that plays it."""
    emulated: bool = False
    """Whether it is mined as a machine that has facts of its own and reacts by itself."""
    endless: bool = False
    """Whether such a node goes on until it is stopped, as daemons do."""
    threads: tuple[tuple[str, str], ...] = ()
    """Methods that several of its threads call, so that one of the first may stand before any of the second."""


SHELL = Role("shell", context=r"^CLI$")
"""A command of `hdfs`, `hadoop` or `yarn`; `SHELL_COMMANDS` names it."""
CLIENT = Role("client")
ROLES = (
    Role("datanode", protocol="DatanodeProtocol", program="datanode", emulated=True, endless=True),
    Role("nodemanager", protocol="ResourceTracker", program="nodemanager", endless=True),
    Role("map", context=r"mr_attempt_.*_m_"),
    Role("reduce", context=r"mr_attempt_.*_r_"),
    # MapReduce's JobHistoryEventHandler writes the job's history while other threads set up, launch and commit.
    Role(
        "appmaster",
        context=r"mr_appmaster",
        threads=tuple(
            (of_history, other)
            for of_history in ("create", "addBlock", "complete")
            for other in ("mkdirs", "getFileInfo")
        ),
    ),
    Role("spark-driver", context=r"^SPARK_CLIENT_"),
    Role("spark-appmaster", context=r"^SPARK_APPMASTER_"),
    Role("spark-executor", context=r"^SPARK_TASK_"),
    # The ResourceManager's ApplicationMasterLauncher: one application starts before or after another one is cleaned up.
    Role(
        "container-launcher",
        protocol="ContainerManagementProtocol",
        program="container-launcher",
        threads=(("startContainers", "stopContainers"),),
    ),
    SHELL,
)
"""Tried in this order; a sender that fits none is a `client`."""

SHELL_COMMANDS = {
    "submit": {"submitApplication"},
    "cp": {"getBlockLocations", "create"},
    "put": {"create", "addBlock"},
    "touchz": {"create"},
    "append": {"append"},
    "truncate": {"truncate"},
    "concat": {"concat"},
    "mv": {"rename"},
    "rm": {"delete"},
    "setrep": {"setReplication"},
    "chmod": {"setPermission"},
    "chown": {"setOwner"},
    "mkdir": {"mkdirs"},
    "get": {"getBlockLocations"},
    "count": {"getContentSummary"},
    "df": {"getFsStats"},
    "ls": {"getListing"},
    "stat": {"getFileInfo"},
}
"""Commands of `hdfs dfs`, and jobs that are submitted to YARN, by methods that each calls; tried in this order."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A call that carries several independent events."""

    outer: str
    """Repeated field of the request."""
    inner: str
    """Repeated field within the outer one's element; one event an element."""
    kind: str
    """Leaf of the inner element that tells events of different meaning apart."""
    passing: frozenset[str] = frozenset()
    """Kinds that tell of something on its way, left out where the end of it comes in time: of these a run may have
    any number."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches a leaf path inside the batch: outer index, and inner index where it has one."""
        return re.compile(rf"^{re.escape(self.outer)}\[(\d+)\](?:\.{re.escape(self.inner)}\[(\d+)\])?(.*)$")


BATCHES = {"blockReceivedAndDeleted": Batch("blocks", "blocks", "status", frozenset({"1", "3"}))}
"""By method; a block that is being received has status 1, and is reported only if it is not there by the next
report. One that was deleted has 3: when the NameNode orders that, with the answer to some heartbeat, is a matter of
time, too."""


@dataclass(frozen=True, slots=True)
class Report:
    """A real-time call whose list tells of things again and again until each is over."""

    listed: str
    """Repeated field of the request; one report an element."""
    thing: str
    """Message within the element that names what it tells of: an id, often of several numbers."""
    kinds: tuple[str, ...]
    """Leaves of the element that tell reports of different meaning apart, as states do."""

    @property
    def element(self) -> str:
        """Where every element's leaves stand in a logical call: as the first one's."""
        return f"{self.listed}[0]"

    @property
    def kind_paths(self) -> frozenset[str]:
        """Canonical paths of the leaves that tell kinds apart."""
        return frozenset(f"{self.element}.{kind}" for kind in self.kinds)

    def kind_of(self, leaves: Mapping[str, object]) -> str:
        """The kind of a report; empty where no leaf tells it."""
        values = [leaves[path] for kind in self.kinds if (path := f"{self.element}.{kind}") in leaves]
        return "/".join(str(value) for value in values)

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches a leaf path of an element: its index and what follows."""
        return re.compile(rf"^{re.escape(self.listed)}\[(\d+)\](.*)$")


REPORTS = {
    "nodeHeartbeat": Report(
        "node_status.containersStatuses", "container_id", ("state", "container_sub_state")
    )
}
"""By method."""


@dataclass(frozen=True, slots=True)
class Asks:
    """A real-time call whose list says how many of something are still wanted, wherever that changed."""

    listed: str
    """Repeated field of the request; one ask an element."""
    priority: str
    """Leaf of an element, and of what is given, that tells stages apart."""
    place: str
    """Leaf of an element that says where: `*`, a rack, or a machine."""
    amount: str
    """Leaf of an element: how many are outstanding."""
    given: str
    """Repeated field of the answer: what was given."""
    given_place: str
    """Leaf of its elements that names the machine."""
    thing: str
    """Message within its elements that names what was given."""
    returned: str
    """Repeated field of the request: what was given and not wanted any more."""


ASKS = {
    "allocate": Asks(
        "ask",
        "priority.priority",
        "resource_name",
        "num_containers",
        "allocated_containers",
        "nodeId.host",
        "id",
        "release",
    )
}
"""By method (`RMContainerRequestor`)."""

STAGE_SHARE = 0.05
"""Share of the containers of one stage that have ended when those of the next are asked for, where a recording fits it
(`mapreduce.job.reduce.slowstart.completedmaps`)."""

TIMELY = {"appmaster": frozenset({"stopContainers"})}
"""By role, methods that time alone has called: a master of MapReduce stops a container whose process has not ended yet
when it hears that its task has."""

POLLS = {"complete": Poll("result", True)}
"""Calls that are repeated until an answer has a value, by method: a quick run shows none that had to be."""

REAL_TIME = frozenset({"sendHeartbeat", "sendLifeline", "nodeHeartbeat", "renewLease", "allocate"})
"""Methods that a short run may show too rarely for their period to be found."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """What a real-time call keeps open, and the calls that begin and end it."""

    opens: frozenset[str]
    closes: frozenset[str]
    every_s: float
    """Period where no recording was long enough to show one."""
    copied: tuple[str, ...]
    """Leaves of the opening call that it repeats."""
    protocol: str
    """Last part of the name of the protocol of all of these: calls of other systems may have the same names."""


LIFETIMES = {
    # LeaseRenewer: half of HdfsConstants.LEASE_SOFTLIMIT_PERIOD.
    "renewLease": Lifetime(
        frozenset({"create", "append"}), frozenset({"complete"}), 30.0, ("clientName",), "ClientProtocol"
    )
}
"""By real-time method."""

PATH = "src"
"""The leaf that says which path a call is about."""

CONFIRMATION = "result"
"""The leaf of an answer that says whether a call did what it was asked: a rename of what is not there is no error."""

FACTS = (
    ("datanodeID.ipAddr", "address"),
    ("datanodeID.hostName", "hostname"),
    ("datanodeID.datanodeUuid", "uuid"),
    ("datanodeID.xferPort", "port"),
    ("datanodeID.infoPort", "info_port"),
    ("datanodeID.ipcPort", "ipc_port"),
    ("storageUuid", "storage"),
    ("block.numBytes", "length"),
)
"""Ends of leaf paths that hold a fact of the sending machine, where no other rule is found."""


@lru_cache(maxsize=1 << 14)
def fact_of(path: str) -> str | None:
    """The fact of the sending machine that a leaf path holds, by `FACTS`; None for none."""
    return next((fact for end, fact in FACTS if path.endswith(end)), None)


ADDRESSES = frozenset({"address", "hostname"})
"""Facts that where a machine's connections come from tells, too."""

NAMING = frozenset({"address", "hostname", "uuid", "port", "info_port", "ipc_port", "storage"})
"""Facts that tell one machine from another: no two machines share them, whatever a single run shows."""

LENGTH = "numBytes"
"""Last part of leaf paths that say how long a block is."""

THINGS = {"length": "blockId"}
"""What a fact is of, where it is not of the machine as a whole: the leaf beside it that names the thing."""

GAUGES = frozenset(
    {
        "capacity",
        "remaining",
        "dfsUsed",
        "blockPoolUsed",
        "nonDfsUsed",
        "xceiverCount",
        "xmitsInProgress",
        "cacheUsed",
        "pmem",
        "vmem",
        "cpu",
        "progress",
    }
)
"""Last parts of leaf paths that read a machine's load: random by nature."""

SIZES = frozenset({"numBytes", "lastBlockLength", "size"})
"""Last parts of leaf paths that say how long something is."""

PIECES = frozenset({"blockSize"})
"""Last parts of leaf paths of requests that say how large the pieces are that a file is cut into."""
