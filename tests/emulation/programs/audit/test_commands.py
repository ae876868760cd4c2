"""The table of commands, against the messages of a release."""

from __future__ import annotations

import pytest

from froude.emulation.programs.audit.commands import (
    COMMANDS,
    LEFT_OUT,
    PROTOCOLS,
    Call,
    Who,
    command_of,
    permission_of,
    sources,
)
from froude.emulation.programs.audit.ids import Ids
from froude.emulation.programs.audit.lines import Line
from froude.emulation.settings import LogClientSettings
from froude.messages.schema import Schema

_LINE = Line(1.5, 0, "x", "/a/.snapshot/s1", dst="/a/.snapshot/s2", perm="alice:staff:rwxr-x--T")
_LOGGED = """
open create append truncate concat rename delete mkdirs listStatus getfileinfo contentSummary quotaUsage isFileClosed
listOpenFiles createSymlink setPermission setOwner setTimes setReplication setStoragePolicy unsetStoragePolicy
satisfyStoragePolicy setQuota setSpaceQuota clearQuota clearSpaceQuota checkAccess modifyAclEntries removeAclEntries
removeDefaultAcl removeAcl setAcl getAclStatus setXAttr getXAttrs listXAttrs removeXAttr allowSnapshot disallowSnapshot
createSnapshot renameSnapshot deleteSnapshot listSnapshottableDirectory computeSnapshotDiff ListSnapshot
gcDeletedSnapshot addCacheDirective modifyCacheDirective removeCacheDirective listCacheDirectives addCachePool
modifyCachePool removeCachePool listCachePools setErasureCodingPolicy unsetErasureCodingPolicy getErasureCodingPolicy
getErasureCodingPolicies getErasureCodingCodecs addErasureCodingPolicies removeErasureCodingPolicy
enableErasureCodingPolicy disableErasureCodingPolicy getECTopologyResultForPolicies createEncryptionZone getEZForPath
listEncryptionZones listReencryptionStatus reencryptEncryptionZone metaSave saveNamespace rollEditLog refreshNodes
finalizeUpgrade queryRollingUpgrade startRollingUpgrade finalizeRollingUpgrade setBalancerBandwidth datanodeReport
slowDataNodesReport getDatanodeStorageReport fsck fsckGetBlockLocations safemode_enter safemode_leave safemode_get
safemode_force_exit refreshServiceAcl refreshUserToGroupsMappings refreshSuperUserGroupsConfiguration refreshCallQueue
startNamenodeReconfiguration getNamenodeReconfigurationStatus listNamenodeReconfigurableProperties getDelegationToken
renewDelegationToken cancelDelegationToken getStoragePolicy getPreferredBlockSize checkRestoreFailedStorage
enableRestoreFailedStorage disableRestoreFailedStorage getBlocks getBlockKeys getTransactionID getEditLogManifest
getEditsFromTxid getCurrentEditLogTxid getMostRecentCheckpointTxId errorReport registerSubordinateNamenode
startCheckpoint endCheckpoint isUpgradeFinalized isRollingUpgrade listCorruptFileBlocks monitorHealth transitionToActive
transitionToStandby transitionToObserver
"""


def _call(name: str, requests: Schema) -> Call:
    command = COMMANDS[name]
    line = _LINE._replace(src="[RS-6-3-1024k]") if name == "addErasureCodingPolicies" else _LINE
    if command.steps is None:
        return Call(command.method, command.fields(line, LogClientSettings()), command.protocol)
    first = next(command.steps(_LINE, LogClientSettings(), Who("froude_0", "alice", Ids(requests))))
    assert isinstance(first, Call)
    return first


@pytest.fixture(scope="module")
def requests(schema: Schema) -> Schema:
    """All that clients speak."""
    return schema.subset(PROTOCOLS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_whole_request(name: str, requests: Schema) -> None:
    """Every field is one of the method's, with a value that it takes; none that it needs is missing."""
    call = _call(name, requests)
    assert requests.method(call.protocol, call.method).request(**call.fields).IsInitialized()


def test_what_a_namenode_logs_is_known() -> None:
    """Every command is made again, or left out with a reason."""
    logged = set(_LOGGED.split())
    assert logged == (COMMANDS.keys() - {"rename2"}) | LEFT_OUT.keys()
    assert not COMMANDS.keys() & LEFT_OUT.keys()


@pytest.mark.parametrize(
    ("perm", "bits"),
    [
        ("a:b:rwxr-x---", 0o750),
        ("a:b:rwxrwxrwt", 0o1777),
        ("a:b:rwxrwx--T", 0o1770),
        (None, 0o755),
        ("odd", 0o755),
    ],
)
def test_permissions(perm: str | None, bits: int) -> None:
    """Of nine letters, the sticky bit in the last; a usual one where there are none."""
    assert permission_of(perm) == {"perm": bits}


def test_lists_of_sources() -> None:
    """One path, those of a concat, or none."""
    assert sources("/a, b") == ("/a, b",)
    assert sources("[/a, /b]") == ("/a", "/b")
    assert sources("[/a, b, /c]") == ("/a, b", "/c")
    assert sources(None) == ()


def test_a_concat_is_the_right_way_round() -> None:
    """The log has the sources in `src` and the target in `dst`."""
    line = _LINE._replace(command="concat", src="[/a, /b]", dst="/all")
    command = command_of(line)
    assert command is not None
    assert command.fields(line, LogClientSettings()) == {"trg": "/all", "srcs": ("/a", "/b")}
    assert command.paths(line) == ("/a", "/b", "/all")


@pytest.mark.parametrize(
    ("options", "overwrite", "trash"),
    [
        ("options=[OVERWRITE]", True, False),
        ("options=[OVERWRITE, TO_TRASH]", True, True),
        ("options=[]", False, False),
    ],
)
def test_a_rename_has_its_options(options: str, overwrite: bool, trash: bool) -> None:
    """With options it is the newer call, without the older."""
    line = _LINE._replace(command="rename", options=options)
    command = command_of(line)
    assert command is not None
    assert command.method == "rename2"
    fields = command.fields(line, LogClientSettings())
    assert (fields["overwriteDest"], fields.get("moveToTrash", False)) == (overwrite, trash)
    older = command_of(line._replace(options=None))
    assert older is not None
    assert older.method == "rename"


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("setOwner", {"src": "/a/.snapshot/s1", "username": "alice", "groupname": "staff"}),
        ("createSnapshot", {"snapshotRoot": "/a/.snapshot/s1", "snapshotName": "s2"}),
        ("renameSnapshot", {"snapshotRoot": "/a", "snapshotOldName": "s1", "snapshotNewName": "s2"}),
        ("deleteSnapshot", {"snapshotRoot": "/a", "snapshotName": "s1"}),
        ("computeSnapshotDiff", {"snapshotRoot": "/a", "fromSnapshot": "s1", "toSnapshot": "s2"}),
    ],
)
def test_what_the_log_holds_is_used(name: str, fields: dict[str, str]) -> None:
    """Owners from the permission, names of snapshots from their paths."""
    assert COMMANDS[name].fields(_LINE, LogClientSettings()) == fields


def test_directives_and_pools_are_read_as_they_are_logged() -> None:
    """In braces."""
    text = "{id: 7, path: /hot, replication: 2, pool: p}"
    directive = COMMANDS["addCacheDirective"].fields(_LINE._replace(src=text), LogClientSettings())
    assert directive["info"] == {"path": "/hot", "pool": "p", "replication": 2}
    changed = COMMANDS["modifyCacheDirective"].fields(_LINE._replace(src=text), LogClientSettings())
    assert changed["info"]["id"] == 7
    odd = COMMANDS["addCacheDirective"].fields(
        _LINE._replace(src="{path: /a, b} , pool: {p}, q}"), LogClientSettings()
    )
    assert odd["info"] == {"path": "/a, b} ", "pool": "{p}, q", "replication": 3}
    pool = COMMANDS["addCachePool"].fields(
        _LINE._replace(src="{poolName:p, ownerName:a}"), LogClientSettings()
    )
    assert pool == {"info": {"poolName": "p"}}


def test_a_policy_is_made_of_its_name() -> None:
    """Which holds codec, units and the size of a cell; a codec may have a hyphen."""
    fields = COMMANDS["addErasureCodingPolicies"].fields(
        _LINE._replace(src="[RS-6-3-1024k, RS-LEGACY-4-2-64k]"), LogClientSettings()
    )
    first, second = fields["ecPolicies"]
    assert first["schema"] == {"codecName": "rs", "dataUnits": 6, "parityUnits": 3}
    assert (first["name"], first["cellSize"]) == ("RS-6-3-1024k", 1 << 20)
    assert (second["schema"]["codecName"], second["cellSize"]) == ("rs-legacy", 64 << 10)


def test_open_files_are_listed_from_the_root() -> None:
    """A NameNode refuses an empty path and a list without types, which no client sends."""
    fields = COMMANDS["listOpenFiles"].fields(_LINE._replace(src=None), LogClientSettings())
    assert fields == {"id": 0, "path": "/", "types": ["ALL_OPEN_FILES"]}
