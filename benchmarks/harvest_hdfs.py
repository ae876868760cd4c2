"""Placement on real NameNodes with emulated DataNodes: constraints kept, the cost of a block, the replication storm."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.results import INPUTS, ONE_INPUT, Row, at_most, over
from froude.base.clock import RealClock
from froude.base.seeds import Seeds
from froude.emulation.programs.hdfs.datanodes import Datanodes
from froude.emulation.programs.hdfs.stalls import Stall
from froude.emulation.settings import DatanodeSettings
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection
from froude.harvest.live.hdfs.changes import HdfsChanges, make
from froude.harvest.live.hdfs.datanodes import DataNode
from froude.harvest.live.hdfs.namenode import NameNodeCalls
from froude.harvest.live.hdfs.placement_map import Placed, map_text, placed, rack_table
from froude.harvest.live.hdfs.plugin import Way, class_files, settings
from froude.harvest.place.existing import Broken, broken, existing
from froude.harvest.place.policies import Attribute, Policy, preset
from froude.harvest.telemetry.datacenter import Ints
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.profiles import PROFILES
from testbed.datanodes import BLOCK_BYTES, CLIENT, playing, writing

RELEASES = ("3.3.6", "3.4.2", "3.5.0")
_PROFILE = PROFILES["DC-9"]
_BLOCKS, _WARM, _TIMED = 3000, 3000, 2000
_WAIT_S = 120.0
_DEAD_S = 11
_BEGIN_S = 30.0
"""Disks stand still so long after their DataNode began: all is written then."""
QUICK = {
    "dfs.heartbeat.interval": "1",
    "dfs.namenode.heartbeat.recheck-interval": "500",
    "dfs.namenode.redundancy.interval.seconds": "1s",
}


def constraints_kept() -> Iterator[Row]:
    """By release: blocks placed by the plug-in, hard and soft, looked at with the map of before, over datacenters."""
    for release in RELEASES:
        with _cluster(release) as (namenode, fleet):
            rows = [_kept(namenode, fleet, release, seed) for seed in range(1, INPUTS + 1)]
        yield from (over(each, "datacenters") for each in zip(*rows, strict=True))


def _kept(namenode: NameNode, fleet: Datanodes, release: str, seed: int) -> list[Row]:
    found, rows = _placed_servers(namenode, fleet, seed), []
    said = f"5,000 emulated DataNodes of 500 tenants (DC-9), {_BLOCKS:,} blocks of 3 replicas, Algorithm 2"
    for name, policy in (("hard", preset("history")), ("soft", preset("history-soft"))):
        _put_in_force(namenode, found, policy)
        blocks = _placed(namenode, fleet, _BLOCKS)
        where, fewer = f"{name}, Hadoop {release}", int((blocks < 0).any(axis=1).sum())
        most = max(each.blocks for each in _broken(found, blocks))
        rows += [
            at_most(f"blocks that break a constraint, {where}", most, "blocks", 0, conditions=said),
            Row(f"blocks of fewer replicas, {where}", fewer, "blocks", conditions=said),
        ]
    return rows


def without_java(seed: int) -> list[Row]:
    """Environments as racks: blocks placed by the policy that every Hadoop has.

    Args:
        seed: of the datacenter.
    """
    nodes = 300
    profile = replace(PROFILES["DC-9"], servers=nodes, tenants=60)
    datanodes = DatanodeSettings(per_address=1)
    hadoop = Hadoop.find(RELEASES[-1])
    fleet = Datanodes(hadoop.schema(), datanodes, seeds=Seeds(0))
    made = generate(profile, Seeds(seed), days=8)
    made = replace(made, servers=[f"{fleet.source(n)}" for n in range(nodes)])
    there = [
        DataNode(str(fleet.source(n)), fleet.port(n), str(fleet.source(n)), fleet.uuid(n), "/default-rack")
        for n in range(nodes)
    ]
    found = placed(made, there)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "racks.txt"
        table.write_text(rack_table(found))
        conf = settings(Way.RACKS, table)
        with (
            hadoop.namenode(heap="512 MB", fast=True, conf=conf) as namenode,
            playing(namenode, writing(nodes, 0, 0), datanodes),
        ):
            _wait(lambda: namenode.live_datanodes() == nodes)
            blocks = _placed(namenode, fleet, _BLOCKS)
    environment = next(
        each for each in _counted(found, there, blocks) if each.attribute is Attribute.ENVIRONMENT
    )
    said = (
        f"Hadoop {RELEASES[-1]}, {nodes} emulated DataNodes of 60 tenants, {_BLOCKS:,} blocks of 3 replicas"
    )
    measure = "blocks with two replicas in an environment, without Java"
    return [at_most(measure, environment.blocks, "blocks", 0, conditions=said)]


def cost_of_a_block() -> Iterator[Row]:
    """What addBlock takes with either policy, one call after the other."""
    for name in ("stock", "plug-in"):
        with _cluster(RELEASES[-1], fast=False) as (namenode, fleet):
            if name == "plug-in":
                _put_in_force(namenode, _placed_servers(namenode, fleet, 1), preset("history"))
            times: list[float] = []
            _placed(namenode, fleet, _WARM + _TIMED, times)
            said = (
                "Hadoop 3.5.0, 5,000 emulated DataNodes (DC-9), one client, there and back; median of 2,000"
            )
            paper = "0.81" if name == "stock" else "2.55"
            conditions = f"{said}; the paper, of placing alone: {paper} ms; {ONE_INPUT}"
            value = round(median(times[_WARM:]) * 1e6)
            yield Row(f"addBlock, {name}", value, "us", conditions=conditions)


def storm() -> Iterator[Row]:
    """Disks that stand still for 40 s, with heartbeats that wait for them and with heartbeats that do not."""
    nodes, still, writers, files = 200, 20, 10, 100
    for name, asynchronous in (("synchronous", False), ("asynchronous", True)):
        stall = Stall(range(still), _BEGIN_S, 40.0, asynchronous)
        datanodes = DatanodeSettings(heartbeat_s=1.0)
        with (
            Hadoop.find(RELEASES[-1]).namenode(heap="512 MB", fast=True, conf=QUICK) as namenode,
            playing(namenode, writing(nodes, writers, files), datanodes, (stall,)),
        ):
            _wait(lambda: _system(namenode)["BlocksTotal"] == writers * files)
            _wait(lambda: not _system(namenode)["UnderReplicatedBlocks"])
            _wait(lambda: not _system(namenode)["PendingReplicationBlocks"])
            before, dead = _copies(namenode), 0
            ends = time.monotonic() + _BEGIN_S + 40 + _DEAD_S
            while time.monotonic() < ends:
                dead = max(dead, nodes - namenode.live_datanodes())
                time.sleep(0.5)
            copied = _copies(namenode) - before
        said = (
            f"Hadoop 3.5.0, {nodes} emulated DataNodes, {writers * files:,} blocks, the disks of {still} stand still "
            f"for 40 s, a DataNode is dead after {_DEAD_S} s; {dead} were taken for dead"
        )
        aim = "0" if asynchronous else "a storm"
        met = copied == 0 if asynchronous else copied > 0
        yield Row(f"replicas copied again, {name} heartbeats", copied, "replicas", aim, met, conditions=said)


@contextmanager
def _cluster(release: str, *, fast: bool = True) -> Iterator[tuple[NameNode, Datanodes]]:
    """A NameNode with emulated DataNodes."""
    hadoop = Hadoop.find(release)
    datanodes = DatanodeSettings()
    fleet = Datanodes(hadoop.schema(), datanodes, seeds=Seeds(0))
    with tempfile.TemporaryDirectory() as folder:
        started = hadoop.namenode(heap="1 GB", fast=fast, folder=Path(folder) / "namenode")
        with started as namenode, playing(namenode, writing(_PROFILE.servers, 0, 0), datanodes):
            _wait(lambda: namenode.live_datanodes() == _PROFILE.servers)
            calls = _calls(namenode)
            _wait(lambda: all(node.remaining for node in calls.datanodes()))
            yield namenode, fleet


def _placed_servers(namenode: NameNode, fleet: Datanodes, seed: int) -> Placed:
    """The tenants of a made-up datacenter that emulated DataNodes are of."""
    made = generate(_PROFILE, Seeds(seed), days=8)
    made = replace(made, servers=[f"127.0.0.1:{fleet.port(n)}" for n in range(_PROFILE.servers)])
    return placed(made, _calls(namenode).datanodes())


def _calls(namenode: NameNode) -> NameNodeCalls:
    return NameNodeCalls(*namenode.address, namenode.hadoop.schema(), user="root")


def _put_in_force(namenode: NameNode, found: Placed, policy: Policy) -> None:
    conf = namenode.daemon.conf
    file = namenode.folder / "map.tsv"
    files = {conf / name: data for name, data in class_files().items()}
    changes = HdfsChanges({file: map_text(found, policy).encode(), **files}, settings(Way.PLUGIN, file), conf)
    make(_calls(namenode), changes, RealClock())
    time.sleep(1.5)  # a map that is in force already is looked at once a second


def _placed(namenode: NameNode, fleet: Datanodes, blocks: int, times: list[float] | None = None) -> Ints:
    """Shape (blocks, 3): the DataNodes of new blocks; -1 where there are fewer."""
    rows = np.full((blocks, 3), -1, np.int32)
    mode = {"masked": {"perm": 0o644}, "createFlag": 1, "createParent": True}
    with Connection(*namenode.address, namenode.hadoop.schema(), CLIENT, user="root") as connection:
        for number in range(blocks):
            name: dict[str, Any] = {"src": f"/{time.monotonic_ns()}", "clientName": "placing"}
            create = connection.message("create", **name, **mode, replication=3, blockSize=BLOCK_BYTES)
            connection.call("create", create)
            begun = time.perf_counter()
            answer: Any = connection.call("addBlock", connection.message("addBlock", **name))
            if times is not None:
                times.append(time.perf_counter() - begun)
            nodes = [fleet.number(each.id.datanodeUuid) for each in answer.block.locs]
            rows[number, : len(nodes)] = nodes
    return rows


def _broken(found: Placed, blocks: Ints) -> list[Broken]:
    """Of the constraints of Algorithm 2."""
    there = [DataNode("127.0.0.1", 1024 + n, "", "", "") for n in range(_PROFILE.servers)]
    return [each for each in _counted(found, there, blocks) if each.attribute is not Attribute.RACK]


def _counted(found: Placed, there: list[DataNode], blocks: Ints) -> tuple[Broken, ...]:
    number = {node.address: n for n, node in enumerate(found.nodes)}
    addresses = [node.address for node in there]
    server = np.array([number[each] for each in addresses], np.int32)
    return broken(existing(found.layout, addresses, server, blocks))


def _system(namenode: NameNode) -> dict[str, Any]:
    return dict(namenode.jmx("Hadoop:service=NameNode,name=FSNamesystem")[0])


def _copies(namenode: NameNode) -> int:
    return int(namenode.jmx("Hadoop:service=NameNode,name=NameNodeActivity")[0]["SuccessfulReReplications"])


def _wait(ready: Callable[[], object]) -> None:
    deadline = time.monotonic() + _WAIT_S
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError("the NameNode did not come so far")
        time.sleep(0.2)
