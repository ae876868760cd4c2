"""A real NameNode's image, read here and by Hadoop's own offline viewer."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.experiment.session import Hadoop
from froude.hadoop.connection import Connection
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import FILE, read_namespace
from froude.hadoop.fsimage.summary import summarise_image
from froude.hadoop.namenode import NameNode
from froude.hadoop.schema import Schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
VIEWER = "org.apache.hadoop.hdfs.tools.offlineImageViewer.OfflineImageViewerPB"
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
    for action in (2, 1):  # SAFEMODE_ENTER, LEAVE
        call("setSafeMode", action=action, checked=False)
        if action == 2:
            call("saveNamespace")


def _viewed(hadoop: Hadoop, image: Path, output: Path) -> list[dict[str, str]]:
    """What the viewer makes of it, a row an inode."""
    jars = os.pathsep.join(str(path) for path in hadoop.jars)
    words = [
        str(hadoop.java.path),
        "-cp",
        jars,
        VIEWER,
        "-p",
        "Delimited",
        "-i",
        str(image),
        "-o",
        str(output),
    ]
    subprocess.run(words, check=True, capture_output=True, timeout=100)
    with output.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_as_hadoop_reads_it(namenode: NameNode, hadoop: Hadoop, tmp_path: Path) -> None:
    """Paths, replication, sizes, quotas and owners of everything in it; what only snapshots hold is in neither."""
    schema: Schema = hadoop.schema()
    with Connection(*namenode.address, schema, CLIENT, user="root") as connection:
        _fill(connection)
    path = max(path for path in namenode.folder.rglob("fsimage_*") if not path.suffix)
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
