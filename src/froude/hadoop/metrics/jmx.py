"""What a daemon says of itself: JMX over HTTP as time series, and the log of its garbage collector."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from froude.base.clock import Clock, RealClock
from froude.base.errors import TargetError
from froude.base.files import open_regular
from froude.hadoop.metrics.gc_log import GcLog, parse_gc_log
from froude.hadoop.metrics.threads import COMPILER

Bean = dict[str, Any]
"""Attributes of one MBean by name."""

_STATE = "Hadoop:service=NameNode,name=FSNamesystemState"
_NAMESYSTEM = "Hadoop:service=NameNode,name=FSNamesystem"
_OVER_ALL_NODES = (_NAMESYSTEM, _STATE)
"""Beans that a NameNode goes over all its DataNodes for."""
NAMENODE_BEANS: tuple[str, ...] = (
    "Hadoop:service=NameNode,name=Rpc*ActivityForPort*",
    _NAMESYSTEM,
    _STATE,
    "Hadoop:service=NameNode,name=JvmMetrics",
    "Hadoop:service=NameNode,name=NameNodeActivity",
)
"""What is sampled of a NameNode."""
_COUNTS = tuple(f"{_STATE}::Num{how}DataNodes" for how in ("Live", "Stale", "Dead"))
"""Counted in one pass over its DataNodes; other attributes of the bean make lists of them first."""
_SHARE = 0.1
"""The most of its time that a NameNode spends on any of these questions."""

DETAILED = "Hadoop:service=NameNode,name=RpcDetailedActivityForPort*"
"""Counts and times by RPC method."""

CACHE_S = 10.0
"""Hadoop's metrics system publishes a new value at most this often, where it is not told otherwise."""

_LARGEST_BYTES = 32 << 20
_ACTIVE = "ACTIVE"  # HAServiceState, also of a ResourceManager without a standby
_PER_MS = {"NANOSECONDS": 1e6, "MICROSECONDS": 1e3}
_RPC_TIME = re.compile(r"^(?:RM)?Rpc(?:Detailed)?Activity(?:ForPort\d+)?\.\w+AvgTime$")
_LOCK_TIME = re.compile(r"^\w+?(?:Read|Write)Lock\w+Nanos(?:NumOps|AvgTime)$")
_COUNT = re.compile(r"^(?!Overall|Deferred)([A-Z]\w*)NumOps$")


def jmx(http: tuple[str, int], query: str, *, timeout_s: float = 5.0) -> list[Bean]:
    """The MBeans that match a query, of a daemon that answers HTTP.

    Args:
        query: an object name, with `*` where anything may stand; with `::NAME` behind it, that attribute alone.

    Raises:
        TargetError: no answer, or one that is no JMX.
    """
    form = "get" if "::" in query else "qry"
    try:
        beans = _get(http, f"jmx?{form}={quote(query, safe='*:,=')}", timeout_s)["beans"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise TargetError(f"gives no JMX ({error})", file=f"{http[0]}:{http[1]}") from error
    if not isinstance(beans, list):
        raise TargetError("gives no JMX", file=f"{http[0]}:{http[1]}", found=type(beans).__name__)
    return beans


def resourcemanager_id(http: tuple[str, int], *, timeout_s: float = 5.0) -> str:
    """The time stamp of its start by which a ResourceManager names its applications.

    Raises:
        TargetError: no answer, or not a ResourceManager's; or it is not active, and has another id when it is.
    """
    place = f"{http[0]}:{http[1]}"
    try:
        info = _get(http, "ws/v1/cluster/info", timeout_s)["clusterInfo"]
        state = str(info.get("haState", _ACTIVE))
        if state != _ACTIVE:  # its web server is up before it has recovered its applications
            raise TargetError("is not active", file=place, found=state)
        return str(int(info["id"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise TargetError(f"does not say who it is ({error})", file=place) from error


def _get(http: tuple[str, int], path: str, timeout_s: float) -> Any:
    """A JSON document of a daemon's web server."""
    # Proxies of the environment are not for loopback; `rest`, with its client, is above this package.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(
        f"http://{http[0]}:{http[1]}/{path}", headers={"Accept": "application/json"}
    )
    with opener.open(request, timeout=timeout_s) as answer:
        return json.loads(answer.read(_LARGEST_BYTES))


def heap_now(http: tuple[str, int]) -> dict[str, float]:
    """The heap of a daemon's JVM at this moment: `process.heap_used_bytes` and `process.heap_committed_bytes`.

    Hadoop's own `JvmMetrics` tell it too, but as old as the daemon's cache is.

    Raises:
        TargetError: it does not answer.
    """
    values = {}
    for bean in jmx(http, "java.lang:type=Memory"):
        usage = bean.get("HeapMemoryUsage")
        told = usage if isinstance(usage, dict) else {}
        for part in ("used", "committed"):
            if isinstance(told.get(part), int):
                values[f"process.heap_{part}_bytes"] = float(told[part])
    return values


def cpu_now(http: tuple[str, int]) -> dict[str, float]:
    """The CPU time of a daemon's JVM so far: `process.cpu_seconds`; arguments and errors as of `heap_now`."""
    beans = jmx(http, "java.lang:type=OperatingSystem")
    times = [bean["ProcessCpuTime"] for bean in beans if isinstance(bean.get("ProcessCpuTime"), int)]
    return {"process.cpu_seconds": times[0] / 1e9} if times else {}


def compiler_now(http: tuple[str, int]) -> dict[str, float]:
    """The time for which a daemon's JIT compiler ran so far (`threads.COMPILER`): elapsed, so that it is an upper bound.

    Arguments and errors as of `heap_now`.
    """
    beans = jmx(http, "java.lang:type=Compilation")
    times = [
        bean["TotalCompilationTime"] for bean in beans if isinstance(bean.get("TotalCompilationTime"), int)
    ]
    return {COMPILER: times[0] / 1e3} if times else {}


def rpc_counts(beans: list[Bean]) -> dict[str, int]:
    """Calls by method out of `RpcDetailedActivityForPort*` beans, without the `Overall` and `Deferred` ones.

    Returns:
        Counts above zero by method as on the wire: `getFileInfo`, not `GetFileInfo`.
    """
    counts: dict[str, int] = {}
    for bean in beans:
        for key, value in bean.items():
            match = _COUNT.match(key)
            if match and isinstance(value, int) and value > 0:
                name = method_name(match[1])
                counts[name] = counts.get(name, 0) + value
    return counts


def failure_name(error_class: str) -> str:
    """Under which name of `rpc_counts` a call is counted that ends with an exception.

    Args:
        error_class: its Java class, such as `java.io.FileNotFoundException`, which is counted as
            `fileNotFoundException`.

    Source: `Server.RpcCall` and `RpcDetailedMetrics` of Hadoop.
    """
    return method_name(re.split(r"[.$]", error_class)[-1])


def method_name(name: str) -> str:
    """A method as on the wire, such as `getFileInfo`, of a counter's name, such as `GetFileInfo`."""
    return name[:1].lower() + name[1:]


def settled_counts(
    read: Callable[[], dict[str, int]],
    *,
    sleep: Callable[[float], None],
    expect: Mapping[str, int] | None = None,
    cache_s: float = CACHE_S,
) -> dict[str, int]:
    """Counts of calls after the daemon's cache has turned over.

    Args:
        read: gives the counts as they stand.
        sleep: waits so many seconds.
        expect: counts that settle it at once when all are reached; saves most of the wait.
        cache_s: how long the daemon keeps a value.

    Returns:
        The counts once reached, or once `cache_s` and a little have passed and two readings agree.
    """
    step = cache_s / 20
    waited = 0.0
    counts = read()
    while True:
        if expect is not None and all(counts.get(name, 0) >= number for name, number in expect.items()):
            return counts
        sleep(step)
        waited += step
        before, counts = counts, read()
        if waited > 1.2 * cache_s and (before == counts or waited > 4 * cache_s):
            return counts


class Watched(Protocol):
    """A daemon whose own metrics can be asked for."""

    @property
    def cache_s(self) -> float:
        """How old what it tells may be, seconds."""

    def rpc_counts(self) -> dict[str, int]:
        """Calls by method so far; up to 10 s old."""

    def sample(self) -> dict[str, float]:
        """Its numbers now, by `bean.attribute`, and `process.cpu_seconds`."""


@dataclass(frozen=True, slots=True)
class Together:
    """Several daemons whose numbers stand beside each other, by names that tell them apart; satisfies `Watched`."""

    daemons: Sequence[Watched]
    """At least one; the counts of calls are the first one's."""

    @property
    def cache_s(self) -> float:
        """How old what they tell may be, seconds."""
        return max(each.cache_s for each in self.daemons)

    def rpc_counts(self) -> dict[str, int]:
        """Calls of the first by method so far."""
        return self.daemons[0].rpc_counts()

    def sample(self) -> dict[str, float]:
        """The numbers of all now.

        Raises:
            TargetError: one does not answer.
        """
        return {name: value for each in self.daemons for name, value in each.sample().items()}


class Web:
    """A NameNode that is known by its web address alone; satisfies `Watched`."""

    cache_s = CACHE_S
    """How old what it tells may be, seconds."""

    def __init__(self, http: tuple[str, int]) -> None:
        """One that answers there."""
        self.http = http
        self._numbers = NamenodeNumbers(http)

    def rpc_counts(self) -> dict[str, int]:
        """Calls by method so far; up to 10 s old (see `settled_counts`).

        Raises:
            TargetError: it does not answer.
        """
        return rpc_counts(jmx(self.http, DETAILED))

    def sample(self) -> dict[str, float]:
        """The numbers of `NAMENODE_BEANS`, and the CPU time that its JVM tells of itself.

        Raises:
            TargetError: it does not answer.
        """
        values = self._numbers.now()
        return values | cpu_now(self.http) | heap_now(self.http) | compiler_now(self.http)


@dataclass(frozen=True, slots=True)
class Sample:
    """The numbers of a daemon at one moment."""

    time_s: float
    """On the clock of the sampler."""
    values: dict[str, float]
    """By `bean.attribute`, such as `FSNamesystem.BlocksTotal`."""


class NamenodeNumbers:
    """The numbers of `NAMENODE_BEANS`, with times of calls in milliseconds, whatever the daemon counts them in.

    For two of these beans a NameNode goes over all its DataNodes a dozen times, which takes seconds where they are a
    hundred thousand: such a bean is asked for again only after ten times as long as its last answer took. Meanwhile its
    numbers are left out, but for the counts of DataNodes.
    """

    def __init__(self, http: tuple[str, int], clock: Clock | None = None) -> None:
        """Nothing was asked yet."""
        self._http, self._clock = http, clock or RealClock()
        self._again_s: dict[str, float] = {}

    def now(self) -> dict[str, float]:
        """The numbers at this moment, by `bean.attribute`.

        Raises:
            TargetError: it does not answer.
        """
        beans = [bean for query in NAMENODE_BEANS for bean in self._beans(query)]
        return in_ms(flatten(beans), self._http)

    def _beans(self, query: str) -> list[Bean]:
        begun_s = self._clock.now()
        if begun_s < self._again_s.get(query, begun_s):
            counts = _COUNTS if query == _STATE else ()
            return [bean for count in counts for bean in jmx(self._http, count)]
        try:
            return jmx(self._http, query)
        finally:
            ended_s = self._clock.now()
            if query in _OVER_ALL_NODES:
                self._again_s[query] = ended_s + (ended_s - begun_s) * (1 / _SHARE - 1)


def in_ms(values: Mapping[str, float], http: tuple[str, int]) -> dict[str, float]:
    """A daemon's numbers with times of calls in milliseconds, whatever it counts them in.

    Raises:
        TargetError: it does not answer.
    """
    return {
        name: value / _rpc_times_per_ms(http) if _RPC_TIME.match(name) else value
        for name, value in values.items()
    }


@cache
def _rpc_times_per_ms(http: tuple[str, int]) -> float:
    """How many of the unit in which a daemon counts the times of its calls are a millisecond.

    Raises:
        TargetError: it does not answer.

    Source: `rpc.metrics.timeunit`, milliseconds by default; a release that does not have it answers with an error.
    """
    try:
        unit = _get(http, "conf?name=rpc.metrics.timeunit&format=json", 5.0)["property"]["value"]
    except (urllib.error.HTTPError, ValueError, KeyError, TypeError):
        return 1.0
    except OSError as error:
        raise TargetError(f"gives no configuration ({error})", file=f"{http[0]}:{http[1]}") from error
    return _PER_MS.get(str(unit).upper(), 1.0)


def flatten(beans: list[Bean]) -> dict[str, float]:
    """The numbers of beans by `bean.attribute`; the port is left out of a bean's name.

    Hold times of the namespace lock have two attributes for each of some hundred operations: those of operations that
    never ran are left out.
    """
    values: dict[str, float] = {}
    for bean in beans:
        match = re.search(r"name=(\w+?)(?:ForPort\d+)?$", str(bean.get("name", "")))
        if match is None:
            continue
        for key, value in bean.items():
            if (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and not key.startswith("Overall")
                and (value or not _LOCK_TIME.match(key))
            ):
                values[f"{match[1]}.{key}"] = float(value)
    return values


@dataclass(slots=True)
class Sampler:
    """Samples of a daemon at even intervals, taken by a thread of its own; a context manager."""

    read: Callable[[], dict[str, float]]
    """Gives the numbers now; a `TargetError` of it is counted as a miss."""
    clock: Clock
    interval_s: float = 1.0
    samples: list[Sample] = field(default_factory=list)
    """What was seen, oldest first."""
    missed: int = 0
    """How often the daemon did not answer."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def take(self) -> None:
        """Take one sample now."""
        try:
            values = self.read()
        except TargetError:
            self.missed += 1
        else:
            self.samples.append(Sample(self.clock.now(), values))

    def series(self, name: str) -> list[tuple[float, float]]:
        """Time and value of one number, where it was there."""
        return [(each.time_s, each.values[name]) for each in self.samples if name in each.values]

    def __enter__(self) -> Sampler:
        """Start, with a first sample at once."""
        self.take()
        self._thread = threading.Thread(target=self._run, name="froude-sampler", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop, with a last sample."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.take()

    def _run(self) -> None:
        while not self._stop.wait(self.interval_s):
            self.take()


def read_gc_log(path: Path) -> GcLog:
    """What a JVM's log of its garbage collector tells so far (`gc_log`).

    Args:
        path: the log, which may grow meanwhile.

    Raises:
        InputError: it cannot be read.
    """
    with open_regular(path) as file:
        return parse_gc_log(line.decode(errors="replace") for line in file)
