"""What clients did at a real NameNode, done again at another from its image and its audit log."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.base.progress import Silent
from froude.base.scratch import Scratch
from froude.cli.app import run
from froude.emulation.notes import REMOVED, ROUND_BEGUN
from froude.emulation.programs.audit.lines import Client
from froude.emulation.settings import Leftovers, LogClientSettings, Mode, Pacing, Record
from froude.experiment import runners
from froude.experiment.play.play import play
from froude.experiment.replay.preparation import account_properties, prepare
from froude.experiment.replay.recorded_load import make_ready, replay_plan
from froude.experiment.scenario.options import Load, PlayOptions, Target
from froude.experiment.scenario.replay_options import (
    LogGrowth,
    MadeLog,
    MadeNamespace,
    ReplayedDatanodes,
    ReplayLoad,
    ReplayNodes,
)
from froude.experiment.scenario.scenario import DynoScenario
from froude.experiment.session import Hadoop
from froude.experiment.sweep.file import read_swept
from froude.hadoop.cluster.name_directory import newest_image
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import read_namespace
from froude.hadoop.release.jvm import FAST_FLAGS
from froude.hadoop.rpc.connection import Connection, current_user
from froude.hadoop.rpc.errors import RemoteException
from froude.trace.audit.files import AuditLog
from froude.trace.importers.audit_log import import_audit
from froude.trace.importers.image_cut import cut_by_edits

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
PROPERTIES = account_properties([Client("alice", "oozie")], {"alice": {"ops"}, "bob": {"ops"}})
pytestmark = pytest.mark.integration


class Caller:
    """One user at a NameNode."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection, self.name = connection, name

    def __call__(self, method: str, **fields: Any) -> Any:
        return self.connection.call(method, self.connection.message(method, **fields))

    def create(self, path: str, mode: int = 0o644) -> None:
        """An empty file."""
        self(
            "create", src=path, masked={"perm": mode}, clientName=self.name, createFlag=1, createParent=True,
            replication=3, blockSize=128 << 20,
        )  # fmt: skip
        assert self("complete", src=path, clientName=self.name).result

    def mkdirs(self, path: str, mode: int = 0o755) -> None:
        """A folder."""
        self("mkdirs", src=path, masked={"perm": mode}, createParent=True)


@contextmanager
def calling(namenode: NameNode, user: str, real_user: str | None = None) -> Iterator[Caller]:
    """Calls of a user, or through one who stands in for it."""
    with Connection(
        *namenode.address, namenode.hadoop.schema(), CLIENT, user=user, real_user=real_user
    ) as connection:
        yield Caller(connection, f"{user}-{real_user}")


def _save(namenode: NameNode) -> Path:
    with calling(namenode, current_user()) as admin:
        admin("setSafeMode", action=2, checked=False)
        admin("saveNamespace")
        admin("setSafeMode", action=1, checked=False)
    return newest_image(namenode.folder / "name")


def _before(namenode: NameNode) -> None:
    """What the image holds."""
    with calling(namenode, current_user()) as admin:
        admin.mkdirs("/user", 0o777)
        admin("setPermission", src="/user", permission={"perm": 0o777})
        admin.mkdirs("/private", 0o700)
        admin.mkdirs("/snap/below")
        admin("setOwner", src="/snap", username="alice", groupname="ops")
        admin("setOwner", src="/snap/below", username="alice", groupname="ops")


def _after(namenode: NameNode) -> None:
    """What is to be done again: by two users, by one through another, and by an administrator."""
    with (
        calling(namenode, current_user()) as admin,
        calling(namenode, "alice") as alice,
        calling(namenode, "bob") as bob,
        calling(namenode, "alice", "oozie") as workflow,
    ):
        alice.mkdirs("/user/alice/in put/ü", 0o750)
        for number in range(5):
            alice.create(f"/user/alice/in put/ü/part-{number}", 0o640)
        bob.mkdirs("/user/bob")
        with pytest.raises(RemoteException):
            bob("getFileInfo", src="/private/x")
        bob.create("/user/bob/a")
        bob.create("/user/bob/b")
        bob("rename2", src="/user/bob/a", dst="/user/bob/b", overwriteDest=True)
        workflow.create("/user/alice/by-oozie")
        workflow("rename", src="/user/alice/by-oozie", dst="/user/alice/renamed")
        alice("setPermission", src="/user/alice/renamed", permission={"perm": 0o1777})
        admin("setOwner", src="/user/alice/renamed", username="bob", groupname="staff")
        bob("getListing", src="/user/bob", startAfter=b"", needLocation=False)
        bob("getFileInfo", src="/user/bob/none")
        alice("delete", src="/user/alice/in put/ü/part-3", recursive=False)
        alice("rename", src="/user/alice/in put", dst="/user/alice/moved")
        admin("setQuota", path="/user/bob", namespaceQuota=100, storagespaceQuota=(1 << 63) - 1)
        admin("allowSnapshot", snapshotRoot="/snap")
        alice("createSnapshot", snapshotRoot="/snap", snapshotName="s1")
        alice.create("/snap/below/file")
        alice("renameSnapshot", snapshotRoot="/snap", snapshotOldName="s1", snapshotNewName="s2")
        admin("getContentSummary", path="/user")


def _tree(image: Path, namenode: NameNode) -> dict[str, tuple[object, ...]]:
    """By path: type, owner, group, mode."""
    schema = namenode.hadoop.schema()
    with Scratch("tree") as scratch:
        namespace = read_namespace(open_image(image, schema), schema, scratch)
        permissions, types = namespace.column("permission"), namespace.column("type")
        return {
            namespace.path(row): (
                int(types[row]),
                namespace.strings.user(int(permissions[row])),
                namespace.strings.group(int(permissions[row])),
                int(permissions[row]) & 0xFFFF,
            )
            for row in np.flatnonzero(namespace.linked)
        }


def _lines(log: AuditLog) -> list[tuple[object, ...]]:
    """Who did what to what, with what result; without what the replay's own questions leave."""
    own = {"safemode_get", "safemode_enter", "safemode_leave", "saveNamespace"}
    fields = ("user", "real_user", "command", "options", "src", "dst", "perm", "allowed")
    lines = (line for line in log.lines() if line.command not in own)
    return sorted(tuple(str(getattr(line, name)) for name in fields) for line in lines)


def test_the_namespace_and_the_log_come_out_the_same(hadoop: Hadoop, tmp_path: Path) -> None:
    """Paths, types, owners, groups, modes; and every line of the audit log, but for its time and address."""
    with NameNode(hadoop, fast=True, conf=PROPERTIES, folder=tmp_path / "first") as original:
        _before(original)
        shutil.copy(_save(original), tmp_path / "image")
        _after(original)
        expected = _tree(_save(original), original)
        assert original.audit_log is not None
        cut = cut_by_edits(tmp_path / "image", original.folder / "name" / "current", hadoop.schema(), hadoop)
        log = import_audit([original.audit_log], tmp_path / "audit", cut=cut)
    head = make_ready(log.lines(), tmp_path / "lines.json")
    plan = replay_plan(tmp_path / "lines.json", head)
    options = PlayOptions(
        load=Load(pacing=Pacing.CLOSED),
        nodes=ReplayNodes(datanodes=ReplayedDatanodes(count=0)),
        check_counts=False,
    )
    with NameNode(
        hadoop, fast=True, conf=PROPERTIES, image=tmp_path / "image", folder=tmp_path / "second"
    ) as replayed:
        played = play(plan, replayed, options)
        assert played.failure is None
        assert _tree(_save(replayed), replayed) == expected
        assert replayed.audit_log is not None
        again = import_audit([replayed.audit_log], tmp_path / "again")
    assert _lines(again) == _lines(log)


def _files(namenode: NameNode) -> dict[str, tuple[int, ...]]:
    """By path: length, blocks, replication, permission."""
    image, schema = _save(namenode), namenode.hadoop.schema()
    with Scratch("files") as scratch:
        namespace = read_namespace(open_image(image, schema), schema, scratch)
        columns = [namespace.column(name) for name in ("length", "blocks", "replication", "permission")]
        return {
            namespace.path(row): tuple(int(column[row]) for column in columns)
            for row in np.flatnonzero(namespace.linked)
        }


def test_a_trace_gives_the_whole_namespace_again(hadoop: Hadoop, tmp_path: Path) -> None:
    """Of a replay of a made-up log on a made-up namespace that has grown: lengths, blocks and replication, too."""
    made = DynoScenario(
        namespace=MadeNamespace(profile=Path("analytics"), inodes=200),
        load=ReplayLoad(
            made=MadeLog(rate=60, duration_s=2, clients=5, changes=0.8),
            growth=LogGrowth(namespace=2),
            pacing=Pacing.CLOSED,
        ),
        nodes=ReplayNodes(
            datanodes=ReplayedDatanodes(count=9),
            clients=LogClientSettings(
                blocks=2, file_length_bytes=3 << 19, block_size_bytes=1 << 20, replication=2
            ),
        ),
        record=Record.FULL,
        check_counts=False,
    )
    trees, runs = [], []
    scenario = made
    for name in ("log", "trace"):
        (tmp_path / name).mkdir()
        prepared = prepare(scenario, hadoop, tmp_path / name, Silent())
        with NameNode(hadoop, fast=True, conf=prepared.properties, image=prepared.image) as namenode:
            runs.append(
                play(prepared.plan, namenode, prepared.options(scenario), folder=tmp_path / f"run-{name}")
            )
            trees.append(_files(namenode))
        scenario = made.replaced(
            namespace=MadeNamespace(),
            target=Target(image=prepared.image),
            load=ReplayLoad(trace=tmp_path / "run-log/trace", pacing=Pacing.CLOSED),
        )
    assert [run.failure for run in runs] == [None, None]
    assert [run.failed.total() for run in runs] == [0, 0]
    written = [tree for path, tree in trees[0].items() if "/made-" in path]
    assert written
    assert {tree[:3] for tree in written} == {(3 << 19, 2, 2)}
    assert trees[0] == trees[1]


def test_a_log_in_rounds_leaves_what_two_of_them_leave(hadoop: Hadoop, tmp_path: Path) -> None:
    """However often it begins again: no call fails, and only copies of the last rounds are there."""
    scenario = DynoScenario(
        namespace=MadeNamespace(profile=Path("analytics"), inodes=200),
        load=ReplayLoad(
            made=MadeLog(rate=10, duration_s=2, clients=5, changes=0.8),
            pacing=Pacing.CLOSED,
            mode=Mode.POPULATION,
            leftovers=Leftovers.REMOVE,
            duration_s=8,
            players=2,
        ),
        nodes=ReplayNodes(datanodes=ReplayedDatanodes(count=9)),
        check_counts=False,
    )
    prepared = prepare(scenario, hadoop, tmp_path, Silent())
    with NameNode(hadoop, fast=True, conf=prepared.properties, image=prepared.image) as namenode:
        played = play(prepared.plan, namenode, prepared.options(scenario))
        paths = _files(namenode)
    rounds, removed = played.notes[ROUND_BEGUN], played.notes[REMOVED]
    assert (played.failure, played.failed.total()) == (None, 0)
    assert rounds > 5
    assert removed > rounds - 4
    copies = {int(part.partition("~")[2]) for path in paths for part in path.split("/") if "~" in part}
    assert max(copies) - min(copies) < 6


def test_a_sweep_of_replays(hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shipped one on a made-up image and log, once: what is read is made ready once, and what came of it is kept."""
    del hadoop
    monkeypatch.chdir(tmp_path)
    prepared: list[object] = []
    monkeypatch.setattr(runners, "prepare", lambda *given: prepared.append(given) or prepare(*given))
    assert run(["image", "synth", "analytics", "--inodes", "300", "-o", f"name/fsimage_{1:019}"]) == 0
    assert run(["image", "log", "name", "--rate", "100", "--duration", "1 s", "-o", "hdfs-audit.log"]) == 0
    assert run(["scenario", "new", "fair-lock", "-o", "fair.yaml"]) == 0
    for name, before, after in (
        ("fair", "repeats: 8", "repeats: 1"),
        ("replay", "count: 20, racks: 4}", "count: 6}\nwarm_up: 0"),
        ("replay", "heap: 1 GB", f"heap: 1 GB\n  java_options: [{', '.join(FAST_FLAGS)}]"),
    ):
        path = Path(f"{name}.yaml")
        path.write_text(path.read_text().replace(before, after))
    assert run(["sweep", "fair.yaml"]) == 0
    swept = read_swept(Path("sweep/sweep.json"))
    assert [(arm.name, len(arm.runs)) for arm in swept.arms] == [("fair=true", 1), ("fair=false", 1)]
    assert all(arm.counting("errors") == [0.0] for arm in swept.arms)
    assert len(prepared) == 1
