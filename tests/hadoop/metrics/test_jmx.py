"""JMX, its counts, its time series, and the garbage collector's log."""

from __future__ import annotations

import http.server
import json
import threading
import urllib.error
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError, TargetError
from froude.hadoop.metrics import jmx as metrics
from testbed.virtual_clock import VirtualClock

NO_ID = "does not say who it is"


_DETAILED = {
    "name": "Hadoop:service=NameNode,name=RpcDetailedActivityForPort8020",
    "GetFileInfoNumOps": 7,
    "GetFileInfoAvgTime": 0.5,
    "OverallGetFileInfoNumOps": 7,
    "DeferredGetFileInfoNumOps": 3,
    "MkdirsNumOps": 0,
    "tag.port": "8020",
}


CLUSTER: dict[str, object] = {"id": 1795452157655, "state": "STARTED"}
DEEP = b"[" * 200_000


def test_counts_leave_out_duplicates_and_what_was_never_called() -> None:
    """Methods are named as on the wire; `Overall` and `Deferred` double them."""
    assert metrics.rpc_counts([_DETAILED]) == {"getFileInfo": 7}


def test_counts_of_several_ports_add_up() -> None:
    """A service port has a bean of its own."""
    assert metrics.rpc_counts([_DETAILED, _DETAILED]) == {"getFileInfo": 14}


def test_settling_ends_as_soon_as_what_is_expected_is_there() -> None:
    """The cache of ten seconds is waited for only where it must be."""
    readings = iter([{}, {"mkdirs": 1}, {"mkdirs": 5}, {"mkdirs": 9}])
    slept: list[float] = []
    counts = metrics.settled_counts(lambda: next(readings), sleep=slept.append, expect={"mkdirs": 5})
    assert counts == {"mkdirs": 5}
    assert len(slept) == 2


def test_settling_waits_for_the_cache_to_turn_over() -> None:
    """Without an expectation, a quiet reading does not count before the cache's time is over."""
    slept: list[float] = []

    def read() -> dict[str, int]:
        return {"mkdirs": 1 if sum(slept) < 9 else 2}

    assert metrics.settled_counts(read, sleep=slept.append) == {"mkdirs": 2}
    assert metrics.CACHE_S < sum(slept) < 2 * metrics.CACHE_S


def test_settling_ends_when_the_daemon_never_rests() -> None:
    """A cluster whose DataNodes beat all the time has no two equal readings; that is no reason to hang."""
    slept: list[float] = []
    counts = metrics.settled_counts(lambda: {"sendHeartbeat": len(slept)}, sleep=slept.append)
    assert counts["sendHeartbeat"] > 0
    assert sum(slept) < 5 * metrics.CACHE_S


def test_numbers_are_named_by_bean_and_attribute() -> None:
    """Ports and texts are left out, so that two runs can be laid over each other."""
    beans = [
        {
            "name": "Hadoop:service=NameNode,name=RpcActivityForPort40001",
            "CallQueueLength": 3,
            "tag.port": "1",
        },
        {
            "name": "Hadoop:service=NameNode,name=FSNamesystemState",
            "BlocksTotal": 5,
            "FSState": "Operational",
        },
        {"name": "java.lang:type=Memory", "Verbose": True},
    ]
    assert metrics.flatten(beans) == {
        "RpcActivity.CallQueueLength": 3.0,
        "FSNamesystemState.BlocksTotal": 5.0,
    }


def test_lock_times_of_operations_that_never_ran_are_left_out() -> None:
    """There are two attributes for each of a hundred operations; other zeros stay, for they are figures."""
    bean = {
        "name": "Hadoop:service=NameNode,name=FSNamesystem",
        "FSNWriteLockMkdirsNanosNumOps": 2,
        "FSNWriteLockMkdirsNanosAvgTime": 51_000.0,
        "FSNReadLockGetfileinfoNanosNumOps": 0,
        "FSNReadLockGetfileinfoNanosAvgTime": 0.0,
        "LockQueueLength": 0,
    }
    assert metrics.flatten([bean]) == {
        "FSNamesystem.FSNWriteLockMkdirsNanosNumOps": 2.0,
        "FSNamesystem.FSNWriteLockMkdirsNanosAvgTime": 51_000.0,
        "FSNamesystem.LockQueueLength": 0.0,
    }


def test_a_sampler_counts_what_it_missed() -> None:
    """A daemon that does not answer leaves a gap and a count, not an exception in a thread."""
    clock = VirtualClock()
    answers: Iterator[float | None] = iter([1.0, None, 2.0])

    def read() -> dict[str, float]:
        value = next(answers)
        if value is None:
            raise TargetError("gives no JMX")
        return {"x": value}

    sampler = metrics.Sampler(read, clock)
    for second in range(3):
        clock.advance_to(second)
        sampler.take()
    assert sampler.series("x") == [(0, 1.0), (2, 2.0)]
    assert sampler.missed == 1


def test_a_sampler_takes_a_first_and_a_last_sample() -> None:
    """Even a run shorter than the interval has two points to take a difference of."""
    with metrics.Sampler(lambda: {"x": 1.0}, VirtualClock(), interval_s=60) as sampler:
        assert len(sampler.samples) == 1
    assert len(sampler.samples) == 2


@pytest.fixture
def liar() -> Iterator[tuple[str, int]]:
    """A web server that answers, but not with JMX."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            raw = CLUSTER.get("raw")
            assert raw is None or isinstance(raw, bytes)
            body = {
                "/jmx?qry=a": b"<html>",
                "/jmx?qry=b": b"[]",
                "/jmx?qry=c": b'{"beans": 1}',
                "/jmx?qry=d": DEEP,
                "/ws/v1/cluster/info": raw or json.dumps({"clusterInfo": CLUSTER}).encode(),
            }[self.path]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield "127.0.0.1", server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("query", ["a", "b", "c", "d"])
def test_an_answer_that_is_no_jmx_is_one_error(liar: tuple[str, int], query: str) -> None:
    """Whatever it is instead."""
    with pytest.raises(TargetError, match="gives no JMX"):
        metrics.jmx(liar, query)


def test_a_resourcemanager_is_known_by_its_start(
    liar: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number in the ids of its applications; what tells none is one error."""
    assert metrics.resourcemanager_id(liar) == "1795452157655"
    for odd in ("none", float("inf")):
        monkeypatch.setitem(CLUSTER, "id", odd)
        with pytest.raises(TargetError, match=NO_ID):
            metrics.resourcemanager_id(liar)
    for raw in (DEEP, b'{"clusterInfo": {"id": 1e400}}'):
        monkeypatch.setitem(CLUSTER, "raw", raw)
        with pytest.raises(TargetError, match=NO_ID):
            metrics.resourcemanager_id(liar)


def test_no_answer_is_one_error() -> None:
    """Nobody listens there."""
    with pytest.raises(TargetError, match=r"127\.0\.0\.1:1: "):
        metrics.jmx(("127.0.0.1", 1), "x")


def test_a_gc_log_is_read_from_its_file(tmp_path: Path) -> None:
    """Odd bytes spoil a line, not the log; one that is not there is an error."""
    log = tmp_path / "gc.log"
    log.write_bytes(
        b"\xff\n[2026-11-23T09:46:31.120+0000][0.2s][gc] GC(0) Pause Remark 12M->5M(244M) 7.194ms\n"
    )
    read = metrics.read_gc_log(log)
    assert ([pause.kind for pause in read.pauses], read.unread) == (["Remark"], 1)
    with pytest.raises(InputError, match="nothing"):
        metrics.read_gc_log(tmp_path / "nothing.log")


def test_a_namenode_known_by_its_web_address_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts and numbers come over JMX, CPU time from what the JVM tells of itself."""

    def jmx(_: tuple[str, int], query: str) -> list[metrics.Bean]:
        if query == metrics.DETAILED:
            return [{"name": "Hadoop:name=RpcDetailedActivityForPort1", "CreateNumOps": 3}]
        if query == "java.lang:type=Memory":
            return [{"HeapMemoryUsage": {"used": 5, "committed": 8, "max": "?"}}, {"HeapMemoryUsage": 3}]
        if query.startswith("java.lang"):
            return [{"name": query, "ProcessCpuTime": 2_500_000_000}]
        return []

    monkeypatch.setattr(metrics, "jmx", jmx)
    web = metrics.Web(("127.0.0.1", 1))
    assert web.rpc_counts() == {"create": 3}
    heap = {"process.heap_used_bytes": 5.0, "process.heap_committed_bytes": 8.0}
    assert web.sample() == {"process.cpu_seconds": 2.5, **heap}


@pytest.mark.parametrize(
    ("unit", "ms"),
    [
        ("MICROSECONDS", 0.25),
        ("nanoseconds", 0.00025),
        ("MILLISECONDS", 250.0),
        (None, 250.0),
        ("weeks", 250.0),
    ],
)
def test_times_of_calls_are_in_milliseconds(
    monkeypatch: pytest.MonkeyPatch, unit: str | None, ms: float
) -> None:
    """Whatever unit a daemon counts them in, which it is asked for once; locks and syncs have units of their own."""
    asked: list[str] = []

    def get(http: tuple[str, int], path: str, timeout_s: float) -> Any:
        asked.append(path)
        if unit is None:
            raise urllib.error.HTTPError(path, 404, "not found", Message(), None)
        return {"property": {"value": unit}}

    beans = [
        {
            "name": "Hadoop:service=NameNode,name=RpcActivityForPort1",
            "RpcQueueTimeAvgTime": 250.0,
            "SentBytes": 9,
        },
        {
            "name": "Hadoop:service=NameNode,name=RpcDetailedActivityForPort1",
            "CreateAvgTime": 250.0,
            "CreateNumOps": 3,
        },
        {"name": "Hadoop:service=NameNode,name=NameNodeActivity", "SyncsAvgTime": 250.0},
    ]
    monkeypatch.setattr(metrics, "NAMENODE_BEANS", ("all",))
    monkeypatch.setattr(metrics, "jmx", lambda *_: beans)
    monkeypatch.setattr(metrics, "_get", get)
    http = ("127.0.0.1", 1)
    metrics._rpc_times_per_ms.cache_clear()
    for _ in range(2):
        assert metrics.NamenodeNumbers(http).now() == {
            "RpcActivity.RpcQueueTimeAvgTime": pytest.approx(ms),
            "RpcActivity.SentBytes": 9.0,
            "RpcDetailedActivity.CreateAvgTime": pytest.approx(ms),
            "RpcDetailedActivity.CreateNumOps": 3.0,
            "NameNodeActivity.SyncsAvgTime": 250.0,
        }
    assert len(asked) == 1


def test_what_takes_a_namenode_long_to_count_is_asked_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share of its time is bounded; counts of DataNodes come each time, by attributes that cost it little."""
    clock, state = VirtualClock(), "Hadoop:service=NameNode,name=FSNamesystemState"
    asked: list[str] = []

    def jmx(_: object, query: str) -> list[metrics.Bean]:
        asked.append(query)
        clock.sleep(2.0 if query == state else 0.0)
        bean, _, attribute = query.partition("::")
        return [{"name": bean, **dict.fromkeys((attribute or "FilesTotal NumDeadDataNodes").split(), 7)}]

    monkeypatch.setattr(metrics, "jmx", jmx)
    monkeypatch.setattr(metrics, "_rpc_times_per_ms", lambda _: 1.0)
    numbers = metrics.NamenodeNumbers(("nn", 1), clock)
    seen = []
    for second in range(0, 48, 3):
        clock.advance_to(max(clock.now(), second))
        seen.append(numbers.now())
    assert asked.count(state) == 3
    assert asked.count("Hadoop:service=NameNode,name=JvmMetrics") == len(seen)
    assert ["FSNamesystemState.FilesTotal" in each for each in seen].count(True) == 3
    assert all(each["FSNamesystemState.NumDeadDataNodes"] == 7.0 for each in seen)


def test_an_attribute_alone_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """By another form of the question, which spares a NameNode the rest of the bean."""
    monkeypatch.setattr(metrics, "_get", lambda _, path, timeout_s: {"beans": [{"path": path}]})
    found = [metrics.jmx(("nn", 1), query)[0]["path"] for query in ("a:name=B", "a:name=B::C")]
    assert found == ["jmx?qry=a:name=B", "jmx?get=a:name=B::C"]


def test_a_unit_that_is_not_answered_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for again with the next sample, rather than taken for milliseconds."""

    def get(http: tuple[str, int], path: str, timeout_s: float) -> Any:
        raise ConnectionResetError("reset")

    monkeypatch.setattr(metrics, "_get", get)
    metrics._rpc_times_per_ms.cache_clear()
    for _ in range(2):
        with pytest.raises(TargetError, match="gives no configuration"):
            metrics._rpc_times_per_ms(("127.0.0.1", 1))


@pytest.mark.parametrize(
    ("error_class", "name"),
    [
        ("java.io.FileNotFoundException", "fileNotFoundException"),
        ("org.apache.hadoop.ipc.RetriableException", "retriableException"),
        ("org.example.Outer$Inner", "inner"),
        ("", ""),
    ],
)
def test_failed_calls_are_counted_under_their_exception(error_class: str, name: str) -> None:
    """By the simple name of its class, as Hadoop's server does."""
    assert metrics.failure_name(error_class) == name
