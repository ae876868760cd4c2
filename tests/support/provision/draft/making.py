"""Recordings of HDFS clients, made call by call with the messages of a real release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from froude.messages.schema import Schema
from froude.provision.draft.files import CLIENT_PROTOCOL
from froude.trace.types import Call, Fidelity, Status, Trace, TraceMeta

START_S = 1_700_000_000.0
BLOCK = 100


@dataclass
class Recording:
    """What clients do, as the calls that it makes; time goes on by one second a file."""

    schema: Schema
    calls: list[Call] = field(default_factory=list)
    now_s: float = 0.0
    who: dict[str, Any] = field(
        default_factory=lambda: {"user": "alice", "context": None, "sender": b"a" * 16}
    )

    def by(self, user: str = "alice", context: str | None = None, sender: bytes = b"a" * 16) -> Recording:
        """The caller of what follows."""
        self.who = {"user": user, "context": context, "sender": sender}
        return self

    def read(self, path: str, length: int, *, offset: int = 0) -> None:
        """Open a file and read from it."""
        answer = self._answer("getBlockLocations")
        answer.locations.fileLength = length
        answer.locations.underConstruction = answer.locations.isLastBlockComplete = False
        for at in range(0, length, BLOCK):
            block = answer.locations.blocks.add()
            block.b.numBytes = min(BLOCK, length - at)
            for _ in range(3):
                block.locs.add()
        self._call("getBlockLocations", answer, src=path, offset=offset, length=10 * BLOCK)

    def write(self, path: str, length: int, *, complete: bool = True) -> None:
        """Create a file, write it block by block, close it; the NameNode asks for patience once."""
        self._call("create", self._answer("create"), src=path, replication=2)
        previous = None
        for number, at in enumerate(range(0, length, BLOCK)):
            asked: dict[str, Any] = {"src": path}
            if previous is not None:
                asked["previous"] = {"blockId": number - 1, "numBytes": previous}
            self._call("addBlock", self._answer("addBlock"), **asked)
            previous = min(BLOCK, length - at)
        if complete:
            asked = {"src": path}
            if previous is not None:
                asked["last"] = {"blockId": (length - 1) // BLOCK, "numBytes": previous}
            for result in (False, True):
                answer = self._answer("complete")
                answer.result = result
                self._call("complete", answer, **asked)

    def append(self, path: str, before: int, more: int) -> None:
        """Add to the last block of a file that is there."""
        answer = self._answer("append")
        answer.block.b.blockId, answer.block.b.numBytes = 7, before
        self._call("append", answer, src=path)
        done = self._answer("complete")
        done.result = True
        self._call("complete", done, src=path, last={"blockId": 7, "numBytes": before + more})

    def info(self, path: str, length: int) -> None:
        """Ask for a file's status."""
        answer = self._answer("getFileInfo")
        answer.fs.fileType, answer.fs.length = 2, length
        self._call("getFileInfo", answer, src=path)

    def listing(self, folder: str, **lengths: int) -> None:
        """List a folder of files."""
        answer = self._answer("getListing")
        answer.dirList.remainingEntries = 0
        for name, length in lengths.items():
            status = answer.dirList.partialListing.add()
            status.fileType, status.path, status.length = 2, name.encode(), length
        self._call("getListing", answer, src=folder)

    def summary(self, folder: str, length: int) -> None:
        """Ask how much lies below a folder."""
        answer = self._answer("getContentSummary")
        answer.summary.length = length
        self._call("getContentSummary", answer, path=folder)

    def rename(self, source: str, target: str) -> None:
        """Move a file or a folder."""
        answer = self._answer("rename")
        answer.result = True
        self._call("rename", answer, src=source, dst=target)

    def delete(self, path: str) -> None:
        """Delete a file or a folder."""
        answer = self._answer("delete")
        answer.result = True
        self._call("delete", answer, src=path)

    def trace(self, **parts: Any) -> Trace:
        """All of it."""
        meta = TraceMeta({}, START_S, "CID-1", "3.5.0", Fidelity(**parts))
        return Trace(meta, self.schema.subset([CLIENT_PROTOCOL]), self.calls)

    def _answer(self, method: str) -> Any:
        return self.schema.method(CLIENT_PROTOCOL, method).response()

    def _call(self, method: str, answer: Any, **asked: Any) -> None:
        request: Any = self.schema.method(CLIENT_PROTOCOL, method).request(**asked)
        for message in (request, answer):
            _fill(message)
        self.now_s += 1.0
        self.calls.append(
            Call(
                self.now_s,
                0.001,
                1,
                "127.0.0.1",
                self.who["sender"],
                len(self.calls),
                0,
                self.who["user"],
                None,
                self.who["context"],
                CLIENT_PROTOCOL,
                method,
                request.SerializeToString(),
                answer.SerializeToString(),
                Status.SUCCESS,
            )
        )


def _fill(message: Any) -> None:
    """Give required fields that are not set some value, all the way down."""
    for descriptor in message.DESCRIPTOR.fields:
        if descriptor.is_required and not message.HasField(descriptor.name):
            if descriptor.type == FieldDescriptor.TYPE_MESSAGE:
                getattr(message, descriptor.name).SetInParent()
            elif descriptor.type == FieldDescriptor.TYPE_ENUM:
                setattr(message, descriptor.name, descriptor.enum_type.values[0].number)
            else:
                setattr(message, descriptor.name, descriptor.default_value)
    for descriptor, value in message.ListFields():
        if descriptor.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if descriptor.is_repeated else [value]:
                _fill(inner)


def audit_line(
    second: float,
    command: str,
    path: str,
    *,
    user: str = "alice",
    context: str | None = None,
    dst: str = "null",
    allowed: str = "true",
) -> str:
    """A line of an audit log, on one day."""
    whole = int(second)
    clock = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d},{round(second % 1 * 1000):03d}"
    line = (
        f"2026-11-20 {clock} INFO FSNamesystem.audit: allowed={allowed}\tugi={user} (auth:SIMPLE)\tip=/10.0.0.1"
        f"\tcmd={command}\tsrc={path}\tdst={dst}\tperm=null\tproto=rpc"
    )
    return line + (f"\tcallerContext={context}\n" if context else "\n")
