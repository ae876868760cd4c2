"""A real NameNode's audit log, cut at a real image: by its edits, which Hadoop's own viewer reads, and without them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection
from froude.trace.audit.files import open_audit
from froude.trace.importers.audit_log import import_audit
from froude.trace.importers.image_cut import cut_by_edits, cut_by_image

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
pytestmark = pytest.mark.integration
_MODE = {"perm": 0o755}


class _Client:
    """Calls of a client; each on a path of this test's own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(self, method: str, **fields: Any) -> None:
        self._connection.call(method, self._connection.message(method, **fields))

    def mkdirs(self, name: str) -> None:
        self.call("mkdirs", src=f"/cut/{name}", masked=_MODE, createParent=True)

    def save(self) -> None:
        self.call("setSafeMode", action=2, checked=False)
        self.call("saveNamespace")
        self.call("setSafeMode", action=1, checked=False)


def _own(folder: Path) -> list[tuple[str, str]]:
    """The lines about this test's paths."""
    lines = open_audit(folder).lines()
    return [
        (line.command, line.src.removeprefix("/cut/"))
        for line in lines
        if (line.src or "").startswith("/cut/")
    ]


def test_exactly_what_came_later_remains(hadoop: Hadoop, tmp_path: Path) -> None:
    """Reads between the image and the next change, changes without a time, then all; nothing of before."""
    schema = hadoop.schema()
    with hadoop.namenode(heap="512 MB", fast=True) as namenode:
        with Connection(*namenode.address, schema, CLIENT, user="root") as connection:
            client = _Client(connection)
            for name in ("a", "b", "c"):
                client.mkdirs(name)
            client.call("delete", src="/cut/b", recursive=True)
            client.save()
            client.call("getFileInfo", src="/cut/a")
            client.call("setPermission", src="/cut/a", permission={"perm": 0o700})
            client.mkdirs("d")
            client.call("rename", src="/cut/c", dst="/cut/e")
        log = tmp_path / "audit.log"
        shutil.copy(_audit_log(namenode), log)
        image = max(path for path in namenode.folder.rglob("fsimage_*") if not path.suffix)
        cut = cut_by_edits(image, image.parent, schema, hadoop)
        plain = cut_by_image(image, schema)
    import_audit([log], tmp_path / "by-edits", cut=cut)
    import_audit([log], tmp_path / "by-image", cut=plain)
    later = [("getfileinfo", "a"), ("setPermission", "a"), ("mkdirs", "d"), ("rename", "c")]
    assert _own(tmp_path / "by-edits") == later
    assert "OP_DELETE" in cut.words
    assert "OP_MKDIR" in cut.words
    assert _own(tmp_path / "by-image")[-4:] == later
    assert "for want of edits" in plain.words


def _audit_log(namenode: NameNode) -> Path:
    assert namenode.audit_log is not None
    return namenode.audit_log
