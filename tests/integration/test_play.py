"""Plays against a real NameNode."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from froude.base.errors import GuardError
from froude.base.progress import Silent, Task
from froude.emulation.run.files import read_run
from froude.emulation.run.run import PLAYERS, Run
from froude.emulation.settings import Connections, DatanodeSettings, Mode, Pacing, Record
from froude.experiment.knee.answer import Status
from froude.experiment.knee.knee import knee
from froude.experiment.play.play import play
from froude.experiment.play.prometheus import served
from froude.experiment.scenario.options import (
    KneeOptions,
    KneeSearch,
    Load,
    Nodes,
    PlayOptions,
)
from froude.experiment.scenario.shipped import FOLDER
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.metrics.jmx import Bean
from froude.hadoop.rpc.connection import Connection, current_user
from froude.trace.files import read_trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Constant,
    Counter,
    NodeType,
    Recorded,
    Repeat,
    Rule,
    Template,
    Timing,
    Workload,
)
from froude.workload.yaml_file import read_workload
from testbed.plans import CLIENT, plan
from testbed.workloads import WORKLOADS
from tests.support.experiment.prometheus import scraped

pytestmark = pytest.mark.integration


class Scraping(Silent):
    """Asks as Prometheus does, whenever a play says what goes on."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.seen: list[dict[tuple[str, ...], float]] = []
        """What was answered."""

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        """A task of a play.

        Args:
            label: not looked at.
            total: not looked at.
        """
        with super().task(label, total) as task:
            yield cast("Task", SimpleNamespace(advance=task.advance, say=self._say))

    def _say(self, _: str) -> None:
        self.seen.append(scraped(self._url))


FULL = PlayOptions(record=Record.FULL)
UNCOUNTED = PlayOptions(record=Record.SUMMARY, check_counts=False)


@pytest.fixture
def fresh(hadoop: Hadoop) -> Iterator[NameNode]:
    """A NameNode that nobody else talks to: its counts are compared."""
    with hadoop.namenode(heap="512 MB", fast=True) as running:
        yield running


def test_datanodes_and_clients_play_without_an_error(fresh: NameNode, tmp_path: Path) -> None:
    """200 emulated DataNodes go live, clients write files on them, and the NameNode counted what was sent."""
    with served("0") as endpoint:
        progress = Scraping(endpoint.url)
        planned, folder = plan(datanodes=200, clients=6, files=3), tmp_path / "run"
        run = play(planned, fresh, FULL, folder=folder, progress=progress, live=endpoint.live)
        last = scraped(endpoint.url)
    assert run.failure is None
    assert progress.seen
    assert progress.seen[-1]["froude_nodes",] > 0
    assert progress.seen[-1]["froude_target", "heap_used_bytes", "process"] > 0
    assert last["froude_phase", "ended"] == 1
    assert run.gc is not None
    assert run.gc.collector == "Serial"
    assert run.gc_log is not None
    assert run.most("process.heap_used_bytes")
    assert run.errors == {}
    assert run.differences == []
    assert fresh.live_datanodes() == 200
    assert run.steady_from_s is not None
    assert run.tally.ramp.counts["registerDatanode"] == (200, 200)
    assert run.environment["Hadoop"] == fresh.hadoop.version
    assert run.counts["create"] == (18, 18)
    deadline = time.monotonic() + 30
    while _namesystem(fresh)["BlocksTotal"] != 6 * 2 * 2 and time.monotonic() < deadline:
        time.sleep(0.2)  # blocks of deleted files go a moment after the answer
    assert _namesystem(fresh)["BlocksTotal"] == 6 * 2 * 2
    assert _namesystem(fresh)["CorruptBlocks"] == 0
    back = read_run(tmp_path / "run")
    assert back.counts == run.counts
    assert back.latency("create") == run.latency("create")
    trace = read_trace(tmp_path / "run" / "trace")
    assert len(trace.calls) == sum(sent for sent, _ in run.tally.whole.counts.values())
    other = f"hdfs://{fresh.host}:{fresh.port}"
    with pytest.raises(GuardError, match=f"{fresh.port}: "):
        play(plan(), other)
    with pytest.raises(GuardError, match="never played against"):
        play(plan(source_ids=(fresh.cluster_id,)), fresh)


def _namesystem(namenode: NameNode) -> Bean:
    return namenode.jmx("Hadoop:service=NameNode,name=FSNamesystem")[0]


def _once(run: Run) -> dict[str, tuple[int, int]]:
    """Calls by method, without those that are made as often as time passes."""
    periodic = {"sendHeartbeat", "complete", "blockReceivedAndDeleted"}
    return {name: counts for name, counts in run.tally.whole.counts.items() if name not in periodic}


def test_one_plan_is_played_three_times_on_one_namenode(fresh: NameNode, tmp_path: Path) -> None:
    """Nothing fails, and counts are equal: its retry cache takes no call for one of the plays before.

    The same DataNodes register again; only a play that repeats the client ids of another has its ids.
    """
    planned, schema = plan(datanodes=10, clients=6, files=3), fresh.hadoop.schema().subset([CLIENT])
    options = PlayOptions(record=Record.FULL, check_counts=False)
    runs, senders = [], []
    for number in range(4):
        if number == 3:
            options = options.replaced(replay_ids=tmp_path / "0")
        run = play(planned, fresh, options, folder=tmp_path / str(number))
        runs.append(run)
        assert run.trace is not None
        senders.append({call.client_id for call in read_trace(run.trace).calls})
        assert fresh.live_datanodes() == 10
        with Connection(*fresh.address, schema, CLIENT, user=current_user()) as connection:
            assert connection.call("delete", connection.message("delete", src="/play", recursive=True)).result
    for run in runs[:3]:
        assert (run.failure, run.errors, dict(run.left_out)) == (None, {}, {})
        assert _once(run) == _once(runs[0])
        assert (_once(run)["registerDatanode"], _once(run)["create"]) == ((10, 10), (18, 18))
    assert not senders[0] & senders[1] | senders[1] & senders[2] | senders[0] & senders[2]
    assert senders[3] == senders[0]
    assert read_run(tmp_path / "3").nonce == runs[0].nonce != ""


def _paths(namenode: NameNode, folder: str) -> set[str]:
    """All paths below a folder."""
    schema, found = namenode.hadoop.schema().subset([CLIENT]), set[str]()
    with Connection(*namenode.address, schema, CLIENT, user=current_user()) as connection:
        folders = [folder]
        while folders:
            at = folders.pop()
            asked = connection.message("getListing", src=at, startAfter=b"", needLocation=False)
            for entry in connection.call("getListing", asked).dirList.partialListing:
                path = f"{at}/{entry.path.decode()}"
                found.add(path)
                folders += [path] if entry.fileType == 1 else []
        connection.call("delete", connection.message("delete", src=folder, recursive=True))
    return found


def test_players_share_a_play(fresh: NameNode, tmp_path: Path) -> None:
    """Counts by method and the namespace are those of one player; the run and its trace are whole."""
    planned, shown = plan(datanodes=10, clients=7, files=3), []
    for players in (1, 2):
        folder = tmp_path / str(players)
        options = PlayOptions(record=Record.FULL, check_counts=False, load=Load(players=players))
        run = play(planned, fresh, options, folder=folder)
        assert (run.failure, run.errors, dict(run.left_out)) == (None, {}, {})
        assert run.environment.get(PLAYERS) == (None if players == 1 else "2")
        assert run.trace is not None
        trace = read_trace(run.trace)
        assert len(trace.calls) == sum(sent for sent, _ in run.tally.whole.counts.values())
        assert len({call.client_id for call in trace.calls}) == 17
        assert all((load.busiest_share is None) is (players == 1) for load in read_run(folder).load)
        shown.append((_once(run), _paths(fresh, "/play")))
    assert shown[0] == shown[1]
    assert len(shown[0][1]) == 7 + 7 * 2


def test_a_population_keeps_its_load_up_and_is_measured_warm(fresh: NameNode) -> None:
    """By two players: no path is there already, none is missing, and the play ends once its steady part was measured."""
    planned = extrapolate(read_workload(WORKLOADS["demo"]), Scale.of(datanodes=3, clients=4, files=3))
    load = Load(mode=Mode.POPULATION, duration_s=40, measure_s=3, pacing=Pacing.CLOSED, speed=10, players=2)
    run = play(planned, fresh, UNCOUNTED.replaced(load=load))
    assert (run.failure, run.interrupted, run.errors, dict(run.left_out)) == (None, False, {}, {})
    assert run.load[-1].nodes > 3 + 2 + 4 * 3
    assert run.steady_from_s is not None
    assert run.tally.ramp.counts["create"][0] > 0 < run.counts["create"][0]
    assert run.compiler_share is not None
    assert run.mode == "population"
    seen = {name for sample in run.metrics for name, value in sample.values.items() if value > 0}
    assert {
        "process.handler_seconds",
        "RpcDetailedActivity.CreateNumOps",
        "RpcDetailedActivity.CreateAvgTime",
    } <= seen


def test_the_shipped_datanodes_are_all_alive(fresh: NameNode) -> None:
    """Fewer than as it is shipped; each registers, reports and sends heartbeats."""
    workload = read_workload(FOLDER / "datanodes-workload.yaml")
    load = Load(duration_s=7.0, ramp=200.0)
    run = play(extrapolate(workload, Scale.of(datanodes=300)), fresh, PlayOptions(load=load))
    assert (run.failure, run.datanodes_lost, fresh.live_datanodes()) == (None, 0.0, 300)
    counts = run.tally.whole.counts
    assert counts["registerDatanode"] == counts["blockReport"] == (300, 300)
    assert counts["sendHeartbeat"][0] > 600


def test_a_condition_ends_a_play_early(fresh: NameNode, tmp_path: Path) -> None:
    """Once it has held for its time: the run is kept, and names what was found; another condition never held."""
    conditions = ("p99(create) > 1 min for 1 s", "calls_per_s > 1 for 2 s")
    planned = extrapolate(read_workload(WORKLOADS["demo"]), Scale.of(datanodes=3, clients=4, files=3))
    load = Load(mode=Mode.POPULATION, duration_s=60.0, pacing=Pacing.CLOSED, speed=10)
    options = PlayOptions(load=load, abort_when=conditions, check_counts=False)
    run = play(planned, fresh, options, folder=tmp_path / "run")
    assert run.aborted
    assert run.failure is not None
    assert run.failure.startswith("aborted, calls_per_s > 1 for 2 s: it held from ")
    assert 2.0 <= run.elapsed_s < 50.0
    assert not run.interrupted
    assert read_run(tmp_path / "run").aborted


def test_each_node_can_have_a_connection_and_an_address(fresh: NameNode) -> None:
    """As in a real cluster: the NameNode sees as many addresses as DataNodes; the target's death is stated."""
    planned = plan(datanodes=40, clients=5, files=1)
    own = Load(connections=Connections(pool=0, user="root"))
    nodes = Nodes(datanodes=DatanodeSettings(per_address=1))
    run = play(planned, fresh, UNCOUNTED.replaced(load=own, nodes=nodes))
    assert run.failure is None
    assert run.errors == {}
    live = json.loads(fresh.jmx("Hadoop:service=NameNode,name=NameNodeInfo")[0]["LiveNodes"])
    assert len({node["xferaddr"].split(":")[0] for node in live.values()}) == 40

    def kill_it() -> None:
        """Once all DataNodes have registered a second time."""
        while fresh.rpc_counts().get("registerDatanode", 0) < 2 * 40:
            time.sleep(0.1)
        os.kill(fresh.pid, signal.SIGKILL)

    threading.Thread(target=kill_it, daemon=True).start()
    dead = play(
        plan(datanodes=40, clients=0),
        fresh,
        UNCOUNTED.replaced(load=own.replaced(duration_s=20)),
    )
    assert dead.failure is not None
    assert f"{fresh.host}:{fresh.port}" in dead.failure
    assert dead.tally.whole.counts["registerDatanode"] == (40, 40)


def _folders(count: int, *, services: tuple[str, ...] = ("",), think_s: float = 0.0) -> Plan:
    """One client that makes folders, each at every service in turn."""
    path = Template(("/folder", Counter(0, {"L1": 1})))
    timing = Timing(Count(think_s), service=Count(0.001))
    arguments: dict[str, Rule] = {
        "src": path, "masked.perm": Constant(493), "createParent": Constant(True)
    }  # fmt: skip
    steps = tuple(
        CallTemplate(f"client.mk{number}", CLIENT, "mkdirs", arguments, timing, service=service)
        for number, service in enumerate(services)
    )
    client = NodeType("client", Count(1), (Repeat("L1", Count(count), steps),))
    return Plan(Workload((client,), Recorded((), ())), Scale.of(clients=1), {"client": 1})


def _made(namenode: NameNode) -> int:
    """How many folders there are but the root; it tells at once, where its counts of calls lag behind."""
    return int(namenode.jmx("Hadoop:service=NameNode,name=FSNamesystemState")[0]["FilesTotal"]) - 1


def test_one_play_speaks_to_several_daemons(fresh: NameNode, hadoop: Hadoop, tmp_path: Path) -> None:
    """Each call goes to the daemon of its service; one whose service has no target is left out and counted."""
    folders = _folders(7, services=("first", "second", "third"))
    with hadoop.namenode(heap="256 MB", fast=True) as other:
        folder = tmp_path / "run"
        run = play(folders, {"first": fresh, "second": other}, FULL, folder=folder)
        assert run.failure is None
        assert [_made(each) for each in (fresh, other)] == [7, 7]
    assert run.errors == {}
    assert run.counts["mkdirs"] == (14, 14)
    assert sum(run.left_out.values()) == 7
    assert all("no target for third" in what for what in run.left_out)


def test_a_namenode_that_restarts_in_a_play(fresh: NameNode) -> None:
    """Its connections are lost; calls in flight are sent again, and the play goes on to its end."""
    restarted = threading.Event()

    def restart() -> None:
        while (
            _made(fresh) < 2
        ):  # the answer to the first was heard then: silence from the start would end the play
            time.sleep(0.05)
        fresh.restart()
        restarted.set()

    thread = threading.Thread(target=restart)
    thread.start()
    try:
        run = play(_folders(60, think_s=0.1), fresh, UNCOUNTED)
    finally:
        thread.join()
    assert restarted.is_set()
    assert run.failure is None
    assert run.errors == {}
    assert run.counts["mkdirs"] == (60, 60)
    assert any(note.startswith("connection lost") for note in run.notes)
    assert _made(fresh) == 60


def test_a_stopped_namenode_shows_from_intended_time(fresh: NameNode) -> None:
    """Stopped in the middle of a play for 3 s: every call that the schedule has meanwhile is late by what is left."""
    stopped = threading.Event()

    def stop() -> None:
        while not _made(fresh):
            time.sleep(0.05)
        os.kill(fresh.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(fresh.pid, signal.SIGCONT)
        stopped.set()

    thread = threading.Thread(target=stop)
    thread.start()
    scheduled = _folders(60, think_s=0.1)
    try:
        run = play(scheduled, fresh, UNCOUNTED)
    finally:
        thread.join()
    assert stopped.is_set()
    assert run.failure is None
    assert run.pacing == "scheduled"
    waited = run.tally.of("mkdirs")
    assert 1 <= sum(n for us, n in waited.from_actual.counts.items() if us > 1e6) < 5
    assert sum(n for us, n in waited.from_intended.counts.items() if us > 1e6) > 15


def test_how_far_a_namenode_scales(hadoop: Hadoop) -> None:
    """Plays of growing load on one NameNode that is emptied between them; a limit that no load breaks."""
    played = plan(datanodes=10, clients=2, files=2)
    smaller = Scale.of(datanodes=10, clients=1, files=2)
    recorded = Recorded((smaller, played.scale), ("CID-source",))
    found = knee(
        replace(played.workload, recorded=recorded),
        lambda: hadoop.namenode(heap="512 MB", fast=True),
        KneeOptions(
            load=Load(measure_s=1.0),
            knee=KneeSearch(raise_=("clients",), most=2),
            limits=("p99 < 30 s", "error_rate < 1 %"),
            repeats=1,
            warm_up_s=3,
        ),
    )
    assert (found.plays[0].run.scale["clients"], found.plays[-1].run.scale["clients"]) == ("2", "4")
    assert len({each.run.target for each in found.plays}) == 1
    assert all((each.run.calls_failed, each.run.mode) == (0, "population") for each in found.plays)
    run = found.plays[-1].run
    if run.core_time:  # of so short a play there may be one sample only
        assert run.target_cpu_us is not None
        assert run.core_time.keys() == {"calls", "compiler", "collector", "player", "other work", "idle"}
    assert f"ActiveProcessorCount={run.target_cores}" in run.environment["JVM flags"]
    assert "pinned" in found.environment
    assert found.status is Status.OPEN
    assert found.answer.startswith("At least ")
    assert found.environment["Hadoop"] == hadoop.version
