"""An image as XML, as Hadoop's offline viewer writes it (`hdfs oiv -p XML`), made an image again.

The XML is read as a stream, and each record of it becomes the message that it was made from; so whatever reads images
reads XML as well, and memory holds a record. Names of people and groups get numbers anew. Left out is what Froude does
not look at: the differences of snapshots, tokens, cached paths.

Nothing but elements and text is taken: a document type, and with it every entity of one's own, is refused.

Source: org.apache.hadoop.hdfs.tools.offlineImageViewer.PBImageXmlWriter, of 2.7 and 3.x; XMLUtils.mangleXmlString.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from xml.parsers import expat

from froude.base.errors import InputError
from froude.base.files import create_file, open_regular
from froude.hadoop.fsimage.container import Fields, ImageFile, delimited, kind, open_image, write_image
from froude.messages.schema import Schema

_CHUNK_BYTES = 1 << 20
_TOKEN_BYTES, _TEXT_LENGTH, _DEPTH, _LEAVES = 8 << 20, 1 << 20, 16, 1 << 16
"""The longest tag and text, the deepest element, and the leaves of a folder that are taken at a time."""
_MANGLED = re.compile(r"\\([0-9a-fA-F]{4,6});")
_TYPES = {"FILE": 1, "DIRECTORY": 2, "SYMLINK": 3}
_USER, _GROUP, _ATTRIBUTE, _MASK_BITS = 1, 2, 3, 3
_ATTRIBUTE_BIT = 6
_LETTERS = re.compile(r"(?:[r-][w-][xsS-]){2}[r-][w-][xtT-]\+?")


class _Leaf(NamedTuple):
    """An element with text."""

    above: str
    """The element that it stands in."""
    name: str
    text: str


class _Record(NamedTuple):
    """An element right below a section, with all in it; or what stands in the section itself."""

    section: str
    name: str
    """Empty of a leaf of the section."""
    leaves: list[_Leaf]
    line: int


def looks_like_xml(path: Path) -> bool:
    """Whether a file begins as XML does.

    Raises:
        InputError: it cannot be read.
    """
    with open_regular(path) as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def open_any(path: Path, schema: Schema, folder: Path) -> ImageFile:
    """Open an image, whether it is one or XML of one.

    Args:
        schema: of a release that knows images.
        folder: takes what the XML becomes, which is what is opened then.

    Raises:
        InputError: neither; with the line where XML is damaged.
    """
    if not looks_like_xml(path):
        return open_image(path, schema)
    converted = folder / "converted"
    with create_file(converted) as file:
        _Conversion(path, schema).write(file)
    return open_image(converted, schema)


class _Elements:
    """Takes records out of XML as its bytes arrive."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[str] = []
        self._texts: list[list[str]] = []
        self._length = 0
        self._leaves: list[_Leaf] = []
        self._done: list[_Record] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def records(self) -> Iterator[_Record]:
        """All records, in their order.

        Raises:
            InputError: no XML of an image, or a damaged one.
        """
        at = 0
        with open_regular(self._path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                self._parse(chunk)
                at += len(chunk)
                if at - self._parser.CurrentByteIndex > _TOKEN_BYTES:
                    raise self._damaged("a tag of millions of bytes")
                yield from self._done
                self._done.clear()
        self._parse(b"", last=True)
        yield from self._done

    def _parse(self, chunk: bytes, *, last: bool = False) -> None:
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            raise self._damaged(str(error)) from error

    def _start(self, name: str, _: dict[str, str]) -> None:
        if not self._open and name != "fsimage":
            raise self._damaged(f"<{name}>", allowed="<fsimage>, as hdfs oiv -p XML writes it")
        if len(self._open) == _DEPTH:
            raise self._damaged("elements too deep in each other")
        self._open.append(name)
        self._texts.append([])
        self._length = 0

    def _text(self, text: str) -> None:
        if self._texts:
            self._length += len(text)
            if self._length > _TEXT_LENGTH:
                raise self._damaged("a text of millions of letters")
            self._texts[-1].append(text)

    def _end(self, name: str) -> None:
        self._open.pop()
        text = "".join(self._texts.pop())
        depth = len(self._open)
        if depth < 2:
            return
        if depth > 2 or text.strip() or not self._leaves:
            self._leaves.append(_Leaf(self._open[-1], name, text))
        if depth == 2:
            self._finish(name)
        elif len(self._leaves) > _LEAVES and self._open[2] == "directory":
            first = self._leaves[0]
            self._finish("directory")
            self._leaves.append(first)  # the folder's own id goes with the rest as well

    def _finish(self, name: str) -> None:
        own = self._leaves[0].above == self._open[1]
        line = self._parser.CurrentLineNumber
        self._done.append(_Record(self._open[1], "" if own else name, self._leaves, line))
        self._leaves = []

    def _doctype(self, *_: object) -> None:
        raise self._damaged("a document type", allowed="elements and text alone")

    def _damaged(self, found: str, *, allowed: str | None = None) -> InputError:
        line = self._parser.CurrentLineNumber
        return InputError(
            "is no image as XML, or damaged", file=self._path, place=line, found=found, allowed=allowed
        )


class _Conversion:
    """One XML file made an image."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path, self._schema = path, schema
        self._numbers: dict[tuple[int, str], int] = {}
        self._summary: Fields = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=0)
        self._line = 0

    def write(self, file: BinaryIO) -> None:
        """Write the image.

        Raises:
            InputError: the XML is damaged, or a section twice in it.
        """
        records = _Elements(self._path).records()
        write_image(file, self._summary, _Sections(self._sections(records)))

    def _sections(self, records: Iterator[_Record]) -> Iterator[tuple[str, Iterable[bytes]]]:
        for section, own in groupby(records, key=lambda record: record.section):
            if section == "version":
                leaves = {leaf.name: leaf for record in own for leaf in record.leaves}
                if "layoutVersion" in leaves:
                    self._summary.layoutVersion = self._number(leaves["layoutVersion"].text) & 0xFFFFFFFF
            elif section in _SECTIONS:
                name, convert = _SECTIONS[section]
                yield name, self._checked(convert(self, own))
        yield "STRING_TABLE", map(delimited, self._strings())

    def _checked(self, messages: Iterable[Fields]) -> Iterator[bytes]:
        for message in messages:
            try:
                yield delimited(message)
            except (ValueError, TypeError) as error:
                raise self._error(str(error)) from error

    # --- sections -----------------------------------------------------------------------------------------

    def names(self, records: Iterator[_Record]) -> Iterator[Fields]:
        """NameSection."""
        head: Fields = kind(self._schema, "NameSystemSection")()
        for record in self._each(records):
            for leaf in record.leaves:
                field = _NAME_FIELDS.get(leaf.name)
                if field:
                    self._set(head, field, leaf.text)
        yield head

    def policies(self, records: Iterator[_Record]) -> Iterator[Fields]:
        """ErasureCodingSection."""
        head: Fields = kind(self._schema, "ErasureCodingSection")()
        for record in self._each(records):
            policy = head.policies.add()
            for leaf in record.leaves:
                match leaf.name:
                    case "policyId":
                        self._set(policy, "id", leaf.text)
                    case "cellSize":
                        self._set(policy, "cellSize", leaf.text)
                    case "policyName":
                        policy.name = leaf.text
                    case "codecName":
                        policy.schema.codecName = leaf.text
                    case "dataUnits" | "parityUnits":
                        self._set(policy.schema, leaf.name, leaf.text)
        yield head

    def references(self, records: Iterator[_Record]) -> Iterator[Fields]:
        """INodeReferenceSection."""
        for record in self._each(records):
            message: Fields = kind(self._schema, "INodeReferenceSection.INodeReference")()
            for leaf in record.leaves:
                if leaf.name == "referredId":
                    self._set(message, leaf.name, leaf.text)
            yield message

    def snapshots(self, records: Iterator[_Record]) -> Iterator[Fields]:
        """SnapshotSection."""
        head: Fields = kind(self._schema, "SnapshotSection")(snapshotCounter=0)
        snapshots = []
        for record in self._each(records):
            if record.name == "snapshottableDir":
                head.snapshottableDir.extend(
                    self._number(leaf.text) for leaf in record.leaves if leaf.name == "dir"
                )
            elif record.name == "snapshot" or record.leaves[0].name == "snapshot":
                number = self._number(record.leaves[0].text)
                snapshots.append(kind(self._schema, "SnapshotSection.Snapshot")(snapshotId=number))
            elif record.leaves[0].name == "snapshotCounter":
                self._set(head, "snapshotCounter", record.leaves[0].text)
        head.numSnapshots = len(snapshots)
        yield head
        yield from snapshots

    def folders(self, records: Iterator[_Record]) -> Iterator[Fields]:
        """INodeDirectorySection."""
        entry = kind(self._schema, "INodeDirectorySection.DirEntry")
        for record in self._each(records):
            message: Fields = entry()
            for leaf in record.leaves:
                match leaf.name:
                    case "parent":
                        self._set(message, "parent", leaf.text)
                    case "child" | "inode":
                        message.children.append(self._number(leaf.text))
                    case "refChild" | "inodereference-index":
                        message.refChildren.append(self._number(leaf.text))
            yield message

    def inodes(self, records: Iterator[_Record]) -> Iterator[Fields]:
        """INodeSection; releases before 3.0 do not say how many there are, so they are counted first."""
        head: Fields = kind(self._schema, "INodeSection")()
        first = True
        inode = kind(self._schema, "INodeSection.INode")
        for record in self._each(records):
            if not record.name:
                leaf = record.leaves[0]
                if leaf.name in {"lastInodeId", "numInodes"}:
                    self._set(head, leaf.name, leaf.text)
                continue
            if first:
                head.numInodes = head.numInodes or self._count()
                yield head
                first = False
            message: Fields = inode()
            self._inode(message, record.leaves)
            yield message
        if first:
            yield head

    def _count(self) -> int:
        records = _Elements(self._path).records()
        return sum(record.section == "INodeSection" and bool(record.name) for record in records)

    # --- inodes -------------------------------------------------------------------------------------------

    def _inode(self, message: Fields, leaves: list[_Leaf]) -> None:
        top = {leaf.name: leaf.text for leaf in leaves if leaf.above == "inode"}
        message.type = _TYPES.get(top.get("type", ""), 0) or self._raise("a type of inode", top.get("type"))
        self._set(message, "id", top.get("id", ""))
        message.name = _plain(top.get("name", "")).encode("utf-8", "surrogatepass")
        own = (message.file, message.directory, message.symlink)[message.type - 1]
        fields = (_FILE_FIELDS, _FOLDER_FIELDS, _LINK_FIELDS)[message.type - 1]
        for name, field in fields.items():
            if name in top:
                self._set(own, field, top[name])
        own.permission = self._permission(top.get("permission", ""))
        if message.type == _TYPES["SYMLINK"]:
            return
        for leaf in leaves:
            if leaf.name == "acl":
                own.acl.entries.append(0)
        self._attributes(own, leaves)
        if message.type == _TYPES["FILE"]:
            self._file(own, top, leaves)

    def _file(self, file: Fields, top: dict[str, str], leaves: list[_Leaf]) -> None:
        if "erasureCodingPolicyId" in top:
            file.blockType = int(top.get("blockType", "STRIPED") == "STRIPED")
            file.ClearField("replication")
        if any(leaf.above in {"fileUnderConstruction", "file-under-construction"} for leaf in leaves):
            file.fileUC.clientName = "?"
        block: Fields = None
        for leaf in leaves:
            if leaf.above == "block":
                if leaf.name == "id":
                    block = file.blocks.add()
                field = _BLOCK_FIELDS.get(leaf.name)
                if field and block is not None:
                    self._set(block, field, leaf.text)

    def _attributes(self, own: Fields, leaves: list[_Leaf]) -> None:
        attribute: Fields = None
        for leaf in leaves:
            if leaf.above != "xattr":
                continue
            if leaf.name == "name":
                number = self._numbered(_ATTRIBUTE, leaf.text)
                attribute = own.xAttrs.xAttrs.add(name=number << _ATTRIBUTE_BIT)
            elif leaf.name == "val" and attribute is not None:
                attribute.value = _plain(leaf.text).encode("utf-8", "surrogatepass")
            elif leaf.name == "valHex" and attribute is not None:
                attribute.value = self._hex(leaf.text)

    def _permission(self, text: str) -> int:
        user, _, rest = text.partition(":")
        group, _, mode = rest.rpartition(":")
        bits = int(mode, 8) if re.fullmatch("[0-7]{1,5}", mode) else _letters(mode)
        if bits is None or bits > 0xFFFF:
            self._raise("a permission", text)
        return self._numbered(_USER, user) << 40 | self._numbered(_GROUP, group) << 16 | int(bits or 0)

    # --- names and numbers ----------------------------------------------------------------------------------

    def _numbered(self, what: int, mangled: str) -> int:
        name = _plain(mangled)
        if not name:
            return 0
        number = self._numbers.setdefault((what, name), len(self._numbers) + 1)
        if number > 0xFFFFFF:
            self._raise("names", f"more than {0xFFFFFF}")
        return number

    def _strings(self) -> Iterator[Fields]:
        table = kind(self._schema, "StringTableSection")
        yield table(numEntry=len(self._numbers), maskBits=_MASK_BITS)
        entry = kind(self._schema, "StringTableSection.Entry")
        for (what, name), number in self._numbers.items():
            yield entry(id=what << 32 - _MASK_BITS | number, str=name)

    def _each(self, records: Iterator[_Record]) -> Iterator[_Record]:
        for record in records:
            self._line = record.line
            yield record

    def _number(self, text: str) -> int:
        try:
            return int(text[:24])
        except ValueError as error:
            raise self._error(repr(text[:40]), "a whole number") from error

    def _set(self, message: Fields, field: str, text: str) -> None:
        number = self._number(text)
        try:
            setattr(message, field, number & 0xFFFFFFFFFFFFFFFF if number < 0 else number)
        except ValueError as error:
            raise self._error(f"{field} {text[:40]}", "a number that fits") from error

    def _hex(self, text: str) -> bytes:
        try:
            return bytes.fromhex(text)
        except ValueError as error:
            raise self._error(repr(text[:40]), "hexadecimal digits") from error

    def _raise(self, what: str, found: object) -> Any:
        raise self._error(found, what)

    def _error(self, found: object, allowed: str | None = None) -> InputError:
        return InputError("is damaged", file=self._path, place=self._line, found=found, allowed=allowed)


class _Sections(dict[str, Iterable[bytes]]):
    """Sections of which each is there only once the one before it is written."""

    def __init__(self, sections: Iterator[tuple[str, Iterable[bytes]]]) -> None:
        super().__init__()
        self._sections = sections

    def items(self) -> Any:
        """One after the other."""
        return self._sections


def _plain(text: str) -> str:
    """A text as it was before what XML cannot hold was written in digits."""
    return _MANGLED.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), text) if "\\" in text else text


def _letters(mode: str) -> int | None:
    """A mode as `rwxr-x--t`; None for what is none."""
    if not _LETTERS.fullmatch(mode):
        return None
    bits = 0
    for letter in mode[:9]:
        bits = bits << 1 | (letter not in "-ST")
    return bits | 0o1000 * (mode[8] in "tT")


_NAME_FIELDS = {
    "namespaceId": "namespaceId",
    "genstampV1": "genstampV1",
    "genstampV2": "genstampV2",
    "genstampV1Limit": "genstampV1Limit",
    "lastAllocatedBlockId": "lastAllocatedBlockId",
    "txid": "transactionId",
}
_FILE_FIELDS = {
    "replication": "replication",
    "mtime": "modificationTime",
    "atime": "accessTime",
    "preferredBlockSize": "preferredBlockSize",
    "perferredBlockSize": "preferredBlockSize",  # as 2.x spells it
    "storagePolicyId": "storagePolicyID",
    "erasureCodingPolicyId": "erasureCodingPolicyID",
}
_FOLDER_FIELDS = {"mtime": "modificationTime", "nsquota": "nsQuota", "dsquota": "dsQuota"}
_LINK_FIELDS = {"mtime": "modificationTime", "atime": "accessTime"}
_BLOCK_FIELDS = {"id": "blockId", "genstamp": "genStamp", "numBytes": "numBytes"}
_Converter = Callable[[_Conversion, Iterator[_Record]], Iterator[Fields]]
_SECTIONS: dict[str, tuple[str, _Converter]] = {
    "NameSection": ("NS_INFO", _Conversion.names),
    "ErasureCodingSection": ("ERASURE_CODING", _Conversion.policies),
    "INodeSection": ("INODE", _Conversion.inodes),
    "INodeReferenceSection": ("INODE_REFERENCE", _Conversion.references),
    "SnapshotSection": ("SNAPSHOT", _Conversion.snapshots),
    "INodeDirectorySection": ("INODE_DIR", _Conversion.folders),
}
