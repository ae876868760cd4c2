"""An original run beside its replays: Hadoop's clients at work on a real cluster, done again from an image.

    python -m benchmarks.dynamometer_truth

Hadoop's file system shell works, as several users at once, on a real NameNode with real DataNodes, and its calls are
recorded by proxies. What a replay is given is the image that was saved in between, the edits to cut its load by, and
either the full Trace or the audit log alone; it is played at its own times with emulated DataNodes. Compared are the
namespaces that the NameNodes save in the end, their audit logs, how long the calls of each method took, and how long
calls stood in the NameNode's queue, which each NameNode says of itself in microseconds. The replays go without proxies,
which the original's times include.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.dynamometer_beside_rows import row
from froude.base.clock import RealClock
from froude.base.progress import Silent
from froude.documents.store import Workspace
from froude.emulation.run.run import Latency, Run
from froude.experiment.play.play import play
from froude.experiment.record.record import Recording, record
from froude.experiment.replay.preparation import prepare
from froude.experiment.scenario.scenario import DynoScenario, read_scenario
from froude.experiment.session import Hadoop
from froude.hadoop.audit.lines import parse_line
from froude.hadoop.cluster.name_directory import newest_image
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.inode_rows import FILE
from froude.hadoop.fsimage.namespace import read_namespace
from froude.hadoop.metrics.jmx import Sampler
from froude.hadoop.rpc.connection import Connection, current_user
from froude.trace.audit.files import AuditLog, open_audit
from froude.trace.files import read_trace
from froude.trace.importers.audit_log import import_audit

DATANODES, BLOCK = 3, 1 << 20
_SAMPLE_S = 0.5
_CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_GROUPS = {
    "hadoop.user.group.static.mapping.overrides": "alice=alice,ops;bob=bob,ops;carol=carol,ops",
    "rpc.metrics.timeunit": "MICROSECONDS",
}
_FILES, _EXAMPLES = 16, 5
_SERVED = {"in the call queue": "RpcActivity.RpcQueueTime", "with a handler": "RpcActivity.RpcProcessingTime"}
"""What a NameNode says of all its calls together."""
_BEFORE = """set -e
hdfs dfs -mkdir -p /data /user /private
hdfs dfs -chmod 777 /user
hdfs dfs -chmod 700 /private
hdfs dfs -put set /data
hdfs dfsadmin -allowSnapshot /data
"""
_AFTER = """set -e
as() ( HADOOP_USER_NAME=$1; export HADOOP_USER_NAME; shift; "$@"; )
(as alice hdfs dfs -put set /user/alice && as alice hdfs dfs -cp /user/alice /user/again) &
(as bob hdfs dfs -mkdir -p /user/bob/in && as bob hdfs dfs -put set /user/bob/in) &
(as carol hdfs dfs -cp /data/set /user/carol && as carol hdfs dfs -ls -R /data) &
wait
(as alice hdfs dfs -appendToFile set/f03 /user/alice/f05 && as alice hdfs dfs -cat '/user/alice/*' > /dev/null
 as alice hdfs dfs -truncate 1000 /user/alice/f15 && as alice hdfs dfs -rm -skipTrash '/user/alice/f0[0-2]') &
(as bob hdfs dfs -setrep 3 /user/bob/in/set/f15 && as bob hdfs dfs -mv /user/bob/in/set/f01 /user/bob/moved
 as bob hdfs dfs -chmod 640 /user/bob/moved && as bob hdfs dfs -rm -r -skipTrash /user/again || true) &
(as carol hdfs dfs -ls /private || true; as carol hdfs dfs -touchz /user/carol/empty
 as carol hdfs dfs -concat /user/carol/f15 /user/carol/f13 /user/carol/f14
 as carol hdfs dfs -count /user/alice /user/bob) &
(hdfs dfs -createSnapshot /data before && hdfs dfs -truncate 500000 /data/set/f14
 hdfs dfs -appendToFile set/f03 /data/set/f11 && hdfs dfs -setfacl -m user:bob:rwx /data/set) &
wait
as bob hdfs dfs -rm -r -skipTrash /user/alice/f04 || true
hdfs dfs -truncate -w 2000000 /data/set/f15
sleep 4
hdfs dfs -ls /
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


def _settled(namenode: NameNode) -> None:
    """Wait until no file is open: a block that was truncated is recovered at a DataNode's next heartbeat."""
    for _ in range(120):
        if not namenode.sample()["FSNamesystem.NumFilesUnderConstruction"]:
            return
        time.sleep(0.5)
    raise AssertionError("a file is still open after a minute")


def _work(recording: Recording, script: str, folder: Path) -> None:
    (folder / "job.sh").write_text(f"cd {folder}\n{script}")
    recording.run(["sh", str(folder / "job.sh")], output=folder / "job.out")


class Times(NamedTuple):
    """How long calls took."""

    middle_ms: float
    worst_ms: float
    calls: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What is compared of a run."""

    tree: Tree
    took_ms: Mapping[str, Times]
    """By method."""
    served_ms: Mapping[str, Times]
    """Of all calls, means: by the words of `_SERVED`."""


def _served(samples: Sequence[Mapping[str, float]]) -> dict[str, Times]:
    """Means over all calls: of each interval as many as came in it, at the mean that the NameNode says."""
    found = {}
    for words, stem in _SERVED.items():
        total = calls = worst = 0.0
        for before, after in pairwise(samples):
            came = after[f"{stem}NumOps"] - before[f"{stem}NumOps"]
            mean_ms = after[f"{stem}AvgTime"] / 1e3
            total, calls, worst = total + came * mean_ms, calls + came, max(worst, mean_ms if came else 0.0)
        found[words] = Times(total / calls, worst, int(calls))
    return found


def original(hadoop: Hadoop, folder: Path) -> Seen:
    """Let clients work, and keep image, edits, Trace and audit log.

    Args:
        hadoop: the release.
        folder: takes them.
    """
    (folder / "set").mkdir()
    for number in range(_FILES):
        (folder / "set" / f"f{number:02}").write_bytes(bytes(number**2 * BLOCK // 64))
    conf = {**_GROUPS, "dfs.blocksize": str(BLOCK), "dfs.namenode.fs-limits.min-block-size": "1024"}
    workspace = Workspace.begin(folder / "workspace")
    with hadoop.cluster(datanodes=DATANODES, replication=2, conf=conf, aged=False) as cluster:
        with record(cluster, workspace, scale={"datanodes": DATANODES}) as recording:
            _work(recording, _BEFORE, folder)
            shutil.copy(_save(cluster.namenode), folder / "image")
            began_s = time.time()
            with Sampler(cluster.namenode.sample, RealClock(), _SAMPLE_S) as sampler:
                _work(recording, _AFTER, folder)
            _settled(cluster.namenode)
        tree = _tree(_save(cluster.namenode), hadoop)
        shutil.copytree(cluster.namenode.folder / "name" / "current", folder / "edits")
        assert cluster.namenode.audit_log is not None
        lines = cluster.namenode.audit_log.read_text().splitlines(keepends=True)
        clients = (line for line in lines if parse_line(line).command not in _OWN)
        (folder / "audit.log").write_text("".join(clients))
    shutil.move(recording.trace, folder / "trace")
    trace = read_trace(folder / "trace")
    took: dict[str, list[float]] = {}
    for call in trace.calls:
        if trace.meta.started_at_s + call.start_s >= began_s and call.duration_s is not None:
            took.setdefault(call.method, []).append(call.duration_s * 1e3)
    times = {
        method: Times(statistics.median(each), max(each), len(each)) for method, each in sorted(took.items())
    }
    return Seen(tree, times, _served([each.values for each in sampler.samples]))


def replay(
    hadoop: Hadoop, folder: Path, load: Mapping[str, object]
) -> tuple[Run, Seen, Counter[tuple[str, ...]]]:
    """Do it again from image and edits.

    Args:
        hadoop: the release.
        folder: with what `original` has kept.
        load: `audit_log` or `trace`.

    Returns:
        The run; what is compared of it; and the lines that were logged meanwhile.
    """
    fields = {
        "froude": "scenario/1",
        "kind": "dyno",
        "target": {"image": str(folder / "image"), "release": hadoop.version},
        "load": {**load, "edits": str(folder / "edits"), "pacing": "scheduled"},
        "nodes": {
            "datanodes": {"count": DATANODES},
            "clients": {"file_length": "1 MiB", "block_size": "1 MiB", "replication": 2},
        },
        "check_counts": False,
    }  # fmt: skip
    place = folder / f"of-{next(iter(load))}"
    place.mkdir()
    (place / "replay.yaml").write_text(json.dumps(fields))
    scenario = read_scenario(place / "replay.yaml").scenario
    assert isinstance(scenario, DynoScenario)
    (place / "scratch").mkdir()
    prepared = prepare(scenario, hadoop, place / "scratch", Silent())
    conf = {**prepared.properties, **_GROUPS, "dfs.namenode.fs-limits.min-block-size": "1024"}
    with NameNode(hadoop, image=prepared.image, conf=conf, folder=place / "namenode") as namenode:
        run = play(prepared.plan, namenode, prepared.options(scenario))
        _settled(namenode)
        tree = _tree(_save(namenode), hadoop)
        assert namenode.audit_log is not None
        again = _lines(import_audit([namenode.audit_log], place / "again"))
    took = {}
    for method in run.tally.series:
        now = run.latency(method, Latency.SERVICE)
        took[method] = Times(now.p50_ms, now.max_ms, now.count)
    return run, Seen(tree, took, _served([each.values for each in run.metrics])), again


def rows() -> Iterator[dict[str, Any]]:
    """One row a measure."""
    hadoop, load = Hadoop.find(), f"load average {os.getloadavg()[0]:.1f} before"
    with tempfile.TemporaryDirectory(prefix="froude-truth-") as temporary:
        folder = Path(temporary)
        first = original(hadoop, folder)
        whole = replay(hadoop, folder, {"trace": str(folder / "trace")})
        logged = replay(hadoop, folder, {"audit_log": [str(folder / "audit.log")]})
        given = _lines(open_audit(folder / "of-audit_log" / "scratch" / "audit"))
    for name, aim, (run, seen, again) in (("Trace", "<= 0", whole), ("log", "", logged)):
        for each in _of_replay(first, seen, run, given, again):
            yield {**each, "measure": f"{name}: {each['measure']}", "aim": aim}
    yield from _of_latency(load, first, whole[1], logged[1])


def _of_replay(
    first: Seen, seen: Seen, run: Run, given: Counter[tuple[str, ...]], again: Counter[tuple[str, ...]]
) -> Iterator[dict[str, Any]]:
    failed = run.failed
    kinds = ", ".join(f"{name} {times}" for name, times in failed.items())
    said = row("calls of the replay that failed and had not", failed.total(), "calls", kinds or "none")
    yield from (*_of_namespaces(first.tree, seen.tree), *_of_logs(given, again), said)


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
        examples = "; ".join(
            f"{path}: {tree[path][number]}, now {replayed[path][number]}" for path in differ[:_EXAMPLES]
        )
        examples += f"; and {len(differ) - _EXAMPLES} more" if len(differ) > _EXAMPLES else ""
        yield row(f"paths with another {name}", len(differ), f"of {len(paths):,}", examples or "none")


def _of_logs(given: Counter[tuple[str, ...]], again: Counter[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    """Lines are matched without time, address and caller context, which differ by their nature."""
    for what, lines in (("not logged again", given - again), ("logged that were not there", again - given)):
        text = "; ".join(f"{times} x {' '.join(line)}" for line, times in lines.items())
        yield row(f"lines {what}", lines.total(), f"of {given.total():,}", text or "none")


def _of_latency(load: str, first: Seen, *replays: Seen) -> Iterator[dict[str, Any]]:
    """Of the original, with the two replays beside it, that of the Trace first; `load` was the machine's."""
    names = ("of the Trace", "of the log")
    for words, then in first.served_ms.items():
        again = [
            f"{name}: {_times(each.served_ms[words])}" for name, each in zip(names, replays, strict=True)
        ]
        said = "; ".join(
            (
                f"{load}; all calls, of DataNodes too; most is a mean of half a second; original: {_times(then)}",
                *again,
            )
        )
        yield row(f"mean time {words}, original", then.middle_ms, "ms", said)
    for method, then in first.took_ms.items():
        found = [(name, each.took_ms.get(method)) for name, each in zip(names, replays, strict=True)]
        texts = [f"{name}: {_times(times)}" for name, times in found if times is not None]
        if texts:
            said = "; ".join((*texts, f"original, behind a proxy: {_times(then)}"))
            yield row(f"{method}: median of the original", then.middle_ms, "ms", said)


def _times(times: Times) -> str:
    return f"{times.middle_ms:.3g} ms, at most {times.worst_ms:.3g} ms, {times.calls} calls"


if __name__ == "__main__":
    for each in rows():
        print(json.dumps(each))
