"""What a client called for each command of an audit log: one table.

A log holds paths, users and the permission of the result, and not every argument (sizes, replication, names of
attributes). What is taken instead stands in the table as `assumes`, and is counted in the run.

Source: org.apache.hadoop.hdfs.server.namenode.FSNamesystem (what it logs), ClientNamenodeProtocol.proto and its
neighbours (what is called).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from froude.emulation.programs.audit.ids import Ids
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.events import Note
from froude.emulation.settings import LogClientSettings

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_SECURITY = "org.apache.hadoop.security"
_RECONFIGURE = "org.apache.hadoop.hdfs.protocol.ReconfigurationProtocol"
_USER_MAPPINGS = f"{_SECURITY}.RefreshUserMappingsProtocol"
_SERVICE_ACL = f"{_SECURITY}.authorize.RefreshAuthorizationPolicyProtocol"
_CALL_QUEUE = "org.apache.hadoop.ipc.RefreshCallQueueProtocol"
_RESTED = "later calls that rested on the log's own entries may be refused"
"""What becomes of ACLs, which a log does not hold."""
PROTOCOLS = (CLIENT, _RECONFIGURE, _USER_MAPPINGS, _SERVICE_ACL, _CALL_QUEUE)
"""All that clients of a log speak."""
_PREFETCH_BLOCKS = 10  # dfs.client.read.prefetch.size, in blocks
_OVERWRITE, _APPEND_NEW_BLOCK = 0x03, 0x24  # CreateFlag: CREATE|OVERWRITE, APPEND|NEW_BLOCK
_LARGE = 1 << 60
_UNSET = (1 << 63) - 1  # HdfsConstants.QUOTA_DONT_SET
_RESET = _NO_TIME = (1 << 64) - 1  # HdfsConstants.QUOTA_RESET; a time that is not set: -1 where Java reads it
_COMPLETE_S = 0.1  # dfs.client.block.write.locateFollowingBlock.initial.delay.ms, first of them


class Call(NamedTuple):
    """A call that is to be made."""

    method: str
    fields: Mapping[str, Any]
    protocol: str = CLIENT
    body: bytes | None = None
    """The request as it is sent, in place of its fields."""


class Pause(NamedTuple):
    """Wait before the next call."""

    seconds: float


class Written(NamedTuple):
    """A client has written a block to its DataNodes."""

    located: Any
    length: int


Step = Call | Pause | Written | Note
Steps = Generator[Step, Any, None]
"""Yields what to do; a call's response message comes back."""


@dataclass(slots=True)
class Who:
    """The client that calls."""

    name: str
    user: str
    ids: Ids
    """What the target has given in place of what a Trace holds."""
    pages: dict[str, bytes] = field(default_factory=dict)
    """By folder, where the next page of its listing begins."""


Fields = Callable[[Line, LogClientSettings], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Command:
    """How one command is made again."""

    method: str = ""
    fields: Fields = lambda line, assumed: {"src": line.src}  # noqa: ARG005
    changes: bool = False
    both: bool = False
    """Whether it is about `dst`, too."""
    creates: bool = False
    """Whether it makes folders above its path that are missing."""
    moves: bool = False
    """Whether something else, or nothing, is at its paths after it."""
    assumes: str = ""
    """What the log does not hold, and what is taken instead."""
    protocol: str = CLIENT
    steps: Callable[[Line, LogClientSettings, Who], Steps] | None = None
    """For one that takes several calls, or looks at its answer; `method` is then not asked."""

    def paths(self, line: Line) -> tuple[str, ...]:
        """The paths that it is about."""
        named = (*sources(line.src), line.dst) if self.both else sources(line.src)
        return tuple(path.rstrip("/") or "/" for path in named if path is not None and path.startswith("/"))


def sources(src: str | None) -> tuple[str, ...]:
    """The paths in `src`: one, or a list in brackets (concat)."""
    if src is None:
        return ()
    if src.startswith("[") and src.endswith("]"):
        return tuple(re.split(r", (?=/)", src[1:-1]))  # a name may have a comma and a blank
    return (src,)


# --- arguments ------------------------------------------------------------------------------------------------


def permission_of(perm: str | None, default: int = 0o755) -> Mapping[str, int]:
    """An FsPermissionProto's fields from `owner:group:rwxr-xr-x`.

    Args:
        perm: as the log has it; None for none.
    """
    letters = (perm or "").rpartition(":")[2]
    if len(letters) < 9:
        return {"perm": default}
    bits = 0
    for letter in letters[:9]:
        bits = bits << 1 | (letter not in "-ST")
    return {"perm": bits | (0o1000 if letters[8] in "tT" else 0)}


def _owner(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    owner, _colon, rest = (line.perm or "").partition(":")
    return {"src": line.src, "username": owner, "groupname": rest.rpartition(":")[0]}


def _rename2(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    options = line.options or ""
    trash = {"moveToTrash": True} if "TO_TRASH" in options else {}
    return {"src": line.src, "dst": line.dst, "overwriteDest": "OVERWRITE" in options, **trash}


def _quota(namespace: int, space: int) -> Fields:
    def fields(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
        return {"path": line.src, "namespaceQuota": namespace, "storagespaceQuota": space}

    return fields


def _acl(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    entry = {"type": "USER", "scope": "ACCESS", "permissions": "PERM_ALL", "name": "froude"}
    return {"src": line.src, "aclSpec": [entry]}


def _whole_acl(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    kinds = {"USER": "PERM_ALL", "GROUP": "READ_EXECUTE", "OTHER": "READ_EXECUTE"}
    return {
        "src": line.src,
        "aclSpec": [{"type": kind, "scope": "ACCESS", "permissions": each} for kind, each in kinds.items()],
    }


def _attribute(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    return {"src": line.src, "xAttr": {"namespace": "USER", "name": "froude"}}


def _set_attribute(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    # 3 is XAttrSetFlag CREATE | REPLACE
    return {"src": line.src, "xAttr": {"namespace": "USER", "name": "froude", "value": b"1"}, "flag": 3}


def _snapshot(path: str | None) -> tuple[str, str]:
    """The folder and the name of a snapshot's path."""
    root, _, name = (path or "").partition("/.snapshot")
    return root or "/", name.strip("/")


def _create_snapshot(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    return {"snapshotRoot": line.src, "snapshotName": _snapshot(line.dst)[1]}


def _rename_snapshot(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    root, old = _snapshot(line.src)
    return {"snapshotRoot": root, "snapshotOldName": old, "snapshotNewName": _snapshot(line.dst)[1]}


def _delete_snapshot(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    root, name = _snapshot(line.src)
    return {"snapshotRoot": root, "snapshotName": name}


def _compare_snapshots(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    root, first = _snapshot(line.src)
    return {"snapshotRoot": root, "fromSnapshot": first, "toSnapshot": _snapshot(line.dst)[1]}


def _braces(text: str | None) -> Mapping[str, str]:
    """`{path: /a, pool: p}` as the log writes directives and pools."""
    inside = (text or "").removeprefix("{").removesuffix("}")
    pairs = (part.partition(":") for part in re.split(r", (?=\w+:)", inside))
    return {name: value.removeprefix(" ") for name, _, value in pairs}


def _directive(line: Line, assumed: LogClientSettings) -> Mapping[str, Any]:
    named = _braces(line.src)
    info: dict[str, Any] = {name: named[name] for name in ("path", "pool") if name in named}
    info["replication"] = int(named.get("replication", assumed.replication))
    return {"info": info, "cacheFlags": 1}


def _changed_directive(line: Line, assumed: LogClientSettings) -> Mapping[str, Any]:
    info = dict(_directive(line, assumed)["info"])
    digits = "".join(filter(str.isdigit, (line.src or "").partition("id:")[2].partition(",")[0]))
    return {"info": {"id": int(digits or 0), **info}, "cacheFlags": 1}


def _pool(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    named = _braces(line.src)
    return {"info": {"poolName": named.get("poolName", line.src)}}


def _removed_directive(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    digits = "".join(filter(str.isdigit, line.src or ""))
    return {"id": int(digits or 0)}


def _policies(line: Line, _: LogClientSettings) -> Mapping[str, Any]:
    """`[RS-6-3-1024k]`: a name holds its policy's schema, but for options of its codec (composePolicyName)."""
    policies = []
    for name in (line.src or "").strip("[]").split(", "):
        codec, data, parity, cell = name.rsplit("-", 3)
        schema = {"codecName": codec.lower(), "dataUnits": int(data), "parityUnits": int(parity)}
        policies.append({"name": name, "schema": schema, "cellSize": int(cell.rstrip("k")) << 10, "id": 0})
    return {"ecPolicies": policies}


def _of(**fixed: Any) -> Fields:
    return lambda line, assumed: fixed  # noqa: ARG005


def _as(name: str, **fixed: Any) -> Fields:
    """`src` under another name."""
    return lambda line, assumed: {name: line.src, **fixed}  # noqa: ARG005


# --- commands of several calls --------------------------------------------------------------------------------


def _create(line: Line, assumed: LogClientSettings, who: Who) -> Steps:
    created = yield Call(
        "create",
        {
            "src": line.src,
            "masked": permission_of(line.perm, 0o644),
            "clientName": who.name,
            "createFlag": _OVERWRITE,
            "createParent": True,
            "replication": assumed.replication,
            "blockSize": assumed.block_size_bytes,
        },
    )
    yield from _write(line, assumed, who, created.fs.fileId)


def _append(line: Line, assumed: LogClientSettings, who: Who) -> Steps:
    fields = {"src": line.src, "clientName": who.name, "flag": _APPEND_NEW_BLOCK}
    appended = yield Call("append", fields)
    yield from _write(line, assumed, who, appended.stat.fileId, previous=appended.block.b)


def _write(line: Line, assumed: LogClientSettings, who: Who, file_id: int, previous: Any = None) -> Steps:
    """Blocks and the end of a file; the calls that no log holds."""
    at = {"src": line.src, "clientName": who.name, "fileId": file_id}
    last = {} if previous is None or not previous.poolId else {"previous": previous}
    left = assumed.file_length_bytes
    for _ in range(assumed.blocks):
        length = min(left, assumed.block_size_bytes)
        located = (yield Call("addBlock", {**at, **last})).block
        yield Written(located, length)
        located.b.numBytes = length
        last, left = {"previous": located.b}, left - length
    ended = {"last": last["previous"]} if last else {}
    pause_s = _COMPLETE_S
    while not (yield Call("complete", {**at, **ended})).result:
        yield Pause(pause_s)
        pause_s *= 2


def _list(line: Line, _: LogClientSettings, who: Who) -> Steps:
    """A page; the next line of the same client for the same folder is the page after it."""
    folder = line.src or ""
    start = who.pages.pop(folder, b"")
    fields = {"src": folder, "startAfter": start, "needLocation": False}
    answer = yield Call("getListing", fields)
    entries = answer.dirList
    if entries.remainingEntries:
        who.pages[folder] = entries.partialListing[-1].path


# --- the table ------------------------------------------------------------------------------------------------

_NOTHING = _of()
COMMANDS: Mapping[str, Command] = {
    # what is read
    "open": Command(
        "getBlockLocations",
        lambda line, assumed: {"src": line.src, "offset": 0, "length": _PREFETCH_BLOCKS * assumed.block_size_bytes},
        assumes="range: the first 10 blocks",
    ),
    "getfileinfo": Command("getFileInfo"),
    "listStatus": Command(steps=_list),
    "contentSummary": Command("getContentSummary", _as("path")),
    "quotaUsage": Command("getQuotaUsage", _as("path")),
    "isFileClosed": Command("isFileClosed"),
    "checkAccess": Command("checkAccess", _as("path", mode="READ"), assumes="mode: read"),
    "listOpenFiles": Command(
        "listOpenFiles", _of(id=0, path="/", types=["ALL_OPEN_FILES"]), assumes="path and types: all"
    ),
    "getStoragePolicy": Command("getStoragePolicy", _as("path")),
    "getPreferredBlockSize": Command("getPreferredBlockSize", _as("filename")),
    "getAclStatus": Command("getAclStatus"),
    "getXAttrs": Command("getXAttrs"),
    "listXAttrs": Command("listXAttrs"),
    "listSnapshottableDirectory": Command("getSnapshottableDirListing", _NOTHING),
    "ListSnapshot": Command("getSnapshotListing", _as("snapshotRoot")),
    "computeSnapshotDiff": Command("getSnapshotDiffReport", _compare_snapshots),
    "listCacheDirectives": Command("listCacheDirectives", _of(prevId=0, filter={})),
    "listCachePools": Command("listCachePools", _of(prevPoolName="")),
    "getErasureCodingPolicy": Command("getErasureCodingPolicy"),
    "getErasureCodingPolicies": Command("getErasureCodingPolicies", _NOTHING),
    "getErasureCodingCodecs": Command("getErasureCodingCodecs", _NOTHING),
    "getECTopologyResultForPolicies": Command("getECTopologyResultForPolicies", _NOTHING),
    "getEZForPath": Command("getEZForPath"),
    "listEncryptionZones": Command("listEncryptionZones", _of(id=0)),
    "listReencryptionStatus": Command("listReencryptionStatus", _of(id=0)),
    # what changes the namespace
    "create": Command(
        changes=True, creates=True, steps=_create,
        assumes="length, replication, block size: as set; an older file is replaced"
    ),
    "append": Command(changes=True, steps=_append, assumes="length: as set, in a new block"),
    "truncate": Command(
        "truncate",
        lambda line, _: {"src": line.src, "newLength": 0, "clientName": "froude"},
        changes=True, assumes="new length: 0",
    ),
    "mkdirs": Command(
        "mkdirs",
        lambda line, _: {"src": line.src, "masked": permission_of(line.perm), "createParent": True},
        changes=True, creates=True,
    ),
    "delete": Command("delete", _as("src", recursive=True), changes=True, moves=True, assumes="recursive: yes"),
    "rename": Command(
        "rename", lambda line, _: {"src": line.src, "dst": line.dst}, changes=True, moves=True, both=True
    ),
    "rename2": Command("rename2", _rename2, changes=True, moves=True, both=True),
    "concat": Command(
        "concat", lambda line, _: {"trg": line.dst, "srcs": sources(line.src)}, changes=True, both=True
    ),
    "createSymlink": Command(
        "createSymlink",
        lambda line, _: {
            "target": line.dst, "link": line.src, "dirPerm": permission_of(line.perm), "createParent": True
        },
        changes=True, creates=True,
    ),
    "setPermission": Command(
        "setPermission", lambda line, _: {"src": line.src, "permission": permission_of(line.perm)}, changes=True
    ),
    "setOwner": Command("setOwner", _owner, changes=True),
    "setTimes": Command(
        "setTimes",
        lambda line, _: {"src": line.src, "mtime": int(line.at_s * 1000), "atime": _NO_TIME},
        changes=True, assumes="times: the line's own, counted from the first",
    ),
    "setReplication": Command(
        "setReplication",
        lambda line, assumed: {"src": line.src, "replication": assumed.replication},
        changes=True, assumes="replication: as set",
    ),
    "setStoragePolicy": Command(
        "setStoragePolicy", _as("src", policyName="HOT"), changes=True, assumes="policy: HOT"
    ),
    "unsetStoragePolicy": Command("unsetStoragePolicy", changes=True),
    "satisfyStoragePolicy": Command("satisfyStoragePolicy", changes=True),
    "setQuota": Command("setQuota", _quota(_LARGE, _UNSET), changes=True, assumes="quota: very large"),
    "setSpaceQuota": Command("setQuota", _quota(_UNSET, _LARGE), changes=True, assumes="quota: very large"),
    "clearQuota": Command("setQuota", _quota(_RESET, _UNSET), changes=True),
    "clearSpaceQuota": Command("setQuota", _quota(_UNSET, _RESET), changes=True),
    "modifyAclEntries": Command(
        "modifyAclEntries", _acl, changes=True, assumes=f"entry: all for user froude; {_RESTED}"
    ),
    "removeAclEntries": Command(
        "removeAclEntries",
        lambda line, _: {
            "src": line.src,
            "aclSpec": [{"type": "USER", "scope": "ACCESS", "permissions": "NONE", "name": "froude"}],
        },
        changes=True, assumes="entry: of user froude",
    ),
    "removeDefaultAcl": Command("removeDefaultAcl", changes=True),
    "removeAcl": Command("removeAcl", changes=True),
    "setAcl": Command("setAcl", _whole_acl, changes=True, assumes=f"entries: rwxr-xr-x; {_RESTED}"),
    "setXAttr": Command("setXAttr", _set_attribute, changes=True, assumes="attribute: user.froude = 1"),
    "removeXAttr": Command("removeXAttr", _attribute, changes=True, assumes="attribute: user.froude"),
    "allowSnapshot": Command("allowSnapshot", _as("snapshotRoot"), changes=True),
    "disallowSnapshot": Command("disallowSnapshot", _as("snapshotRoot"), changes=True),
    "createSnapshot": Command("createSnapshot", _create_snapshot, changes=True),
    "renameSnapshot": Command("renameSnapshot", _rename_snapshot, changes=True, both=True),
    "deleteSnapshot": Command("deleteSnapshot", _delete_snapshot, changes=True),
    "setErasureCodingPolicy": Command(
        "setErasureCodingPolicy", changes=True, assumes="policy: the cluster's default"
    ),
    "unsetErasureCodingPolicy": Command("unsetErasureCodingPolicy", changes=True),
    "createEncryptionZone": Command(
        "createEncryptionZone", _as("src", keyName="froude"), changes=True, assumes="key: froude"
    ),
    # the cache's and the policies' own
    "addCacheDirective": Command("addCacheDirective", _directive, changes=True),
    "modifyCacheDirective": Command("modifyCacheDirective", _changed_directive, changes=True),
    "removeCacheDirective": Command("removeCacheDirective", _removed_directive, changes=True),
    "addCachePool": Command("addCachePool", _pool, changes=True),
    "modifyCachePool": Command("modifyCachePool", _pool, changes=True),
    "removeCachePool": Command(
        "removeCachePool", lambda line, a: {"poolName": _pool(line, a)["info"]["poolName"]}, changes=True
    ),
    "addErasureCodingPolicies": Command("addErasureCodingPolicies", _policies, changes=True),
    "removeErasureCodingPolicy": Command("removeErasureCodingPolicy", _as("ecPolicyName"), changes=True),
    "enableErasureCodingPolicy": Command("enableErasureCodingPolicy", _as("ecPolicyName"), changes=True),
    "disableErasureCodingPolicy": Command("disableErasureCodingPolicy", _as("ecPolicyName"), changes=True),
    # an administrator's
    "metaSave": Command("metaSave", _of(filename="froude-metasave"), assumes="file: froude-metasave"),
    "rollEditLog": Command("rollEdits", _NOTHING),
    "refreshNodes": Command("refreshNodes", _NOTHING),
    "checkRestoreFailedStorage": Command("restoreFailedStorage", _of(arg="check")),
    "enableRestoreFailedStorage": Command("restoreFailedStorage", _of(arg="true")),
    "disableRestoreFailedStorage": Command("restoreFailedStorage", _of(arg="false")),
    "finalizeUpgrade": Command("finalizeUpgrade", _NOTHING),
    "queryRollingUpgrade": Command("rollingUpgrade", _of(action="QUERY")),
    "setBalancerBandwidth": Command(
        "setBalancerBandwidth", _of(bandwidth=10 << 20), assumes="bandwidth: 10 MiB/s"
    ),
    "datanodeReport": Command("getDatanodeReport", _of(type="ALL"), assumes="type: all"),
    "slowDataNodesReport": Command("getSlowDatanodeReport", _NOTHING),
    "getDatanodeStorageReport": Command("getDatanodeStorageReport", _of(type="ALL"), assumes="type: all"),
    "safemode_get": Command("setSafeMode", _of(action="SAFEMODE_GET")),
    "getDelegationToken": Command("getDelegationToken", _of(renewer="froude"), assumes="renewer: froude"),
    "refreshServiceAcl": Command("refreshServiceAcl", _NOTHING, protocol=_SERVICE_ACL),
    "refreshUserToGroupsMappings": Command("refreshUserToGroupsMappings", _NOTHING, protocol=_USER_MAPPINGS),
    "refreshSuperUserGroupsConfiguration": Command(
        "refreshSuperUserGroupsConfiguration", _NOTHING, protocol=_USER_MAPPINGS
    ),
    "refreshCallQueue": Command("refreshCallQueue", _NOTHING, protocol=_CALL_QUEUE),
    "startNamenodeReconfiguration": Command("startReconfiguration", _NOTHING, protocol=_RECONFIGURE),
    "getNamenodeReconfigurationStatus": Command("getReconfigurationStatus", _NOTHING, protocol=_RECONFIGURE),
    "listNamenodeReconfigurableProperties": Command(
        "listReconfigurableProperties", _NOTHING, protocol=_RECONFIGURE
    ),
}  # fmt: skip
"""By the command's name in the log; `rename2` is a rename with options."""

LEFT_OUT: Mapping[str, str] = {
    "fsck": "asked by HTTP, not by a call",
    "fsckGetBlockLocations": "asked by HTTP, not by a call",
    "renewDelegationToken": "needs a token, which no log holds",
    "cancelDelegationToken": "needs a token, which no log holds",
    "reencryptEncryptionZone": "needs a key provider",
    "gcDeletedSnapshot": "made by the NameNode itself",
    "safemode_enter": "would end service to every client",
    "saveNamespace": "needs safe mode, which is not entered",
    "safemode_leave": "belongs to one that was entered",
    "safemode_force_exit": "belongs to one that was entered",
    "startRollingUpgrade": "would change how the NameNode keeps its image",
    "finalizeRollingUpgrade": "belongs to one that was started",
    **dict.fromkeys(
        """
        getBlocks getBlockKeys getTransactionID getEditLogManifest getEditsFromTxid getCurrentEditLogTxid
        getMostRecentCheckpointTxId errorReport registerSubordinateNamenode startCheckpoint endCheckpoint
        isUpgradeFinalized isRollingUpgrade listCorruptFileBlocks monitorHealth transitionToActive transitionToStandby
        transitionToObserver
        """.split(),  # noqa: SIM905 - a list of so many lines hides what is in it
        "is a daemon's own call, which is logged where it is refused",
    ),
}
"""What is not made again, and why."""


def command_of(line: Line) -> Command | None:
    """How a line is made again; None for one that is not."""
    if line.options is not None and line.command == "rename":
        return COMMANDS["rename2"]
    return COMMANDS.get(line.command)
