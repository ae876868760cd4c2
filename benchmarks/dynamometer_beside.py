"""`froude run` of a scenario `kind: dyno` beside Dynamometer's own replay: same NameNode, image and log, in one run.

    DYNAMOMETER=path python -m benchmarks.dynamometer_beside [LINES [LINES OF ARMS THAT WRITE]]

Both replay a log that is made up (`audit_mix`) as fast as they can, each time at a fresh NameNode started from the
same image, warmed up alike, without DataNodes, so that both meet the very same; in turn, several times. What a client
took is the CPU time of its process and its children, start and parsing included. How fast it was, and what it did
again, is read from the NameNode's own audit log, for both alike. With writes, Dynamometer writes a byte into each file
through real DataNodes; ours emulates as many.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks import audit_mix
from benchmarks import dynamometer_beside_rows as beside_rows
from benchmarks.dynamometer_beside_rows import (
    DYNAMOMETER,
    DYNAMOMETER_WRITING,
    OURS,
    OURS_WRITING,
    Arm,
    Inputs,
    Operation,
    Round,
)
from benchmarks.dynamometer_source import VARIABLE, Counted, Dynamometer, Spent, checkout, spend
from froude.emulation.programs.audit.lines import Client
from froude.experiment.play.warm_up import warm_up
from froude.experiment.replay.preparation import account_properties, owners
from froude.experiment.session import Hadoop
from froude.hadoop.audit.lines import parse_line
from froude.hadoop.cluster import loopback
from froude.hadoop.cluster.daemons import Daemon
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import read_namespace
from froude.hadoop.rpc.connection import Connection, current_user
from froude.hadoop.settings import hdfs as settings

RELEASE = "3.4.2"
INODES, LINES, WRITTEN_LINES, USERS = 100_000, 100_000, 20_000, 40
ROUNDS, DATANODES, WARM_UP_S = 3, 3, 5.0
_HOST = "127.0.0.1"
"""Which has a name everywhere: Hadoop's client asks for its name, for seconds where nobody knows it."""
_CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
_FROUDE = str(Path(sys.executable).with_name("froude"))
_SERVES = {"dfs.namenode.safemode.threshold-pct": "0"}
"""As Dynamometer sets it: the NameNode serves although nobody reports the image's blocks."""


def prepare(folder: Path, lines: int) -> Inputs:
    """Make up an image and a log.

    Args:
        folder: an empty one.
        lines: of the log.
    """
    hadoop = Hadoop.find(RELEASE)
    image = folder / "name" / "fsimage_0000000000000000001"
    words = ["image", "synth", "analytics", "--inodes", str(INODES), "--hadoop", RELEASE, "-o", str(image)]
    spend([_FROUDE, *words], folder / "synth.log")
    clients = audit_mix.make_clients(USERS, seed=1)
    (folder / "log").mkdir()
    schema = hadoop.schema()
    with tempfile.TemporaryDirectory() as columns:
        namespace = read_namespace(open_image(image, schema), schema, Path(columns))
        audit_mix.write_log(folder / "log" / "audit.log", namespace, clients, lines)
        groups, owner = owners(namespace)
    properties = account_properties([*clients, Client(owner)], groups, [owner]) | _SERVES
    operations, _ = _read(folder / "log" / "audit.log", None)
    return Inputs(hadoop, folder, image, folder / "log", lines, INODES, len(clients), operations, properties)


def _read(path: Path, users: frozenset[str] | None) -> tuple[Counter[Operation], float]:
    """What a log holds, and seconds from its first line to its last; of given users, or of all."""
    operations, times = Counter[Operation](), list[float]()
    with path.open(encoding="utf-8") as file:
        for text in file:
            line = parse_line(text)
            if users is None or line.user in users:
                command = f"{line.command} ({line.options})" if line.options else line.command
                operations[line.user, command, line.src or "", line.dst, line.allowed] += 1
                times.append(line.time_s or 0.0)
    return operations, max(times) - min(times)


@contextmanager
def namenode(inputs: Inputs, datanodes: int = 0) -> Iterator[NameNode]:
    """A fresh NameNode from the image, warm, with real DataNodes or none.

    Args:
        inputs: of all arms.
        datanodes: how many.
    """
    with ExitStack() as stack:
        (rpc, http), image = loopback.free_ports([_HOST], 2), inputs.image
        at = ((_HOST, rpc), (_HOST, http))
        started = NameNode(inputs.hadoop, heap="2 GB", image=image, conf=inputs.properties, addresses=at)
        stack.enter_context(started)
        for number, ports in enumerate(_ports(datanodes)):
            stack.enter_context(_datanode(started, number, ports))
        if datanodes:
            started.daemon.wait_until(
                lambda: started.live_datanodes() == datanodes, what="see its DataNodes", timeout_s=60
            )
        warm_up(started, WARM_UP_S)
        _make_shared(started)
        yield started


def _make_shared(called: NameNode) -> None:
    """The folder that every client of the log may write into."""
    with Connection(*called.address, called.hadoop.schema(), _CLIENT, user=current_user()) as connection:
        path, everyone = audit_mix.SHARED, {"perm": 0o777}
        for method, fields in (
            ("mkdirs", {"src": path, "masked": everyone, "createParent": True}),
            ("setPermission", {"src": path, "permission": everyone}),
        ):
            connection.call(method, connection.message(method, **fields))


def _ports(datanodes: int) -> list[tuple[int, int, int]]:
    ports = loopback.free_ports([_HOST], 3 * datanodes) if datanodes else []
    return [(ports[3 * n], ports[3 * n + 1], ports[3 * n + 2]) for n in range(datanodes)]


@contextmanager
def _datanode(namenode: NameNode, number: int, ports: tuple[int, int, int]) -> Iterator[None]:
    folder = namenode.folder / f"datanode-{number}"
    daemon = Daemon(
        namenode.hadoop, name=folder.name, main_class=_DATANODE, folder=folder, heap="256 MB", fast=False
    )
    core, hdfs = namenode.site()
    core["hadoop.tmp.dir"] = str(folder / "scratch")
    hdfs |= settings.datanode_site(_HOST, ports=ports, folder=str(folder / "data"))
    daemon.configure({"core-site.xml": core, "hdfs-site.xml": hdfs}, settings.log4j())
    try:
        daemon.start()
        yield
    finally:
        daemon.stop()


def once(inputs: Inputs, arm: Arm, dynamometer: Dynamometer | None) -> Round:
    """Replay the log by an arm.

    Args:
        inputs: of all arms.
        arm: which.
        dynamometer: compiled, for an arm of its.
    """
    real = DATANODES if arm.writes and arm.threads else 0
    with namenode(inputs, real) as called, tempfile.TemporaryDirectory(dir=inputs.folder) as place:
        before_s = called.cpu_seconds()
        if arm.threads:
            assert dynamometer is not None
            spent, counted = dynamometer.replay(
                called.uri,
                inputs.log,
                audit_mix.BEGIN,
                Path(place),
                threads=arm.threads,
                create_blocks=arm.writes,
            )
            told, player_s = _told(counted), 0.0
        else:
            spent, told, player_s = _ours(called, inputs, Path(place), DATANODES if arm.writes else 0)
        namenode_s = called.cpu_seconds() - before_s
        called.daemon.stop()  # writes what is left of its audit log
        assert called.audit_log is not None
        done, took_s = _read(called.audit_log, frozenset(each[0] for each in inputs.operations))
    return Round(spent, namenode_s, took_s, done & inputs.operations, player_s, told)


def _told(counted: Counted) -> dict[str, Any]:
    return {**counted.counters, "lines of its table": len(counted.table)}


def _ours(
    called: NameNode, inputs: Inputs, place: Path, datanodes: int
) -> tuple[Spent, dict[str, Any], float]:
    """`froude run` at a NameNode that runs already."""
    running = {"address": called.uri, "id": called.cluster_id, "http": "{}:{}".format(*called.http)}
    scenario = {
        "froude": "scenario/1",
        "kind": "dyno",
        "target": {"running": {"any": running}},
        "load": {"audit_log": [str(inputs.log / "audit.log")], "pacing": "closed"},
        "nodes": {"datanodes": {"count": datanodes}},
        "check_counts": False,
    }
    (place / "replay.yaml").write_text(json.dumps(scenario))
    command = [_FROUDE, "run", str(place / "replay.yaml"), "-o", str(place / "run"), "--json"]
    spent = spend(command, place / "said.log")
    summary = json.loads((place / "run" / "run.json").read_text())
    figures = json.loads((place / "run" / "figures.json").read_text())
    return spent, summary, _cpu_s(figures["load"])


def _cpu_s(load: list[list[float]]) -> float:
    """CPU time of the player, of shares of a core over time."""
    before_s, cpu_s = 0.0, 0.0
    for time_s, share, *_ in load:
        cpu_s, before_s = cpu_s + share * (time_s - before_s), time_s
    return cpu_s


def measure(inputs: Inputs, arms: Sequence[Arm], dynamometer: Dynamometer | None) -> dict[Arm, list[Round]]:
    """Every arm in turn, several times.

    Args:
        inputs: of all arms.
        arms: those that can be measured.
        dynamometer: compiled, where there is one.
    """
    rounds: dict[Arm, list[Round]] = {arm: [] for arm in arms}
    for number in range(ROUNDS):
        for arm in arms:
            rounds[arm].append(once(inputs, arm, dynamometer))
            rate = inputs.lines / rounds[arm][-1].took_s
            print(f"round {number + 1}: {arm.name}: {rate:,.0f} lines/s", file=sys.stderr, flush=True)
    return rounds


def rows(lines: int = LINES, written: int = WRITTEN_LINES) -> Iterator[dict[str, object]]:
    """One row a measure.

    Args:
        lines: of the log.
        written: of the log of those arms that write blocks, which take long.
    """
    source = checkout()
    for number, arms in (
        (lines, (OURS, *DYNAMOMETER)),
        (written, (OURS_WRITING, DYNAMOMETER_WRITING)),
    ):
        with tempfile.TemporaryDirectory(prefix="froude-beside-") as temporary:
            folder = Path(temporary)
            busy = os.getloadavg()[0]
            inputs = prepare(folder, number)
            theirs = None if source is None else Dynamometer.build(source, inputs.hadoop, folder / "compiled")
            measured = measure(inputs, [arm for arm in arms if theirs or not arm.threads], theirs)
            yield from beside_rows.of(inputs, measured, f"load average {busy:.1f} before")
    if source is None:
        yield {
            "measure": "Dynamometer's own replay", "value": "absent", "unit": "",
            "conditions": f"name a checkout of linkedin/dynamometer: make results-dynamometer {VARIABLE}=PATH",
        }  # fmt: skip


if __name__ == "__main__":
    for each in rows(*map(int, sys.argv[1:])):
        print(json.dumps(each))
