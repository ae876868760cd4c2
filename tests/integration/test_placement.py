"""Placement on a real NameNode with emulated DataNodes: what is placed, what is copied again, what starts a storm."""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.cli.app import run
from froude.emulation.programs.hdfs.datanodes import Datanodes
from froude.emulation.programs.hdfs.stalls import Stall
from froude.emulation.settings import DatanodeSettings
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection
from froude.harvest.live.hdfs.fsck import fsck_lines
from froude.harvest.live.hdfs.hosts import PROVIDER
from froude.harvest.telemetry.datacenter import Datacenter, Reimages
from froude.harvest.telemetry.files import write_datacenter
from testbed.datanodes import BLOCK_BYTES, CLIENT, playing, writing
from tests.support.harvest.datacenters import made

pytestmark = pytest.mark.integration

NODES, TENANT = 45, 3
"""DataNodes, and how many of them a tenant has."""
SYNCHRONOUS, ASYNCHRONOUS = range(4), range(20, 24)
"""Nodes whose disks stand still."""
WRITERS, FILES, AFTER_S = 4, 20, 12.0
"""All files are written before disks stand still."""
QUICK = {
    "dfs.heartbeat.interval": "1",
    "dfs.namenode.heartbeat.recheck-interval": "500",  # dead after 2 x 0.5 s + 10 x 1 s
    "dfs.namenode.redundancy.interval.seconds": "1s",
    "dfs.namenode.decommission.interval": "1s",
    "dfs.namenode.hosts.provider.classname": PROVIDER,
    "dfs.namenode.replication.max-streams": "50",
    "dfs.namenode.replication.max-streams-hard-limit": "100",
    "dfs.namenode.replication.work.multiplier.per.iteration": "20",
}
ALONE = DatanodeSettings(per_address=1, heartbeat_s=1.0)


@pytest.fixture
def namenode(hadoop: Hadoop, tmp_path: Path) -> Iterator[NameNode]:
    """One that takes a DataNode for dead after eleven seconds, and whose hosts are named in a file."""
    hosts = tmp_path / "hosts.json"
    fleet = Datanodes(hadoop.schema(), ALONE, seeds=Seeds(0))
    hosts.write_text(json.dumps([{"hostName": fleet.source(n), "port": fleet.port(n)} for n in range(NODES)]))
    conf = {**QUICK, "dfs.hosts": str(hosts)}
    with hadoop.namenode(heap="512 MB", fast=True, conf=conf, folder=tmp_path / "namenode") as running:
        yield running


def datacenter(fleet: Datanodes) -> Datacenter:
    """Fifteen tenants in as many environments, of all peaks and rates of reimages, on the emulated DataNodes."""
    tenants = NODES // TENANT
    load = np.random.default_rng(1).uniform(0.1, 0.9, (tenants, 1)) * np.ones((1, 48))
    lab = made(load, servers=TENANT)
    wiped = np.repeat(np.arange(tenants) * TENANT, np.random.default_rng(2).permutation(tenants))
    reimages = Reimages(wiped.astype(np.int32), -np.arange(len(wiped), 0, -1) * 3600.0)
    return replace(lab, servers=[f"{fleet.source(n)}" for n in range(NODES)], reimages=reimages)


class Client:
    """Calls of a client outside of the cluster, or on one of its nodes."""

    def __init__(self, connection: Connection, fleet: Datanodes) -> None:
        self._connection, self._fleet = connection, fleet
        self._names = (f"/by-hand-{uuid.uuid4()}" for _ in iter(int, 1))

    def call(self, method: str, **fields: object) -> Any:
        return self._connection.call(method, self._connection.message(method, **fields))

    def numbers(self, located: Any) -> list[int]:
        """The nodes of a block."""
        return [self._fleet.number(each.id.datanodeUuid) or 0 for each in located.locs]

    def placed(self, replication: int = 3) -> list[int]:
        """Where a new file's first block goes."""
        name = {"src": next(self._names), "clientName": "by hand"}
        mode = {"masked": {"perm": 0o644}, "createFlag": 1, "createParent": True}
        self.call("create", **name, **mode, replication=replication, blockSize=BLOCK_BYTES)
        return self.numbers(self.call("addBlock", **name).block)

    def written(self, writers: int, files: int) -> list[list[int]]:
        """Where the writers' blocks are now."""
        return [
            self.numbers(block)
            for writer in range(writers)
            for file in range(files)
            for block in self.call(
                "getBlockLocations", src=f"/placed/w{writer}-{file}", offset=0, length=1
            ).locations.blocks
        ]


@contextmanager
def client(namenode: NameNode, fleet: Datanodes, source: str | None = None) -> Iterator[Client]:
    """A client."""
    schema = namenode.hadoop.schema()
    with Connection(*namenode.address, schema, CLIENT, user="root", source=source) as connection:
        yield Client(connection, fleet)


def broken(blocks: list[list[int]], text: str, fleet: Datanodes) -> Counter[str]:
    """How many blocks share what, by the map that the NameNode reads; nothing else of Froude's has a part in it."""
    lines = [line.split("\t") for line in text.splitlines()[1:]]
    of = {line[0]: {"row": line[2], "column": line[3], "environment": line[4]} for line in lines}
    counts: Counter[str] = Counter()
    for nodes in blocks:
        known = [of[f"{fleet.source(node)}:{fleet.port(node)}"] for node in nodes]
        for name in ("row", "column", "environment"):
            counts[name] += len({each[name] for each in known}) < len(known)
    return +counts


def waited(ready: Callable[[], object], seconds: float = 60) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def beans(namenode: NameNode, name: str) -> dict[str, Any]:
    """What a NameNode tells of one of its parts."""
    return dict(namenode.jmx(f"Hadoop:service=NameNode,name={name}")[0])


def test_replicas_go_where_the_policy_says_and_are_copied_so(
    namenode: NameNode,
    hadoop: Hadoop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A running NameNode takes up the policy; disks that stand still start a storm where heartbeats wait for them."""
    monkeypatch.chdir(tmp_path)
    fleet = Datanodes(hadoop.schema(), ALONE, seeds=Seeds(0))
    write_datacenter(tmp_path / "dc", datacenter(fleet))
    at = f"{namenode.host}:{namenode.port}"
    command = ["harvest", "place", "dc", "--namenode", at, "--conf", str(namenode.daemon.conf)]
    command += ["--target-is", namenode.cluster_id, "--user", "root"]
    site = (namenode.daemon.conf / "hdfs-site.xml").read_bytes()

    with playing(namenode, writing(NODES, 2, 10, who="early"), ALONE):
        assert waited(lambda: namenode.live_datanodes() == NODES)
        assert waited(lambda: beans(namenode, "FSNamesystem")["BlocksTotal"] == 20 and settled(namenode))
        assert run(command) == 0
        moved(namenode, fleet)
    stalls = (Stall(SYNCHRONOUS, AFTER_S, 20.0), Stall(ASYNCHRONOUS, AFTER_S, 20.0, asynchronous=True))
    with playing(namenode, writing(NODES, WRITERS, FILES), ALONE, stalls) as outcome:
        storm(namenode, fleet)
        by_hand(namenode, fleet, command)
    assert outcome[0].failure is None

    capsys.readouterr()
    web = f"{namenode.http[0]}:{namenode.http[1]}"
    flags = ["--namenode", web, "--path", "/placed", "--days", "0", "--user", "root"]
    assert run(["--json", "harvest", "inspect", "dc", *flags]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["blocks"], found["unknown"]) == (WRITERS * FILES, [])
    assert "-replicaDetails" not in said.err  # it was asked for, and told
    assert [found["broken"][name]["blocks"] for name in ("environment", "peak_row", "reimage_column")] == [
        0,
        0,
        0,
    ]

    assert run(["harvest", "rollback", "harvest-placement.json", "--user", "root"]) == 0
    assert (
        (namenode.daemon.conf / "hdfs-site.xml").read_bytes().count(b"froude") == site.count(b"froude") == 0
    )
    assert not list(namenode.daemon.conf.rglob("*.class"))
    with client(namenode, fleet) as outside:
        assert broken([outside.placed() for _ in range(50)], MAP[0], fleet)["row"] > 0


MAP: list[str] = []
"""The map that was in force."""


def moved(namenode: NameNode, fleet: Datanodes) -> None:
    """Blocks that lay otherwise stay where they are until fsck is told to look after them."""
    MAP.append(Path("placement-map.tsv").read_text())
    with client(namenode, fleet) as outside:
        assert broken(outside.written(2, 10), MAP[0], fleet)["row"] > 0
        with fsck_lines(*namenode.http, user="root", replicate=True) as lines:
            assert any("Mis-replicated blocks" in line for line in lines)
        assert waited(lambda: not broken(outside.written(2, 10), MAP[0], fleet))
        assert waited(lambda: {len(block) for block in outside.written(2, 10)} == {3} and settled(namenode))
        outside.call("delete", src="/placed", recursive=True)
        assert waited(lambda: not beans(namenode, "FSNamesystem")["BlocksTotal"])
        assert waited(lambda: not beans(namenode, "FSNamesystem")["PendingDeletionBlocks"])


def storm(namenode: NameNode, fleet: Datanodes) -> None:
    """All blocks are placed by the constraints, and again when those that wait for their disks are taken for dead."""
    assert waited(lambda: beans(namenode, "FSNamesystem")["BlocksTotal"] == WRITERS * FILES)
    assert waited(lambda: settled(namenode))
    with client(namenode, fleet) as outside:
        before = outside.written(WRITERS, FILES)
        assert {len(block) for block in before} == {3}
        assert broken(before, MAP[0], fleet) == {}
        held = sum(node in SYNCHRONOUS for block in before for node in block)
        assert held > 0
        written = copies(namenode)
        assert waited(lambda: copies(namenode) >= written + held)
        # The others' heartbeats went on: none of what they hold was copied.
        assert copies(namenode) == written + held
        # Those that come back have replicas too many; what goes is not what the constraints need.
        assert waited(lambda: namenode.live_datanodes() == NODES and settled(namenode))
        assert waited(lambda: {len(block) for block in outside.written(WRITERS, FILES)} == {3})
        assert broken(outside.written(WRITERS, FILES), MAP[0], fleet) == {}


def copies(namenode: NameNode) -> int:
    """Replicas that came where it waited for one: of new blocks, too."""
    return int(beans(namenode, "NameNodeActivity")["SuccessfulReReplications"])


def settled(namenode: NameNode) -> bool:
    """Whether every block has as many replicas as it is to have."""
    now = beans(namenode, "FSNamesystem")
    return not any(
        now[name] for name in ("UnderReplicatedBlocks", "PendingReplicationBlocks", "ExcessBlocks")
    )


def by_hand(namenode: NameNode, fleet: Datanodes, command: list[str]) -> None:
    """A writer's own node comes first, a busy one gets nothing, hard constraints are kept and soft ones given up."""
    with client(namenode, fleet, fleet.source(30)) as writer, client(namenode, fleet) as outside:
        assert {writer.placed()[0] for _ in range(5)} == {30}
        Path("use.csv").write_text(f"server,cpu\n{fleet.source(30)},0.9\n{fleet.source(31)},0.5\n")
        assert any(30 in block for block in outside.written(WRITERS, FILES))
        assert run([*command, "--usage", "use.csv", "--hosts", "hosts.json"]) == 0
        assert waited(lambda: 30 not in writer.placed())
        assert not any(30 in outside.placed() for _ in range(60))
        # In maintenance it is named for no read, and nothing is copied for that.
        assert waited(lambda: not any(30 in block for block in outside.written(WRITERS, FILES)))
        assert settled(namenode)
        Path("use.csv").write_text(f"server,cpu\n{fleet.source(30)},0.1\n")
        assert run([*command, "--usage", "use.csv", "--hosts", "hosts.json"]) == 0
        assert waited(lambda: any(30 in block for block in outside.written(WRITERS, FILES)))
        assert 3 <= len(outside.placed(20)) <= NODES // TENANT
        assert run([*command, "--policy", "history-soft"]) == 0
        assert waited(lambda: len(outside.placed(20)) == 20)
        assert broken([outside.placed() for _ in range(20)], MAP[0], fleet) == {}
