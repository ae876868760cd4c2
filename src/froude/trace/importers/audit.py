"""Closure: does a Trace hold exactly the calls that the NameNode's own audit log holds?

The audit log is an independent witness. Every call of a Trace that the NameNode audits must have its line and
every line its call; what is left over on either side is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.files import read_lines
from froude.hadoop.audit import AuditLine, parse_line
from froude.trace.types import Call, Status, Trace

CLIENT_PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_DENIED = "org.apache.hadoop.security.AccessControlException"
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Audited:
    """What the log says of a call: what both sides are compared by."""

    user: str
    command: str
    src: str | None
    dst: str | None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class ClosureResult:
    """How a Trace and an audit log agree."""

    calls: int
    """Calls of the Trace that the NameNode audits."""
    lines: int
    """Lines of the log."""
    matched: int
    """Pairs of the two."""
    calls_without_line: tuple[Audited, ...]
    lines_without_call: tuple[Audited, ...]
    malformed: int = 0
    """Lines that are no audit lines."""

    @property
    def closed(self) -> bool:
        """Whether nothing is left over."""
        return not self.calls_without_line and not self.lines_without_call and not self.malformed


@dataclass(frozen=True, slots=True)
class _Rule:
    """How the NameNode audits a method."""

    command: str
    src: str | None = None
    """Field of the request that is logged as src."""
    dst: str | None = None
    when: Callable[[Any], bool] | None = None
    """Whether a request is audited at all."""


def _paths(command: str, *methods: str, src: str = "src") -> dict[str, _Rule]:
    return {method: _Rule(command or method, src) for method in methods}


# Source: org.apache.hadoop.hdfs.server.namenode.FSNamesystem, names of its audit events.
_RULES: dict[str, _Rule] = {
    **_paths("", "create", "append", "delete", "mkdirs", "truncate", "setPermission", "setOwner", "setTimes"),
    **_paths(
        "", "setReplication", "isFileClosed", "setStoragePolicy", "unsetStoragePolicy", "modifyAclEntries"
    ),
    **_paths("", "removeAclEntries", "removeDefaultAcl", "removeAcl", "setAcl", "getAclStatus", "setXAttr"),
    **_paths("", "setErasureCodingPolicy", "unsetErasureCodingPolicy", "getErasureCodingPolicy"),
    **_paths("", "getXAttrs", "listXAttrs", "removeXAttr"),
    **_paths("open", "getBlockLocations"),
    **_paths("getfileinfo", "getFileInfo", "getFileLinkInfo"),
    **_paths("listStatus", "getListing"),
    **_paths("contentSummary", "getContentSummary", src="path"),
    **_paths("quotaUsage", "getQuotaUsage", src="path"),
    **_paths("checkAccess", "checkAccess", src="path"),
    "getLocatedFileInfo": _Rule("open", "src", when=lambda request: bool(request.needBlockToken)),
    "rename": _Rule("rename", "src", "dst"),
    "rename2": _Rule("rename", "src", "dst"),
    "createSymlink": _Rule("createSymlink", "link", "target"),
    "concat": _Rule("concat", "srcs", "trg"),
    "getDatanodeReport": _Rule("datanodeReport"),
    "saveNamespace": _Rule("saveNamespace"),
    "refreshNodes": _Rule("refreshNodes"),
    "metaSave": _Rule("metaSave"),
    "rollEdits": _Rule("rollEditLog"),
    "listOpenFiles": _Rule("listOpenFiles"),
    "getDatanodeStorageReport": _Rule("getDatanodeStorageReport"),
}


def read_audit_log(path: Path, *, zone: tzinfo = UTC) -> Iterator[AuditLine | None]:
    """The lines of a log, one by one; None for one that is no audit line.

    Args:
        path: the log, packed by gzip or not.
        zone: time zone of the machine that wrote it; the lines do not name one.

    Raises:
        InputError: the file cannot be read, or a line is absurdly long.
    """
    for number, line in enumerate(read_lines(path, longest=_LONGEST_LINE), 1):
        if not line.strip():
            continue
        try:
            yield parse_line(line, zone=zone)
        except InputError as error:
            error.file, error.place = str(path), str(number)
            yield None


def closure(trace: Trace, audit_log: Path) -> ClosureResult:
    """Compare a Trace with the audit log of the same run, call by line.

    Args:
        trace: with request payloads.
        audit_log: of the recorded NameNode, of that run alone.

    Returns:
        What matches, and what is left over on either side.

    Raises:
        InputError: the log cannot be read or has no audit line, or the trace has no payloads.
    """
    if not trace.meta.fidelity.payload:
        raise InputError("the trace has no request payloads", found="fidelity.payload: false")
    lines = list(read_audit_log(audit_log))
    good = [line for line in lines if line is not None]
    if not good:
        found = f"{len(lines)} others" if lines else "nothing"
        raise InputError(
            "holds no line of an audit log", file=audit_log, found=found, allowed="allowed=… ugi=… cmd=…"
        )
    with_context = any(line.caller_context is not None for line in good)
    called = Counter(expected(trace, with_context=with_context))
    logged = Counter(_of_line(line, with_context=with_context) for line in good)
    matched = called & logged
    return ClosureResult(
        called.total(),
        len(good),
        matched.total(),
        tuple((called - matched).elements()),
        tuple((logged - matched).elements()),
        len(lines) - len(good),
    )


def expected(trace: Trace, *, with_context: bool = True) -> Iterator[Audited]:
    """What the audit log should say of a trace's calls, in their order.

    Args:
        trace: with payloads, since source and target stand in the requests.
        with_context: whether the log holds caller contexts, too.
    """
    for call in trace.calls:
        rule = _RULES.get(call.method)
        if rule is None or call.protocol != CLIENT_PROTOCOL or not _logged(call):
            continue
        request: Any = trace.request(call)
        if rule.when is not None and not rule.when(request):
            continue
        context = call.caller_context if with_context else None
        yield Audited(
            call.user or "", rule.command, _field(request, rule.src), _field(request, rule.dst), context
        )


def _logged(call: Call) -> bool:
    """Whether the NameNode writes a line: for success, and for a denied call; other failures leave none."""
    return call.status is Status.SUCCESS or call.error == _DENIED


def _field(request: Any, name: str | None) -> str | None:
    if name is None:
        return None
    value = getattr(request, name)
    return str(value) if isinstance(value, str) else f"[{', '.join(value)}]"


def _of_line(line: AuditLine, *, with_context: bool) -> Audited:
    admin = any(rule.src is None and rule.command == line.command for rule in _RULES.values())
    src, dst = (None, None) if admin else (line.src, line.dst)
    context = line.caller_context if with_context else None
    return Audited(line.user, line.command, src, dst, context)
