"""An original run beside its replay: Hadoop's clients at work on a real cluster, done again from image and log alone.

    python -m benchmarks.dynamometer_truth

Hadoop's file system shell works, as several users, on a real NameNode with real DataNodes, and its calls are recorded
by proxies. What the replay is given is the image that was saved in between, the edits to cut the log by, and the audit
log; it is played at the log's own times with emulated DataNodes. Compared are the namespaces that both NameNodes save in
the end, their audit logs, and how long the calls of each method took. The replay goes without proxies, which the
original's times include.
"""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dynamometer_beside_rows import row
from froude.base.progress import Silent
from froude.emulation.run import Latency, Run
from froude.experiment.play import play
from froude.experiment.prepared import prepare
from froude.experiment.record import Recording, record
from froude.experiment.scenario import DynoScenario, read_scenario
from froude.experiment.session import Hadoop
from froude.hadoop.audit import parse_line
from froude.hadoop.connection import Connection, current_user
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import FILE, read_namespace
from froude.hadoop.name_directory import newest_image
from froude.hadoop.namenode import NameNode
from froude.trace.audit.files import AuditLog, open_audit
from froude.trace.files import read_trace
from froude.trace.importers.audit_log import import_audit
from froude.workspace.store import Workspace

DATANODES, BLOCK = 3, 1 << 20
_CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_GROUPS = {"hadoop.user.group.static.mapping.overrides": "alice=alice,ops;bob=bob,ops"}
_BEFORE = """set -e
hdfs dfs -mkdir -p /data /user /private
hdfs dfs -chmod 777 /user
hdfs dfs -chmod 700 /private
hdfs dfs -put small middle large /data
"""
_AFTER = """set -e
as() { HADOOP_USER_NAME=$1; export HADOOP_USER_NAME; shift; "$@"; }
as alice hdfs dfs -mkdir -p /user/alice/in
as alice hdfs dfs -put small middle large /user/alice/in
as alice hdfs dfs -ls -R /user/alice
as alice hdfs dfs -cat '/user/alice/in/*' > /dev/null
as alice hdfs dfs -appendToFile small /user/alice/in/middle
as bob hdfs dfs -cp /user/alice/in /user/bob
as bob hdfs dfs -setrep 3 /user/bob/large
as bob hdfs dfs -mv /user/bob/small /user/bob/moved
as bob hdfs dfs -chmod 640 /user/bob/moved
as bob hdfs dfs -ls /private || true
as bob hdfs dfs -touchz /user/bob/empty
as bob hdfs dfs -rm -skipTrash /user/bob/middle
as alice hdfs dfs -truncate 1000 /user/alice/in/large
as alice hdfs dfs -count /user/alice /user/bob
as alice hdfs dfs -rm -r -skipTrash /user/alice/in/small
"""
_OWN = frozenset(("safemode_get", "safemode_enter", "safemode_leave", "saveNamespace"))
_FIELDS = ("user", "real_user", "command", "options", "src", "dst", "perm", "allowed")
_COLUMNS = ("type", "owner", "group", "mode", "length", "number of blocks", "replication", "block size")
Tree = Mapping[str, tuple[object, ...]]


def _save(namenode: NameNode) -> Path:
    """Have a NameNode save its namespace."""
    with Connection(*namenode.address, namenode.hadoop.schema(), _CLIENT, user=current_user()) as connection:
        for method, fields in (
            ("setSafeMode", {"action": 2, "checked": False}),
            ("saveNamespace", {}),
            ("setSafeMode", {"action": 1, "checked": False}),
        ):
            connection.call(method, connection.message(method, **fields))
    return newest_image(namenode.folder / "name")


def _tree(image: Path, hadoop: Hadoop) -> Tree:
    """By path, its `_COLUMNS`."""
    schema = hadoop.schema()
    with tempfile.TemporaryDirectory() as folder:
        namespace = read_namespace(open_image(image, schema), schema, Path(folder))
        column = {
            name: namespace.column(name)
            for name in ("permission", "type", "length", "blocks", "replication", "block_size")
        }
        found = {}
        for row_number in np.flatnonzero(namespace.linked):
            of = {name: int(values[row_number]) for name, values in column.items()}
            word = of["permission"]
            found[namespace.path(int(row_number))] = (
                "file" if of["type"] == FILE else "folder",
                namespace.strings.user(word),
                namespace.strings.group(word),
                f"{word & 0xFFFF:o}",
                of["length"],
                of["blocks"],
                of["replication"],
                of["block_size"],
            )
        return found


def _lines(log: AuditLog) -> Counter[tuple[str, ...]]:
    """Who did what to what, with what result; without what is asked here to save a namespace."""
    return Counter(
        tuple(str(getattr(line, name)) for name in _FIELDS)
        for line in log.lines()
        if line.command not in _OWN
    )


def _work(recording: Recording, script: str, folder: Path) -> None:
    (folder / "job.sh").write_text(f"cd {folder}\n{script}")
    recording.run(["sh", str(folder / "job.sh")], output=folder / "job.out")


def original(hadoop: Hadoop, folder: Path) -> tuple[Tree, dict[str, list[float]]]:
    """Let clients work, and keep image, edits and audit log.

    Args:
        hadoop: the release.
        folder: takes them.

    Returns:
        The namespace in the end; and by method, how long calls took, seconds.
    """
    for name, size in (("small", 1000), ("middle", BLOCK), ("large", 5 * BLOCK // 2)):
        (folder / name).write_bytes(bytes(size))
    conf = {**_GROUPS, "dfs.blocksize": str(BLOCK)}
    workspace = Workspace.begin(folder / "workspace")
    with hadoop.cluster(datanodes=DATANODES, replication=2, conf=conf, aged=False) as cluster:
        with record(cluster, workspace, scale={"datanodes": DATANODES}) as recording:
            _work(recording, _BEFORE, folder)
            shutil.copy(_save(cluster.namenode), folder / "image")
            began_s = time.time()
            _work(recording, _AFTER, folder)
        tree = _tree(_save(cluster.namenode), hadoop)
        shutil.copytree(cluster.namenode.folder / "name" / "current", folder / "edits")
        assert cluster.namenode.audit_log is not None
        lines = cluster.namenode.audit_log.read_text().splitlines(keepends=True)
        clients = (line for line in lines if parse_line(line).command not in _OWN)
        (folder / "audit.log").write_text("".join(clients))
    trace = read_trace(recording.trace)
    took: dict[str, list[float]] = {}
    for call in trace.calls:
        if trace.meta.started_at_s + call.start_s >= began_s and call.duration_s is not None:
            took.setdefault(call.method, []).append(call.duration_s)
    return tree, took


def replay(
    hadoop: Hadoop, folder: Path
) -> tuple[Run, Tree, Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """Do it again from image, edits and log.

    Args:
        hadoop: the release.
        folder: with what `original` has kept.

    Returns:
        The run; the namespace in the end; the lines that were replayed; and those that were logged meanwhile.
    """
    fields = {
        "froude": "scenario/1",
        "kind": "dyno",
        "target": {"image": str(folder / "image"), "release": hadoop.version},
        "load": {"audit_log": [str(folder / "audit.log")], "edits": str(folder / "edits"), "pacing": "scheduled"},
        "nodes": {
            "datanodes": {"count": DATANODES},
            "clients": {"file_length": "1 MiB", "block_size": "1 MiB", "replication": 2},
        },
        "check_counts": False,
    }  # fmt: skip
    (folder / "replay.yaml").write_text(json.dumps(fields))
    scenario = read_scenario(folder / "replay.yaml").scenario
    assert isinstance(scenario, DynoScenario)
    (folder / "scratch").mkdir()
    prepared = prepare(scenario, hadoop, folder / "scratch", Silent())
    given = _lines(open_audit(folder / "scratch" / "audit"))
    conf = {**prepared.properties, **_GROUPS}
    with NameNode(hadoop, image=prepared.image, conf=conf, folder=folder / "second") as namenode:
        run = play(prepared.plan, namenode, prepared.options(scenario))
        tree = _tree(_save(namenode), hadoop)
        assert namenode.audit_log is not None
        again = _lines(import_audit([namenode.audit_log], folder / "again"))
    return run, tree, given, again


def rows() -> Iterator[dict[str, Any]]:
    """One row a measure."""
    hadoop = Hadoop.find()
    with tempfile.TemporaryDirectory(prefix="froude-truth-") as temporary:
        folder = Path(temporary)
        tree, took = original(hadoop, folder)
        run, replayed, given, again = replay(hadoop, folder)
    yield from _of_namespaces(tree, replayed)
    yield from _of_logs(given, again)
    failed = run.failed
    kinds = ", ".join(f"{name} {times}" for name, times in failed.items())
    yield row("calls of the replay that failed and had not", failed.total(), "calls", kinds or "none")
    yield from _of_latency(took, run)


def _of_namespaces(tree: Tree, replayed: Tree) -> Iterator[dict[str, Any]]:
    only = sorted(set(tree) ^ set(replayed))
    paths = sorted(set(tree) & set(replayed))
    yield row(
        "paths in only one of the namespaces", len(only), f"of {len(tree):,}", ", ".join(only) or "none"
    )
    for number, name in enumerate(_COLUMNS):
        if name == "type":
            continue
        differ = [path for path in paths if tree[path][number] != replayed[path][number]]
        examples = "; ".join(f"{path}: {tree[path][number]}, now {replayed[path][number]}" for path in differ)
        yield row(f"paths with another {name}", len(differ), f"of {len(paths):,}", examples or "none")


def _of_logs(given: Counter[tuple[str, ...]], again: Counter[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    """Lines are matched without time, address and caller context, which differ by their nature."""
    for what, lines in (("not logged again", given - again), ("logged that were not there", again - given)):
        text = "; ".join(f"{times} x {' '.join(line)}" for line, times in lines.items())
        yield row(f"lines {what}", lines.total(), f"of {given.total():,}", text or "none")


def _of_latency(took: Mapping[str, Sequence[float]], run: Run) -> Iterator[dict[str, Any]]:
    for method in sorted(set(took) & set(run.tally.series)):
        calls, now = took[method], run.latency(method, Latency.SERVICE)
        worst = max(calls) * 1e3
        conditions = (
            f"replayed: {now.p50_ms:.3g} ms, at most {now.max_ms:.3g} ms, {now.count} calls; "
            f"original: at most {worst:.3g} ms, {len(calls)} calls, behind a proxy"
        )
        yield row(f"{method}: median of the original", statistics.median(calls) * 1e3, "ms", conditions)


if __name__ == "__main__":
    for each in rows():
        print(json.dumps(each))
