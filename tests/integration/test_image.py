"""A real NameNode's image, read here and by Hadoop's own offline viewer."""

from __future__ import annotations

import csv
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.hdfs.blocks import Inventory
from froude.emulation.programs.hdfs.datanodes import PROTOCOL, Datanodes
from froude.experiment.replay.block_lists import open_block_lists, write_block_lists
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.fsimage.block_lists import Cluster
from froude.hadoop.fsimage.codecs import codec_named
from froude.hadoop.fsimage.composing import Composer, Identity
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.growth import grow
from froude.hadoop.fsimage.inode_rows import FILE
from froude.hadoop.fsimage.namespace import Namespace, read_namespace
from froude.hadoop.fsimage.oiv import open_any
from froude.hadoop.fsimage.placement import Topology
from froude.hadoop.fsimage.replicas import BlockLists
from froude.hadoop.fsimage.saving import save_image, transaction_of
from froude.hadoop.fsimage.striping import SYSTEM
from froude.hadoop.fsimage.summary import summarise_image
from froude.hadoop.rpc.connection import Connection
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage.templates import template

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
VIEWER = "org.apache.hadoop.hdfs.tools.offlineImageViewer.OfflineImageViewerPB"
IMAGE = "fsimage_0000000000000000009"
ALL = {"perm": 0o755}
pytestmark = pytest.mark.integration


def _fill(connection: Connection) -> None:
    """Files, ACLs, attributes, quotas, snapshots, a rename out of a folder that has one, an unfinished file."""

    def call(method: str, **fields: Any) -> None:
        connection.call(method, connection.message(method, **fields))

    def create(path: str, *, complete: bool = True) -> None:
        call(
            "create",
            src=path,
            masked=ALL,
            clientName="froude-image",
            createFlag=1,
            createParent=True,
            replication=2,
            blockSize=1 << 20,
        )
        if complete:
            call("complete", src=path, clientName="froude-image")

    for path in ("/image/a/ü b", "/image/snap/below"):
        call("mkdirs", src=path, masked=ALL, createParent=True)
    for path in ("/image/a/one", "/image/a/ü b/ö", "/image/snap/below/moved", "/image/snap/below/gone"):
        create(path)
    create("/image/a/open", complete=False)
    entry = {"type": 0, "scope": 0, "permissions": 7, "name": "alice"}
    call("modifyAclEntries", src="/image/a/one", aclSpec=[entry])
    call("setXAttr", src="/image/a/one", xAttr={"namespace": 0, "name": "note", "value": b"x"}, flag=1)
    call("setOwner", src="/image/a/one", username="alice", groupname="ops")
    call("setQuota", path="/image/a", namespaceQuota=100, storagespaceQuota=1 << 40)
    call("allowSnapshot", snapshotRoot="/image/snap")
    call("createSnapshot", snapshotRoot="/image/snap", snapshotName="s1")
    call("rename", src="/image/snap/below/moved", dst="/image/a/moved")
    call("delete", src="/image/snap/below/gone", recursive=False)
    _save(connection)


def _save(connection: Connection) -> None:
    """saveNamespace, in safe mode."""
    for method, fields in (
        ("setSafeMode", {"action": 2, "checked": False}),
        ("saveNamespace", {}),
        ("setSafeMode", {"action": 1, "checked": False}),
    ):
        connection.call(method, connection.message(method, **fields))


def _view(hadoop: Hadoop, form: str, image: Path, output: Path) -> Path:
    """What the viewer makes of it."""
    jars = os.pathsep.join(str(path) for path in hadoop.jars)
    words = [str(hadoop.java.path), "-cp", jars, VIEWER, "-p", form, "-i", str(image), "-o", str(output)]
    subprocess.run(words, check=True, capture_output=True, timeout=100)
    return output


def _viewed(hadoop: Hadoop, image: Path, output: Path) -> list[dict[str, str]]:
    """A row an inode."""
    with _view(hadoop, "Delimited", image, output).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _read(path: Path, schema: Schema, folder: Path) -> Namespace:
    folder.mkdir()
    return read_namespace(open_any(path, schema, folder), schema, folder)


def _newest(folder: Path) -> Path:
    return max(path for path in folder.rglob("fsimage_*") if path.suffix != ".md5")


def _described(namespace: Namespace) -> dict[int, tuple[object, ...]]:
    """Everything of every inode by its id, with its path, and owners by name; and its blocks."""
    rows = namespace.inodes.to_pylist()
    blocks = [tuple(block.values()) for block in namespace.blocks.to_pylist()]
    described, at = {}, 0
    for number, row in enumerate(rows):
        permission = row.pop("permission")
        names = (namespace.strings.user(permission), namespace.strings.group(permission), permission & 0xFFFF)
        described[row["id"]] = (
            namespace.path(number),
            *names,
            *row.values(),
            *blocks[at : at + row["blocks"]],
        )
        at += row["blocks"]
    return described


def test_as_hadoop_reads_it(namenode: NameNode, hadoop: Hadoop, tmp_path: Path) -> None:
    """Paths, replication, sizes, quotas and owners of everything in it; what only snapshots hold is in neither."""
    schema: Schema = hadoop.schema()
    with Connection(*namenode.address, schema, CLIENT, user="root") as connection:
        _fill(connection)
    path = _newest(namenode.folder)
    (tmp_path / "columns").mkdir()
    image = open_image(path, schema)
    namespace = read_namespace(image, schema, tmp_path / "columns")
    rows = namespace.inodes.to_pylist()
    ours = {
        namespace.path(row): (
            rows[row]["replication"],
            rows[row]["blocks"],
            rows[row]["length"],
            rows[row]["quota"] if rows[row]["type"] != FILE else 0,
            namespace.strings.user(rows[row]["permission"]),
            namespace.strings.group(rows[row]["permission"]),
        )
        for row in np.flatnonzero(namespace.linked)
    }
    theirs = {
        row["Path"]: (
            int(row["Replication"]),
            int(row["BlocksCount"]),
            int(row["FileSize"]),
            int(row["NSQUOTA"]),
            row["UserName"],
            row["GroupName"],
        )
        for row in _viewed(hadoop, path, tmp_path / "viewed")
    }
    assert ours == theirs
    assert {"/image/a/moved", "/image/a/ü b/ö", "/image/a/open"} <= ours.keys()
    counts = summarise_image(image, schema, namespace).counts
    assert counts["only_in_snapshots"] == 1
    assert (counts["with_acl"], counts["snapshots"], counts["open_files"] >= 1) == (1, 1, True)
    xml = _view(hadoop, "XML", path, tmp_path / "image.xml")
    assert _described(_read(xml, schema, tmp_path / "of_xml")) == _described(namespace)


@pytest.fixture(scope="module")
def synthetic(hadoop: Hadoop) -> Namespace:
    """A namespace of a thousand inodes, with names that are no ASCII."""
    return template(1)


def _synthesise(source: Namespace, factor: float, schema: Schema, path: Path, codec: str = "") -> None:
    composer = Composer(source, grow(source, factor), schema, Identity(77, transaction_of(path)))
    save_image(path, composer.sections(), schema, namespace_id=77, codec=codec_named(codec))


@pytest.mark.parametrize("codec", ["", "DefaultCodec", "GzipCodec", "BZip2Codec"])
def test_what_is_written_hadoop_reads(
    hadoop: Hadoop, synthetic: Namespace, tmp_path: Path, codec: str
) -> None:
    """Its viewer finds the same inodes, in each codec that is Java alone; and its XML reads as the image itself."""
    schema = hadoop.schema()
    image = tmp_path / IMAGE
    _synthesise(synthetic, 1, schema, image, codec)
    own = _read(image, schema, tmp_path / "own")
    form = "Delimited" if codec else "XML"
    viewed = _view(hadoop, form, image, tmp_path / "viewed")
    if codec:
        with viewed.open(encoding="utf-8", newline="") as file:
            paths = [row["Path"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
        assert sorted(paths) == sorted(own.path(row) for row in range(own.inodes.num_rows))
    else:
        assert _described(_read(viewed, schema, tmp_path / "of_xml")) == _described(own)


def test_a_namenode_loads_and_saves_what_is_written(
    hadoop: Hadoop, synthetic: Namespace, tmp_path: Path
) -> None:
    """All of it, and every path leads to its inode: folders are in the order that it searches them in."""
    schema = hadoop.schema()
    _synthesise(_renamed(synthetic), 2.5, schema, tmp_path / "name" / "current" / IMAGE, "GzipCodec")
    own = _read(tmp_path / "name" / "current" / IMAGE, schema, tmp_path / "own")
    with hadoop.namenode(heap="512 MB", fast=True, image=tmp_path / "name") as namenode:
        with Connection(*namenode.address, schema, CLIENT, user="root") as connection:
            for row in range(1, own.inodes.num_rows, 7):
                request = connection.message("getFileInfo", src=own.path(row))
                status = connection.call("getFileInfo", request).fs
                assert (status.fileId, status.length) == (own.column("id")[row], own.column("length")[row])
            _save(connection)
        saved = _newest(namenode.folder)
        assert saved.name != IMAGE
        assert _described(_read(saved, schema, tmp_path / "saved")) == _described(own)


def _renamed(source: Namespace) -> Namespace:
    """The same with names whose bytes are negative in Java, in the same folders as others."""
    names = source.inodes["name"].to_pylist()
    names = ["ü€".encode() + name if at % 3 == 1 else name for at, name in enumerate(names)]
    inodes = source.inodes.set_column(2, source.inodes.schema.field("name"), [names])
    return Namespace(inodes, source.blocks, source.parents, source.strings)


def _report(datanodes: Datanodes, lists: BlockLists, address: tuple[str, int], schema: Schema) -> None:
    """Every node registers, beats once and reports what it holds."""
    with Connection(*address, schema, PROTOCOL, user="root") as connection:

        def call(method: str, body: bytes) -> bytes:
            request = schema.method(PROTOCOL, method).request.FromString(body)
            response: bytes = connection.call(method, request).SerializeToString()
            return response

        datanodes.learn_namespace(call("versionRequest", datanodes.version_request))
        for node in range(lists.nodes):
            call("registerDatanode", datanodes.register(node))
            held = lists.of(node)
            inventory = Inventory.of_columns(held.ids.data, held.lengths.data, held.stamps.data)
            call("sendHeartbeat", datanodes.heartbeat(node, [inventory.used_bytes]))
            for body in datanodes.full_reports(node, [inventory], node + 1):
                call("blockReport", body)


def test_a_namenode_finds_every_replica_of_the_lists(
    hadoop: Hadoop, synthetic: Namespace, tmp_path: Path
) -> None:
    """Started from an image, it leaves safe mode once emulated DataNodes have reported, and misses nothing."""
    schema = hadoop.schema()
    image = tmp_path / "name" / "current" / IMAGE
    _synthesise(synthetic, 1, schema, image)
    own = _read(image, schema, tmp_path / "own")
    cluster = Cluster(Topology(12))
    write_block_lists(tmp_path / "lists", own, SYSTEM, cluster, seed=3)
    lists = open_block_lists(tmp_path / "lists").lists
    with hadoop.namenode(heap="512 MB", fast=True, image=tmp_path / "name") as namenode:
        with Connection(*namenode.address, schema, CLIENT, user="root") as connection:
            asked = connection.message("setSafeMode", action=3, checked=False)
            assert connection.call("setSafeMode", asked).result is True
            _report(Datanodes(schema, seeds=Seeds(0)), lists, namenode.address, schema)
            deadline = time.monotonic() + 60
            while connection.call("setSafeMode", asked).result and time.monotonic() < deadline:
                time.sleep(0.2)
            assert connection.call("setSafeMode", asked).result is False
            row = int(np.flatnonzero(own.column("erasure") >= 0)[0])
            for number in (int(np.argmax(own.column("blocks"))), row):
                request = connection.message(
                    "getBlockLocations", src=own.path(number), offset=0, length=1 << 60
                )
                located = connection.call("getBlockLocations", request).locations.blocks
                assert [block.b.numBytes for block in located] == _lengths(own, number)
                assert {bool(block.corrupt) for block in located} <= {False}
        state = namenode.jmx("Hadoop:service=NameNode,name=FSNamesystem")[0]
        assert [state[f"{what}Blocks"] for what in ("Missing", "Corrupt", "LowRedundancy", "Excess")] == [
            0
        ] * 4


def _lengths(namespace: Namespace, row: int) -> list[int]:
    counts = namespace.column("blocks")
    first = int(counts[:row].sum())
    lengths: list[int] = namespace.blocks["length"].slice(first, int(counts[row])).to_pylist()
    return lengths
