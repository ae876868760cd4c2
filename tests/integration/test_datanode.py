"""One script against real DataNodes and emulated ones: the NameNode is told the same, by `trace diff`."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.documents.store import Workspace
from froude.emulation.run.run import Run
from froude.emulation.settings import DatanodeSettings, Record
from froude.experiment.play.play import play
from froude.experiment.record.record import record
from froude.experiment.scenario.options import Load, Nodes, PlayOptions
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection, current_user
from froude.trace.diff import diff
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workload.plan import Plan
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, Constant, NodeType, Timing
from testbed.plans import BLOCK_BYTES, CLIENT, LAST_BYTES, plan

pytestmark = [pytest.mark.integration, pytest.mark.long]
DELETED, RECEIVED = 3, 2
PATH = "/play/c000/f1"
BLOCKS, LENGTH = 2, BLOCK_BYTES + LAST_BYTES
REPORTS = {"versionRequest", "registerDatanode", "blockReport"}
_WITHIN_S, _LASTS_S = 60.0, 70.0


def conf(hosts: Path) -> dict[str, str]:
    """A NameNode that does within a second what else takes minutes; hosts in the file are decommissioned."""
    hosts.touch()
    return {
        "dfs.heartbeat.interval": "1",
        "dfs.namenode.redundancy.interval.seconds": "1s",
        "dfs.namenode.decommission.interval": "1s",
        "dfs.hosts.exclude": str(hosts),
    }


def until(namenode: NameNode, bean: str, attribute: str, value: int) -> None:
    """Wait until a NameNode counts so many."""
    _wait(lambda: namenode.jmx(f"Hadoop:service=NameNode,name={bean}")[0][attribute] == value, attribute)


def _wait(met: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _WITHIN_S
    while not met():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def script(namenode: NameNode, hosts: Path) -> None:
    """Invalidate, decommission, take back, replicate again, rejoin, delete: each is over when the NameNode says so."""
    schema = namenode.hadoop.schema().subset([CLIENT])

    def call(method: str, **fields: object) -> Any:
        with Connection(*namenode.address, schema, CLIENT, user=current_user()) as connection:
            return connection.call(method, connection.message(method, **fields))

    def places() -> list[str]:
        blocks = call("getBlockLocations", src=PATH, offset=0, length=LENGTH).locations.blocks
        return [f"{each.id.ipAddr}:{each.id.xferPort}" for block in blocks for each in block.locs]

    def copies(number: int) -> None:
        _wait(lambda: len(places()) == BLOCKS * number, f"{number} copies")

    copies(2)
    call("setReplication", src=PATH, replication=1)
    copies(1)
    hosts.write_text(places()[0] + "\n")
    call("refreshNodes")
    until(namenode, "FSNamesystemState", "NumDecomLiveDataNodes", 1)
    hosts.write_text("")
    call("refreshNodes")
    until(namenode, "FSNamesystemState", "NumDecomLiveDataNodes", 0)
    copies(1)
    call("setReplication", src=PATH, replication=2)
    copies(2)
    namenode.restart()
    _wait(lambda: not namenode.safe_mode(), "all replicas reported again")
    until(namenode, "FSNamesystemState", "NumLiveDataNodes", 2)
    copies(2)
    call("delete", src="/play", recursive=True)
    until(namenode, "FSNamesystem", "BlocksTotal", 0)
    until(namenode, "FSNamesystem", "PendingDeletionBlocks", 0)


def told(trace: Trace) -> Counter[int]:
    """How often DataNodes reported a replica that they received, and one that they deleted."""
    reports = (trace.request(call) for call in trace.calls if call.method == "blockReceivedAndDeleted")
    statuses = (each.status for report in reports for storage in report.blocks for each in storage.blocks)  # type: ignore[attr-defined]
    return Counter(status for status in statuses if status in {RECEIVED, DELETED})


def real(hadoop: Hadoop, folder: Path) -> Trace:
    """Of two real DataNodes."""
    hosts, file = folder / "hosts", folder / "file"
    file.write_bytes(b"x" * LENGTH)
    settings = {**conf(hosts), "dfs.blocksize": str(BLOCK_BYTES)}
    with hadoop.cluster(datanodes=2, replication=2, fast=True, conf=settings) as cluster:
        with record(cluster, Workspace(folder / "w"), scale={"datanodes": 2}, settle_s=1.0) as recording:
            recording.shell("-mkdir", "-p", "/play/c000")
            recording.shell("-put", str(file), PATH)
            script(cluster.namenode, hosts)
        return read_trace(recording.trace)


def kept_up() -> Plan:
    """A client that writes files on two DataNodes, and one that waits, so that they stay."""
    planned, timing = plan(datanodes=2, clients=1, files=2), Timing(Count(_LASTS_S), service=Count(0.001))
    look = CallTemplate("waiter.look", CLIENT, "getFileInfo", {"src": Constant("/")}, timing)
    types = (*planned.workload.node_types, NodeType("waiter", Count(1), (look,)))
    return Plan(replace(planned.workload, node_types=types), planned.scale, {**planned.counts, "waiter": 1})


def emulated(hadoop: Hadoop, folder: Path) -> Trace:
    """Of two emulated ones."""
    hosts, failed = folder / "hosts2", list[BaseException]()
    options = PlayOptions(
        record=Record.FULL,
        load=Load(duration_s=_LASTS_S + 5),
        nodes=Nodes(datanodes=DatanodeSettings(heartbeat_s=1.0)),
        check_counts=False,
    )
    with hadoop.namenode(heap="512 MB", fast=True, conf=conf(hosts)) as namenode:

        def perform() -> None:
            try:
                _wait(
                    lambda: namenode.jmx("Hadoop:service=NameNode,name=FSNamesystem")[0]["BlocksTotal"] >= 2,
                    "files",
                )
                time.sleep(2.0)
                script(namenode, hosts)
            except BaseException as error:  # noqa: BLE001 - told to the test
                failed.append(error)

        thread = threading.Thread(target=perform)
        thread.start()
        run: Run = play(kept_up(), namenode, options, folder=folder / "run")
        thread.join()
    assert not failed, failed
    assert run.failure is None
    return read_trace(folder / "run" / "trace")


def test_emulated_datanodes_tell_what_real_ones_do(hadoop: Hadoop, tmp_path: Path) -> None:
    """As many registrations and full reports, in one order, and of each copy that came or went a report.

    Of blocks of a deleted file neither reports the end, which the NameNode does not want to know.
    """
    sides = [each(hadoop, tmp_path) for each in (real, emulated)]
    own = [replace(side, calls=[call for call in side.calls if call.method in REPORTS]) for side in sides]
    found = diff(own[0], own[1], arguments=False)
    assert found.same_sequences, found.senders
    for side, files in zip(sides, (1, 2), strict=True):
        reported = told(side)
        assert reported[RECEIVED] - reported[DELETED] == 2 * BLOCKS * files, reported
        assert reported[DELETED] > BLOCKS, reported
