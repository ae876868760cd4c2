"""XML of images, as Hadoop's viewer writes it: the same columns, and one clear error for what is no such XML."""

# ruff: noqa: E501 - lines as the viewer writes them

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.fsimage import oiv
from froude.hadoop.fsimage.namespace import Namespace, read_namespace
from froude.hadoop.fsimage.oiv import open_any
from froude.hadoop.fsimage.sections import Reader
from froude.messages.schema import Schema

NEWER = r"""<?xml version="1.0"?>
<fsimage><version><layoutVersion>-67</layoutVersion><onDiskVersion>1</onDiskVersion></version>
<NameSection><namespaceId>5</namespaceId><genstampV2>1009</genstampV2><txid>70</txid></NameSection>
<ErasureCodingSection>
<erasureCodingPolicy>
<policyId>64</policyId><policyName>own</policyName><cellSize>4096</cellSize><policyState>ENABLED</policyState><ecSchema>
<codecName>rs</codecName><dataUnits>3</dataUnits><parityUnits>2</parityUnits></ecSchema>
</erasureCodingPolicy>

</ErasureCodingSection>

<INodeSection><lastInodeId>16400</lastInodeId><numInodes>5</numInodes><inode><id>16385</id><type>DIRECTORY</type><name></name><mtime>1</mtime><permission>hdfs:ops:0755</permission><nsquota>9223372036854775807</nsquota><dsquota>-1</dsquota></inode>
<inode><id>16386</id><type>DIRECTORY</type><name>ssd &amp; more \0007;</name><mtime>2</mtime><permission>hdfs:ops:1777</permission><xattrs><xattr><ns>SYSTEM</ns><name>hsm.block.storage.policy.id</name><val>\000c;</val></xattr></xattrs><acls><acl>user:bob:rwx</acl><acl>group::r-x</acl></acls><nsquota>7</nsquota><dsquota>-1</dsquota></inode>
<inode><id>16387</id><type>FILE</type><name>plain</name><replication>2</replication><mtime>3</mtime><atime>4</atime><preferredBlockSize>100</preferredBlockSize><permission>bob:users:0640</permission><xattrs><xattr><ns>USER</ns><name>note</name><valHex>ff</valHex></xattr></xattrs><blocks><block><id>11</id><genstamp>1001</genstamp><numBytes>100</numBytes></block>
<block><id>12</id><genstamp>1002</genstamp><numBytes>5</numBytes></block>
</blocks>
<storagePolicyId>10</storagePolicyId><fileUnderConstruction><clientName>c</clientName><clientMachine>m</clientMachine></fileUnderConstruction>
</inode>
<inode><id>16388</id><type>FILE</type><name>coded</name><replication>1</replication><mtime>3</mtime><atime>4</atime><preferredBlockSize>100</preferredBlockSize><permission>bob:users:0640</permission><blocks><block><id>-9223372036854775792</id><genstamp>1003</genstamp><numBytes>9</numBytes></block>
</blocks>
<blockType>STRIPED</blockType><erasureCodingPolicyId>64</erasureCodingPolicyId></inode>
<inode><id>16389</id><type>SYMLINK</type><name>link</name><permission>bob:users:0777</permission><target>/a</target><mtime>5</mtime><atime>6</atime></inode>
</INodeSection>
<INodeReferenceSection><ref><referredId>16388</referredId><name>coded</name><dstSnapshotId>1</dstSnapshotId><lastSnapshotId>0</lastSnapshotId></ref>
</INodeReferenceSection><SnapshotSection><snapshotCounter>1</snapshotCounter><numSnapshots>1</numSnapshots><snapshottableDir><dir>16386</dir></snapshottableDir>
<snapshot><id>0</id><root><id>16386</id><type>DIRECTORY</type><name>s</name><mtime>2</mtime><permission>hdfs:ops:0777</permission></root></snapshot></SnapshotSection>
<INodeDirectorySection><directory><parent>16385</parent><child>16386</child><child>16389</child></directory>
<directory><parent>16386</parent><child>16387</child><refChild>0</refChild></directory>
</INodeDirectorySection>
<FileUnderConstructionSection><inode><id>16387</id><path>/ssd/plain</path></inode>
</FileUnderConstructionSection>
<CacheManagerSection><nextDirectiveId>2</nextDirectiveId><numDirectives>1</numDirectives><numPools>0</numPools><directive><id>1</id><path>/a</path><replication>9</replication><pool>p</pool><expiration><millis>1</millis><relative/></expiration>
</directive>
</CacheManagerSection>
</fsimage>
"""
OLDER = """<?xml version="1.0"?>
<!-- a remark -->
<fsimage><NameSection>
<genstampV1>1000</genstampV1><genstampV2>11100</genstampV2><txid>61740</txid></NameSection>
<INodeSection><lastInodeId>26700</lastInodeId><inode><id>16385</id><type>DIRECTORY</type><name></name><mtime>1</mtime><permission>hdfs:hdfs:rwxr-xr-t</permission><nsquota>9</nsquota><dsquota>-1</dsquota></inode>
<inode><id>16386</id><type>FILE</type><name>foo</name><replication>1</replication><mtime>2</mtime><atime>3</atime><perferredBlockSize>536870912</perferredBlockSize><permission>hdfs:hdfs:rw-r-----</permission><blocks><block><id>1073751825</id><genstamp>11001</genstamp><numBytes>4</numBytes></block>
</blocks>
</inode>
</INodeSection>
<INodeReferenceSection></INodeReferenceSection><SnapshotSection><snapshotCounter>0</snapshotCounter></SnapshotSection>
<INodeDirectorySection><directory><parent>16385</parent><inode>16386</inode></directory>
</INodeDirectorySection>
<FileUnderConstructionSection></FileUnderConstructionSection>
<SnapshotDiffSection><diff><inodeid>16385</inodeid></diff></SnapshotDiffSection>
</fsimage>
"""


def read(text: str | bytes, schema: Schema, folder: Path) -> tuple[Reader, Namespace]:
    """What a file of that text holds."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    path = folder / "i.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    image = open_any(path, schema, folder)
    return Reader(image, schema), read_namespace(image, schema, folder)


def column(namespace: Namespace, name: str) -> list[object]:
    """One column."""
    values: list[object] = namespace.inodes[name].to_pylist()
    return values


def test_newer_releases(schema: Schema, tmp_path: Path) -> None:
    """Every field that is looked at; a directive's replication is no file's."""
    reader, made = read(NEWER, schema, tmp_path / "i")
    assert [made.path(row) for row in range(5)] == [
        "/",
        "/ssd & more \x07",
        "/ssd & more \x07/plain",
        "/ssd & more \x07/coded",
        "/link",
    ]
    assert column(made, "replication") == [0, 0, 2, 0, 0]
    assert column(made, "erasure") == [-1, -1, -1, 64, -1]
    assert column(made, "open") == [False, False, True, False, False]
    assert (column(made, "policy"), column(made, "xattrs")) == ([0, 12, 10, 0, 0], [0, 1, 1, 0, 0])
    assert made.policies().tolist() == [0, 12, 10, 12, 0]
    assert (column(made, "acl"), column(made, "quota")[:2]) == ([0, 2, 0, 0, 0], [(1 << 63) - 1, 7])
    assert column(made, "space_quota") == [-1] * 5
    assert made.blocks.to_pylist() == [
        {"id": 11, "stamp": 1001, "length": 100},
        {"id": 12, "stamp": 1002, "length": 5},
        {"id": (1 << 63) + 16, "stamp": 1003, "length": 9},
    ]
    permissions = made.column("permission").tolist()
    names = [(made.strings.user(each), made.strings.group(each), each & 0xFFFF) for each in permissions]
    assert names[1:3] == [("hdfs", "ops", 0o1777), ("bob", "users", 0o640)]
    head = reader.head("NS_INFO")
    assert (head.transactionId, reader.image.layout_version) == (70, -67)
    assert reader.head("ERASURE_CODING").policies[0].schema.dataUnits == 3
    snapshots = reader.head("SNAPSHOT")
    assert (snapshots.numSnapshots, list(snapshots.snapshottableDir)) == (1, [16386])


def test_older_releases(schema: Schema, tmp_path: Path) -> None:
    """Other tags, letters for modes, no number of inodes."""
    _, made = read(OLDER, schema, tmp_path / "i")
    assert [made.path(row) for row in range(2)] == ["/", "/foo"]
    assert [int(each) & 0xFFFF for each in made.column("permission")] == [0o1755, 0o640]
    assert (column(made, "block_size"), column(made, "length")) == ([0, 536870912], [0, 4])


def test_a_folder_of_many(schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its children are taken some at a time."""
    monkeypatch.setattr(oiv, "_LEAVES", 2)
    _, made = read(NEWER, schema, tmp_path / "i")
    assert np.asarray(made.parents).tolist() == [-1, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<fsimage>", "<other>", "found <other>; allowed: <fsimage>"),
        ("</fsimage>", "", "no element found"),
        ("<numBytes>5", "<numBytes>x", ":18: is damaged; found 'x'; allowed: a whole number"),
        ("<numBytes>5<", f"<numBytes>{'9' * 6000}<", "a number that fits"),
        ("<replication>2", "<replication>-1", r"i\.xml:18: .*found replication -1"),
        ("bob:users:0640", "nobody", "allowed: a permission"),
        ("<type>FILE", "<type>DEVICE", "found DEVICE; allowed: a type of inode"),
        ("<valHex>ff", "<valHex>fff", "hexadecimal digits"),
        ("<numInodes>5", "<numInodes>6", "1 of its numInodes are missing"),
        ("<parent>16386", "<parent>1", "converted:section INODE_DIR: "),
        ("<INodeReferenceSection>", "<INodeSection></INodeSection><INodeReferenceSection>", ""),
        ("?>\n<fsimage>", '?>\n<!DOCTYPE fsimage [<!ENTITY a "b">]>\n<fsimage>', "a document type"),
        ("<mtime>3", "<mtime>&a;3", "undefined entity"),
        ("<name>plain", "<name>" + "<a>" * 20, "too deep"),
    ],
)
def test_what_is_damaged(schema: Schema, tmp_path: Path, old: str, new: str, said: str) -> None:
    """One error with the line; an empty section more is none."""
    assert old in NEWER
    text = NEWER.replace(old, new, 1)
    if said:
        with pytest.raises(InputError, match=said):
            read(text, schema, tmp_path / "i")
    else:
        read(text, schema, tmp_path / "i")


def test_what_never_ends(schema: Schema, tmp_path: Path) -> None:
    """A text or a tag of many megabytes is not gathered."""
    for tail in ("<fsimage><a>" + "x" * (3 << 20), '<fsimage><a b="' + "x" * (12 << 20)):
        with pytest.raises(InputError, match="millions"):
            read(tail, schema, tmp_path / "i")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(at=st.integers(0, len(NEWER) - 1), byte=st.integers(0, 255), cut=st.booleans())
def test_any_damage_is_one_clear_error(
    schema: Schema, tmp_path: Path, at: int, byte: int, *, cut: bool
) -> None:
    """Cut, or with a byte changed; or it reads as other numbers."""
    data = NEWER.encode()
    data = data[:at] if cut else data[:at] + bytes([byte]) + data[at + 1 :]
    try:
        read(data, schema, tmp_path / "i")
    except InputError as error:
        assert error.file is not None
