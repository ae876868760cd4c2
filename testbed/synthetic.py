"""A small world with known truth: a job of known pattern against a pretended NameNode, at any scale.

The truth: each of `clients` writers makes `dirs` folders with `files` files of `blocks` blocks, lists, and renames
each folder; then one sweeper counts. Each of `datanodes` DataNodes registers, beats every second, and reports the
blocks that it was chosen for, sometimes several in one call, sometimes with a word of their beginning. Clients
run side by side and poll `complete`. All randomness is seeded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from uuid import UUID

from froude.base.events import Events
from froude.mining.read.events import Event, Leaves, Recording
from froude.workload.scale import Scale

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
REPLICAS = 3

Program = Generator[tuple[float, str, str, dict], "Leaves", None]
"""Yields seconds to wait, protocol, method, request; is sent the answer."""


@dataclass
class World:
    """The pretended NameNode, its clock and its record."""

    rng: random.Random
    datanodes: list[DataNode] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    next_block: int = 1073741825
    next_file: int = 16386
    pool: str = ""
    busy: bool = True

    def answer(self, method: str, request: dict) -> dict:
        """What the NameNode would say."""
        match method:
            case "versionRequest":
                return {"info.blockPoolID": self.pool, "info.storageInfo.clusterID": f"CID-{self.pool[3:]}"}
            case "registerDatanode":
                return {path: value for path, value in request.items() if path.startswith("registration")}
            case "create":
                self.next_file += 1
                return {"fs.fileId": self.next_file, "fs.blocksize": 1 << 20}
            case "addBlock":
                return self._block()
            case "complete":
                if self.rng.random() < 0.3:
                    return {"result": False}
            case "getListing":
                return {"dirList.remainingEntries": 0}
        return {"result": True}

    def _block(self) -> dict:
        number, self.next_block = self.next_block, self.next_block + 1
        chosen = self.rng.sample(self.datanodes, min(REPLICAS, len(self.datanodes)))
        leaves: dict = {"block.b.poolId": self.pool, "block.b.blockId": number}
        leaves["block.b.generationStamp"] = number - 1073740824
        for at, node in enumerate(chosen):
            leaves[f"block.locs[{at}].id.ipAddr"] = node.address
            leaves[f"block.locs[{at}].id.datanodeUuid"] = node.uuid
            leaves[f"block.storageIDs[{at}]"] = node.storage
            node.owes.append((number, number - 1073740824))
        return leaves


@dataclass
class DataNode:
    """One pretended DataNode."""

    address: str
    uuid: str
    storage: str
    owes: list[tuple[int, int]] = field(default_factory=list)

    def run(self, world: World) -> Program:
        """Register, then beat, and report what it owes."""
        answer = yield 0.01, DATANODE, "versionRequest", {}
        me = {
            "registration.datanodeID.ipAddr": self.address,
            "registration.datanodeID.datanodeUuid": self.uuid,
        }
        me["registration.storageInfo.clusterID"] = answer["info.storageInfo.clusterID"]
        pool = answer["info.blockPoolID"]
        yield 0.01, DATANODE, "registerDatanode", me
        since, beats = 1.0, 0
        while world.busy or self.owes:
            if since >= 1.0:
                full = {
                    "reports[0].storageUuid": self.storage,
                    "reports[0].remaining": world.rng.randrange(1 << 40),
                }
                yield (
                    0.0,
                    DATANODE,
                    "sendHeartbeat",
                    {**me, **full, "requestFullBlockReportLease": beats == 0},
                )
                since, beats = 0.0, beats + 1
            if self.owes and world.rng.random() < 0.7:
                yield 0.0, DATANODE, "blockReceivedAndDeleted", self._report(me, pool, world)
            since += 0.05
            yield 0.05, "", "", {}

    def _report(self, me: dict, pool: object, world: World) -> dict:
        request = {**me, "blockPoolId": pool, "blocks[0].storageUuid": self.storage}
        parts = []
        for number, stamp in self.owes:
            if world.rng.random() < 0.2:
                parts.append((number, stamp, 1))
            parts.append((number, stamp, 2))
        self.owes.clear()
        for at, (number, stamp, status) in enumerate(parts):
            place = f"blocks[0].blocks[{at}]"
            request |= {
                f"{place}.block.blockId": number,
                f"{place}.block.genStamp": stamp,
                f"{place}.status": status,
            }
        return request


HELD_OUT = {"datanodes": 5, "clients": 4, "dirs": 4, "files": 4, "blocks": 4}
"""Scale of a run that is larger than those that are mined."""


def writer(number: int, scale: Scale, rng: random.Random) -> Program:
    """One writer: nested loops over folders, files and blocks, then over files again."""
    name = f"DFSClient_NONMAPREDUCE_{rng.randrange(-(1 << 31), 1 << 31)}_1"
    dirs, files, blocks = (int(scale[v].value) for v in ("dirs", "files", "blocks"))
    home = f"/out/writer-{number:02d}"
    yield 0.02, CLIENT, "mkdirs", {"src": home, "createParent": True}
    for d in range(dirs):
        yield 0.01, CLIENT, "mkdirs", {"src": f"{home}/d{d}", "createParent": False}
        for f in range(files):
            path = f"{home}/d{d}/f{f:03d}"
            created = yield 0.01, CLIENT, "create", {"src": path, "clientName": name, "replication": 3}
            file = created["fs.fileId"]
            previous: dict = {}
            for _ in range(blocks):
                request = {"src": path, "clientName": name, **previous, "fileId": file}
                block = yield 0.01, CLIENT, "addBlock", request
                previous = {
                    "previous.poolId": block["block.b.poolId"],
                    "previous.blockId": block["block.b.blockId"],
                    "previous.generationStamp": block["block.b.generationStamp"],
                }
            last = {path.replace("previous", "last"): value for path, value in previous.items()}
            request = {"src": path, "clientName": name, **last, "fileId": file}
            while not (yield 0.2, CLIENT, "complete", request)["result"]:
                pass
        yield 0.01, CLIENT, "getListing", {"src": f"{home}/d{d}", "startAfter": b""}
    for d in range(dirs):
        yield (
            0.01,
            CLIENT,
            "rename2",
            {"src": f"{home}/d{d}", "dst": f"{home}/done-{d}", "overwriteDest": False},
        )


def sweeper(scale: Scale) -> Program:
    """One node that works when all writers are through, once for each of them."""
    for number in range(int(scale["clients"].value)):
        yield 0.01, CLIENT, "getContentSummary", {"path": f"/out/writer-{number:02d}"}


def record(seed: int = 0, **variables: int) -> Recording:
    """The job's record at a scale: `record(datanodes=3, clients=2, dirs=2, files=3, blocks=2)`."""
    rng = random.Random(f"{seed} {sorted(variables.items())}")
    scale = Scale.of(**variables)
    world = World(rng, pool=f"BP-{rng.randrange(1 << 30)}-127.0.0.1-{rng.randrange(10**12, 2 * 10**12)}")
    world.datanodes = [
        DataNode(
            f"127.0.0.{11 + n}", str(UUID(int=rng.getrandbits(128))), f"DS-{UUID(int=rng.getrandbits(128))}"
        )
        for n in range(variables["datanodes"])
    ]
    writers = [writer(n, scale, rng) for n in range(variables["clients"])]
    rng.shuffle(writers)
    nodes = [_Node(world, node.run(world), 0.001 * at) for at, node in enumerate(world.datanodes)]
    work = [_Node(world, program, 2.0 + 0.003 * at) for at, program in enumerate(writers)]
    _run(world, [*nodes, *work], until=lambda: all(node.over for node in work))
    last = _Node(world, sweeper(scale), max(node.time_s for node in work) + 0.5)
    _run(world, [*nodes, last], until=lambda: last.over)
    for node in nodes:
        node.time_s = max(node.time_s, last.time_s)
    world.busy = False
    _run(world, nodes, until=lambda: all(node.over for node in nodes))
    return Recording(tuple(world.events), scale, source_id=world.pool, release="3.5.0")


class _Node:
    """A program in motion."""

    def __init__(self, world: World, program: Program, start_s: float) -> None:
        self.client = f"{world.rng.getrandbits(128):032x}"
        self.connection = len({event.client for event in world.events})
        self.time_s = start_s
        self.calls = 0
        self.over = False
        self._program = program
        self._wanted = next(program)

    @property
    def due_s(self) -> float:
        """When it goes on."""
        return self.time_s + self._wanted[0]

    def step(self, world: World) -> float | None:
        """Make the call that is due, or just wait; when it goes on after that, None for never."""
        wait_s, protocol, method, request = self._wanted
        self.time_s += wait_s * world.rng.uniform(0.98, 1.02) if method else wait_s
        answer = {}
        if method:
            answer = world.answer(method, request)
            world.events.append(self._event(len(world.events), protocol, method, request, answer))
            self.time_s += 0.001
            self.calls += 1
        try:
            self._wanted = self._program.send(answer)
        except StopIteration:
            self.over = True
            return None
        return self.due_s

    def _event(self, order: int, protocol: str, method: str, request: dict, answer: dict) -> Event:
        return Event(
            order=order,
            start_s=self.time_s,
            end_s=self.time_s + 0.0005,
            client=self.client,
            call_id=self.calls,
            connection=self.connection,
            peer="127.0.0.1",
            user="root",
            caller_context=None,
            protocol=protocol,
            method=method,
            request=request,
            response=answer,
        )


def _run(world: World, nodes: list[_Node], *, until: Callable[[], bool]) -> None:
    events = Events()
    for number, node in enumerate(nodes):
        if not node.over:
            events.schedule(node.due_s, node.step, world, priority=number)
    while not until():
        events.step()
