"""Transactions around an image, out of a NameNode's edits, which Hadoop's own offline edits viewer reads.

Source: org.apache.hadoop.hdfs.tools.offlineEditsViewer (its XML), FSEditLogOp; NNStorage (names of files).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from froude.base.errors import InputError
from froude.base.files import check_regular, read_bounded
from froude.base.scratch import Scratch
from froude.hadoop.cluster.launcher import home_environment, write_home
from froude.hadoop.cluster.program import run_program
from froude.hadoop.release.distribution import Hadoop

_NAME = re.compile(r"edits_(?:(\d{19})-(\d{19})|inprogress_(\d{19}))")
_CREATED = frozenset(("OP_ADD", "OP_CLOSE", "OP_SYMLINK"))
"""Operations whose MTIME is the time at which they were done; OP_TIMES has what a client asked for."""
_PATHS = frozenset(("PATH", "SRC", "DST", "TRG", "SNAPSHOTROOT"))
_SEGMENTS = frozenset(("OP_START_LOG_SEGMENT", "OP_END_LOG_SEGMENT"))
_VIEW_S = 3600.0
_SAID_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of edits."""

    path: Path
    first: int
    last: int | None
    """None for the one that is still written."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One transaction."""

    transaction: int
    code: str
    """Such as `OP_MKDIR`."""
    time_ms: int | None
    """When it was done, milliseconds since 1970; None for those that have no time, such as OP_SET_PERMISSIONS."""
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """What stands before and behind a transaction."""

    last: Operation
    """The last with a time up to the transaction."""
    file: str
    next: Operation | None
    """The first behind the transaction whose time is later than `last`'s."""
    behind: tuple[Operation, ...]
    """Those between: behind the transaction, without a time or with `last`'s."""


def segments(folder: Path) -> list[Segment]:
    """The files of edits in a folder, or in the `current` below it, in their order.

    Raises:
        InputError: there is none.
    """
    current = folder / "current" if (folder / "current").is_dir() else folder
    try:
        names = sorted(path.name for path in current.iterdir())
    except OSError as error:
        raise InputError("cannot be read", file=folder, found=error.strerror) from error
    files = []
    for name in names:
        match = _NAME.fullmatch(name)
        if match is not None:
            last = None if match[2] is None else int(match[2])
            files.append(Segment(current / name, int(match[1] or match[3]), last))
    if not files:
        raise InputError("holds no edits", file=folder, allowed="edits_FIRST-LAST, edits_inprogress_FIRST")
    return sorted(files, key=lambda file: file.first)


def around(folder: Path, transaction: int, hadoop: Hadoop) -> Around:
    """The transactions around one.

    Args:
        folder: a NameNode's or JournalNode's folder of edits.
        transaction: such as an image's last.
        hadoop: whose viewer reads them; a release no older than the one that wrote them.

    Raises:
        InputError: no file covers the transaction, none up to it has a time, or one cannot be read.
        MissingError: no space for what the viewer writes.
    """
    files = segments(folder)
    at = next(
        (
            n
            for n, f in enumerate(files)
            if f.first <= transaction and (f.last is None or transaction <= f.last)
        ),
        None,
    )
    if at is None:
        allowed = ", ".join(f"{f.first} to {f.last if f.last is not None else 'now'}" for f in files[:5])
        raise InputError("has no edits of the transaction", file=folder, found=transaction, allowed=allowed)
    with Scratch("edits") as scratch:
        last: Operation | None = None
        place = at
        for place in range(at, -1, -1):
            for operation in operations(files[place].path, hadoop, scratch):
                if operation.transaction > transaction:
                    break
                last = operation if operation.time_ms is not None else last
            if last is not None:
                break
        if last is None or last.time_ms is None:
            raise InputError(
                "has no transaction with a time up to the image's", file=folder, found=transaction
            )
        behind: list[Operation] = []
        for file in files[at:]:
            for operation in operations(file.path, hadoop, scratch):
                if operation.transaction <= transaction or operation.code in _SEGMENTS:
                    continue
                if operation.time_ms is not None and operation.time_ms > last.time_ms:
                    return Around(last, files[place].path.name, operation, tuple(behind))
                behind.append(operation)
    return Around(last, files[place].path.name, None, tuple(behind))


def operations(path: Path, hadoop: Hadoop, scratch: Path) -> Iterator[Operation]:
    """The transactions of a file of edits, one by one.

    Raises:
        InputError: the viewer cannot read it.
    """
    check_regular(path)
    xml, said = scratch / "edits.xml", scratch / "viewer.log"
    xml.unlink(missing_ok=True)
    home = write_home(scratch / "home", hadoop, {})
    words = [str(home / "bin" / "hdfs"), "oev", "-p", "xml", "-i", str(path.resolve()), "-o", str(xml)]
    code = run_program(words, environment=home_environment(hadoop, home, ""), output=said, timeout_s=_VIEW_S)
    if code or not xml.is_file():
        lines = read_bounded(said, limit_bytes=_SAID_BYTES).decode("utf-8", "replace").strip().splitlines()
        found = next((line for line in lines if "Exception" in line or "rror" in line), f"exit code {code}")
        raise InputError("cannot be read by Hadoop's offline edits viewer", file=path, found=found)
    yield from read_xml(xml, path)


def read_xml(xml: Path, name: Path) -> Iterator[Operation]:
    """The transactions in what the viewer has written.

    Raises:
        InputError: it is not such a file.
    """
    try:
        for _, record in etree.iterparse(
            str(xml), tag="RECORD", resolve_entities=False, huge_tree=True, recover=False
        ):
            yield _operation(record)
            record.clear()
            while record.getprevious() is not None:
                del record.getparent()[0]
    except (etree.XMLSyntaxError, ValueError, OSError) as error:
        raise InputError(
            "is not what the offline edits viewer writes", file=name, found=str(error)
        ) from error


def _operation(record: etree._Element) -> Operation:
    code = record.findtext("OPCODE") or ""
    data = record.find("DATA")
    if data is None:
        raise ValueError(f"{code} without DATA")
    parts = {str(each.tag): each.text or "" for each in data}
    time = parts.get("TIMESTAMP") or (parts.get("MTIME") if code in _CREATED else None)
    paths = tuple(text for name, text in parts.items() if name in _PATHS and text)
    return Operation(int(parts["TXID"]), code, int(time) if time and int(time) > 0 else None, paths)
