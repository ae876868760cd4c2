"""Closure: does a Trace hold exactly the calls that the NameNode's own audit log holds?

The audit log is an independent witness. Every call of a Trace that the NameNode audits must have its line and
every line its call; what is left over on either side is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.base.packed import read_lines
from froude.hadoop.audit.lines import AuditLine, audit_lines, without_lines
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
    def closed(self) -> bool | None:
        """Whether nothing is left over; None where there is neither a call nor a line."""
        if not self.calls and not self.lines and not self.malformed:
            return None
        return not self.calls_without_line and not self.lines_without_call and not self.malformed


@dataclass(frozen=True, slots=True)
class _Rule:
    """How the NameNode audits a method."""

    command: str | Callable[[Any], str]
    """As it is logged, or how that follows from the request."""
    src: str | None = None
    """Field of the request that is logged as src; None where src and dst are not compared, since there are none, or
    the NameNode makes them: a snapshot's path, the id of a directive."""
    dst: str | None = None
    when: Callable[[Any], bool] | None = None
    """Whether a request is audited at all."""
    answered: Callable[[Any], bool] | None = None
    """Whether a call that succeeded is audited, by its response."""


def _paths(command: str, *methods: str, src: str = "src") -> dict[str, _Rule]:
    return {method: _Rule(command or method, src) for method in methods}


def _alone(*methods: str) -> dict[str, _Rule]:
    return {method: _Rule(method) for method in methods}


_UNSET, _RESET = (1 << 63) - 1, (1 << 64) - 1
"""HdfsConstants.QUOTA_DONT_SET and QUOTA_RESET, which is -1, in fields without a sign."""


def _quota(request: Any) -> str:
    """Source: FSNamesystem.getQuotaCommand."""
    names, space = request.namespaceQuota, request.storagespaceQuota
    if (names, space) == (_RESET, _UNSET):
        return "clearQuota"
    if (names, space) == (_UNSET, _RESET):
        return "clearSpaceQuota"
    return "setQuota" if space == _UNSET else "setSpaceQuota"


def _enum_name(request: Any, field: str) -> str:
    number = getattr(request, field)
    value = request.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number.get(number)
    return "" if value is None else str(value.name)


def _failed_storage(request: Any) -> str:
    """Source: FSNamesystem.getFailedStorageCommand."""
    what = {"check": "check", "true": "enable"}.get(request.arg, "disable")
    return f"{what}RestoreFailedStorage"


# Source: org.apache.hadoop.hdfs.server.namenode.FSNamesystem, names of its audit events, 3.3.6 to 3.5.0.
_RULES: dict[str, _Rule] = {
    **_paths("", "create", "append", "delete", "mkdirs", "truncate", "setPermission", "setOwner", "setTimes"),
    **_paths(
        "", "setReplication", "isFileClosed", "setStoragePolicy", "unsetStoragePolicy", "modifyAclEntries"
    ),
    **_paths("", "removeAclEntries", "removeDefaultAcl", "removeAcl", "setAcl", "getAclStatus", "setXAttr"),
    **_paths("", "setErasureCodingPolicy", "unsetErasureCodingPolicy", "getErasureCodingPolicy"),
    **_paths("", "getXAttrs", "listXAttrs", "removeXAttr"),
    **_paths("", "satisfyStoragePolicy", "createEncryptionZone", "getEZForPath"),
    **_paths("", "allowSnapshot", "disallowSnapshot", src="snapshotRoot"),
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
    "getSlowDatanodeReport": _Rule("slowDataNodesReport"),
    "rollEdits": _Rule("rollEditLog"),
    **_alone("saveNamespace", "refreshNodes", "metaSave", "listOpenFiles", "getDatanodeStorageReport"),
    **_alone("finalizeUpgrade", "setBalancerBandwidth"),
    "restoreFailedStorage": _Rule(_failed_storage),
    "setSafeMode": _Rule(lambda request: _enum_name(request, "action").lower()),
    "rollingUpgrade": _Rule(
        lambda request: f"{_enum_name(request, 'action').lower()}RollingUpgrade",
        answered=lambda response: bool(response.HasField("rollingUpgradeInfo")),
    ),
    "setQuota": _Rule(_quota, "path"),
    **_alone("createSnapshot", "deleteSnapshot", "renameSnapshot"),
    "getSnapshottableDirListing": _Rule("listSnapshottableDirectory"),
    "getSnapshotListing": _Rule("ListSnapshot", "snapshotRoot"),
    "getSnapshotDiffReport": _Rule("computeSnapshotDiff"),
    "getSnapshotDiffReportListing": _Rule("computeSnapshotDiff"),
    **_alone("addCacheDirective", "modifyCacheDirective", "removeCacheDirective", "listCacheDirectives"),
    **_alone("addCachePool", "modifyCachePool", "removeCachePool", "listCachePools"),
    **_alone("listEncryptionZones", "listReencryptionStatus"),
    "reencryptEncryptionZone": _Rule(
        lambda request: f"{_enum_name(request, 'action').removesuffix('_REENCRYPT')}reencryption", "zone"
    ),
    **_alone("getErasureCodingPolicies", "getErasureCodingCodecs", "getECTopologyResultForPolicies"),
    **_alone("addErasureCodingPolicies", "removeErasureCodingPolicy"),
    **_alone("enableErasureCodingPolicy", "disableErasureCodingPolicy"),
    **_alone("getDelegationToken", "renewDelegationToken", "cancelDelegationToken"),
}
_WITHOUT_PATH = frozenset(
    rule.command for rule in _RULES.values() if rule.src is None and isinstance(rule.command, str)
) | {
    *(f"{what}RestoreFailedStorage" for what in ("check", "enable", "disable")),
    *(f"{what}RollingUpgrade" for what in ("query", "start", "finalize")),
    *(f"safemode_{what}" for what in ("leave", "enter", "get", "force_exit")),
}
"""Commands whose lines are compared without src and dst."""


def closure(trace: Trace, audit_log: Path) -> ClosureResult:
    """Compare a Trace with the audit log of the same run, call by line.

    Args:
        audit_log: of the recorded NameNode, of that run alone.

    Returns:
        What matches, and what is left over on either side.

    Raises:
        InputError: the log cannot be read, the trace has no payloads, or the log has no audit line though it is not
            empty or the trace has calls that it should hold.
    """
    if not trace.meta.fidelity.payload:
        raise InputError("the trace has no request payloads", found="fidelity.payload: false")
    dropped = Dropped()
    texts = read_lines(audit_log, longest=_LONGEST_LINE, dropped=dropped)
    lines = list(audit_lines(texts, audit_log.name, dropped))
    with_context = any(line.caller_context is not None for line in lines)
    called = Counter(expected(trace, with_context=with_context))
    if not lines and (dropped.total or called):
        raise without_lines(audit_log, dropped)
    logged = Counter(_of_line(line, with_context=with_context) for line in lines)
    matched = called & logged
    return ClosureResult(
        called.total(),
        len(lines),
        matched.total(),
        tuple((called - matched).elements()),
        tuple((logged - matched).elements()),
        dropped.total,
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
        if call.status is Status.SUCCESS and rule.answered and not rule.answered(trace.response(call)):
            continue
        context = call.caller_context if with_context else None
        command = rule.command if isinstance(rule.command, str) else rule.command(request)
        yield Audited(call.user or "", command, _field(request, rule.src), _field(request, rule.dst), context)


def _logged(call: Call) -> bool:
    """Whether the NameNode writes a line: for success, and for a denied call; other failures leave none."""
    return call.status is Status.SUCCESS or call.error == _DENIED


def _field(request: Any, name: str | None) -> str | None:
    if name is None:
        return None
    value = getattr(request, name)
    return str(value) if isinstance(value, str) else f"[{', '.join(value)}]"


def _of_line(line: AuditLine, *, with_context: bool) -> Audited:
    src, dst = (None, None) if line.command in _WITHOUT_PATH else (line.src, line.dst)
    context = line.caller_context if with_context else None
    return Audited(line.user, line.command, src, dst, context)
