"""A small namespace written as an image, with something of everything: what a test reads is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from froude.hadoop.fsimage.container import delimited, image_bytes, kind
from froude.hadoop.fsimage.namespace import ROOT_ID
from froude.messages.schema import Schema

NOW = 1_700_000_000_000
NO_QUOTA = (1 << 64) - 1
USERS, GROUPS = ("hdfs", "alice"), ("supergroup", "ops")
TREE: Mapping[str, tuple[int, ...] | None] = {
    "/a": None,
    "/a/b": None,
    "/a/b/big": (100, 100, 50),
    "/a/empty": (),
    "/ö x": None,
    "/ö x/small": (7,),
}
"""Path -> lengths of its blocks; None for a folder."""


def sections(schema: Schema, *, bits: int = 3) -> dict[str, list[Any]]:
    """The messages of each section.

    Args:
        schema: of a release.
        bits: of the string table: 3 as newer releases write it, 0 as older ones.
    """
    ids = {"/": ROOT_ID, **{path: ROOT_ID + n for n, path in enumerate(TREE, 1)}}
    inodes = [_inode(schema, ids[path], path, TREE.get(path)) for path in ids]
    snapshotted = _inode(schema, ROOT_ID + 50, "/gone", (9,))
    coded = _inode(schema, ROOT_ID + 51, "/a/coded", (3_000_000,))
    coded.file.ClearField("replication")
    coded.file.blockType, coded.file.erasureCodingPolicyID = 1, 4
    coded.file.blocks[0].blockId = (1 << 63) + 16
    link = kind(schema, "INodeSection.INode")(type=3, id=ROOT_ID + 52, name=b"link")
    link.symlink.permission, link.symlink.target = _permission(1, 2, 0o777), b"/a"
    inodes += [snapshotted, coded, link]
    header = kind(schema, "INodeSection")(lastInodeId=ROOT_ID + 60, numInodes=len(inodes))
    below: dict[int, list[int]] = {}
    for path in TREE:
        below.setdefault(ids[path.rpartition("/")[0] or "/"], []).append(ids[path])
    below[ROOT_ID].append(link.id)
    entry = kind(schema, "INodeDirectorySection.DirEntry")
    entries = [entry(parent=parent, children=sorted(children)) for parent, children in below.items()]
    # what was renamed out of a folder with snapshots lies in its new one by a reference
    next(each for each in entries if each.parent == ids["/a"]).refChildren.append(0)
    reference = kind(schema, "INodeReferenceSection.INodeReference")(referredId=coded.id, name=b"coded")
    strings = {
        **{n | bool(bits) << 29: name for n, name in enumerate(USERS, 1)},
        **{n | (2 << 29 if bits else 8): name for n, name in enumerate(GROUPS, 1)},
    }
    table = kind(schema, "StringTableSection")(numEntry=len(strings), maskBits=bits)
    words = [
        kind(schema, "StringTableSection.Entry")(id=number, str=name) for number, name in strings.items()
    ]
    snapshots = kind(schema, "SnapshotSection")(
        snapshotCounter=1, numSnapshots=1, snapshottableDir=[ids["/ö x"]]
    )
    snapshot = kind(schema, "SnapshotSection.Snapshot")(snapshotId=0, root=inodes[0])
    return {
        "NS_INFO": [kind(schema, "NameSystemSection")(namespaceId=5, transactionId=70)],
        "ERASURE_CODING": [kind(schema, "ErasureCodingSection")()],
        "INODE": [header, *inodes],
        "INODE_DIR": entries,
        "SNAPSHOT": [snapshots, snapshot],
        "SNAPSHOT_DIFF": differences(schema),
        "INODE_REFERENCE": [reference],
        "STRING_TABLE": [table, *words],
    }


def differences(schema: Schema) -> list[Any]:
    """Of a folder in which two things were created, and of a file."""
    prefix = "SnapshotDiffSection."
    return [
        kind(schema, f"{prefix}DiffEntry")(type=2, inodeId=ROOT_ID, numOfDiff=1),
        kind(schema, f"{prefix}DirectoryDiff")(snapshotId=0, createdListSize=2, name=b"", childrenSize=1),
        kind(schema, f"{prefix}CreatedListEntry")(name=b"one"),
        kind(schema, f"{prefix}CreatedListEntry")(name=b"two"),
        kind(schema, f"{prefix}DiffEntry")(type=1, inodeId=ROOT_ID + 50, numOfDiff=1),
        kind(schema, f"{prefix}FileDiff")(snapshotId=0, fileSize=9, name=b"gone"),
    ]


def write(path: Path, schema: Schema, parts: Mapping[str, list[Any]], *, codec: str = "") -> Path:
    """An image of these sections.

    Args:
        path: where to.
        schema: of a release.
        parts: messages by the section's name.
        codec: Hadoop's class that compresses them; empty for none.
    """
    summary: Any = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=(1 << 32) - 67)
    if codec:
        summary.codec = codec
    path.write_bytes(
        image_bytes(summary, {name: b"".join(map(delimited, messages)) for name, messages in parts.items()})
    )
    return path


def _permission(user: int, group: int, mode: int) -> int:
    return user << 40 | group << 16 | mode


def _inode(schema: Schema, number: int, path: str, blocks: tuple[int, ...] | None) -> Any:
    name = path.rpartition("/")[2].encode()
    inode: Any = kind(schema, "INodeSection.INode")(type=2 if blocks is None else 1, id=number, name=name)
    if blocks is None:
        inode.directory.permission = _permission(1, 1, 0o755)
        inode.directory.nsQuota = (1 << 63) - 1 if path == "/" else 100 if path == "/a" else NO_QUOTA
        inode.directory.dsQuota = NO_QUOTA
        return inode
    inode.file.permission = _permission(2 if "big" in path else 1, 2, 0o644)
    inode.file.modificationTime = inode.file.accessTime = NOW
    inode.file.preferredBlockSize, inode.file.replication = 100, 3
    for at, length in enumerate(blocks):
        inode.file.blocks.add(blockId=number * 10 + at, genStamp=1001, numBytes=length)
    if "small" in path:
        inode.file.fileUC.clientName = "c"
    return inode
