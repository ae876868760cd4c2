"""What each section of an image holds, record by record; one reader for all of them, driven by a table.

A section has a head, or none, and then kinds of records, each as many as a field of the head says, or to its end. Only
the differences of snapshots are read otherwise: how many records follow one depends on it.

Source: fsimage.proto; org.apache.hadoop.hdfs.server.namenode.FSImageFormatProtobuf.SectionName, FSImageFormatPBINode,
FSImageFormatPBSnapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.hadoop.fsimage.container import Extent, Fields, ImageFile, kind
from froude.hadoop.fsimage.records import RecordError, Records
from froude.messages.schema import Schema


@dataclass(frozen=True, slots=True)
class Part:
    """Records of one kind."""

    message: str
    """Their class, within fsimage.proto or with its whole name."""
    count: str = ""
    """Field of the head that says how many; empty for all that follow."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a section holds."""

    head: str = ""
    """Class of the first message; empty for none."""
    parts: tuple[Part, ...] = ()


INODES, DIRECTORIES, REFERENCES, DIFFS, STRINGS = (
    "INODE",
    "INODE_DIR",
    "INODE_REFERENCE",
    "SNAPSHOT_DIFF",
    "STRING_TABLE",
)
LAYOUTS = {
    "NS_INFO": Layout("NameSystemSection"),
    "ERASURE_CODING": Layout("ErasureCodingSection"),
    INODES: Layout("INodeSection", (Part("INodeSection.INode", "numInodes"),)),
    DIRECTORIES: Layout("", (Part("INodeDirectorySection.DirEntry"),)),
    "FILES_UNDERCONSTRUCTION": Layout(
        "", (Part("FilesUnderConstructionSection.FileUnderConstructionEntry"),)
    ),
    "SNAPSHOT": Layout("SnapshotSection", (Part("SnapshotSection.Snapshot", "numSnapshots"),)),
    DIFFS: Layout(),
    REFERENCES: Layout("", (Part("INodeReferenceSection.INodeReference"),)),
    "SECRET_MANAGER": Layout(
        "SecretManagerSection",
        (
            Part("SecretManagerSection.DelegationKey", "numKeys"),
            Part("SecretManagerSection.PersistToken", "numTokens"),
        ),
    ),
    "CACHE_MANAGER": Layout(
        "CacheManagerSection",
        (
            Part("hadoop.hdfs.CachePoolInfoProto", "numPools"),
            Part("hadoop.hdfs.CacheDirectiveInfoProto", "numDirectives"),
        ),
    ),
    STRINGS: Layout("StringTableSection", (Part("StringTableSection.Entry", "numEntry"),)),
}
"""By the section's name, in the order in which a NameNode writes them."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the sections of an image as messages."""

    image: ImageFile
    schema: Schema
    """Of a release that knows them; newer ones know the fields of older."""

    def head(self, section: str) -> Fields:
        """The first message of a section; an empty one where the image lacks the section.

        Raises:
            InputError: the section is damaged.
        """
        message = kind(self.schema, LAYOUTS[section].head)
        records = self._records(section)
        data = next(self._checked(section, iter(records)), None)
        return message() if data is None else self._parsed(section, message, data)

    def messages(
        self,
        section: str,
        part: Extent | None = None,
        parsers: Mapping[str, Callable[[bytes], Fields]] | None = None,
    ) -> Iterator[Fields]:
        """The records of a section, in their order, of all its kinds.

        Args:
            section: its name; the differences of snapshots are `differences`.
            part: a part of it alone (`ImageFile.parts`), which has no head: its records are of one kind.
            parsers: what else than a message is made of records, by the names of their classes.

        Raises:
            InputError: the section is damaged, or ends early.
        """
        layout, records = LAYOUTS[section], self._records(section, part)
        data = self._checked(section, iter(records))
        first = part is None or part.offset == self.image.sections[section].offset
        head: Fields = None
        if layout.head and first:
            raw = next(data, None)
            if raw is None:
                return
            head = self._parsed(section, kind(self.schema, layout.head), raw)
        for each in layout.parts:
            parse = (parsers or {}).get(each.message) or kind(self.schema, each.message).FromString
            most = None if part is not None or not each.count else int(getattr(head, each.count))
            count = 0
            try:
                for count, raw in enumerate(islice(data, most), 1):  # noqa: B007 - what it was at the end
                    yield parse(raw)
            except DecodeError as error:
                raise self._damaged(section, f"{each.message.rpartition('.')[2]}: {error}") from error
            if most is not None and count < most:
                raise self._damaged(section, f"{most - count} of its {each.count} are missing")

    def differences(self) -> Iterator[tuple[Fields, Fields, tuple[Fields, ...]]]:
        """What snapshots hold of what was changed since: (entry, its FileDiff or DirectoryDiff, what was created).

        An entry names an inode and says how many follow; a DirectoryDiff is followed by the names created in it.

        Raises:
            InputError: the section is damaged, or ends early.
        """
        prefix = "SnapshotDiffSection."
        entries, files, folders, created = (
            kind(self.schema, prefix + name)
            for name in ("DiffEntry", "FileDiff", "DirectoryDiff", "CreatedListEntry")
        )
        data = self._checked(DIFFS, iter(self._records(DIFFS)))

        def following(message: type[Message]) -> Fields:
            raw = next(data, None)
            if raw is None:
                raise self._damaged(DIFFS, f"a {message.DESCRIPTOR.name} is missing")
            return self._parsed(DIFFS, message, raw)

        for raw in data:
            entry = self._parsed(DIFFS, entries, raw)
            of_file = entry.type == entries.DESCRIPTOR.enum_values_by_name["FILEDIFF"].number
            for _ in range(entry.numOfDiff):
                difference = following(files if of_file else folders)
                names = 0 if of_file else difference.createdListSize
                yield entry, difference, tuple(following(created) for _ in range(names))

    def _records(self, section: str, part: Extent | None = None) -> Records:
        return Records(self.image.pieces(section, part))

    def _checked(self, section: str, records: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from records
        except RecordError as error:
            raise self._damaged(section, str(error)) from error

    def _parsed(self, section: str, message: type[Message], data: bytes) -> Fields:
        try:
            parsed: Fields = message.FromString(data)
        except DecodeError as error:
            raise self._damaged(section, f"{message.DESCRIPTOR.name}: {error}") from error
        if not parsed.IsInitialized():
            raise self._damaged(section, "no " + ", ".join(parsed.FindInitializationErrors()))
        return parsed

    def _damaged(self, section: str, found: str) -> InputError:
        return InputError("is damaged", file=self.image.path, place=f"section {section}", found=found)
