"""Closure against audit logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.trace.importers.audit import CLIENT_PROTOCOL, closure
from froude.trace.types import Fidelity, Trace, TraceMeta
from testbed.recorded import schema
from tests.support.trace.importers.audit import LOG, SCHEMA, TRACE, call, line
from tests.support.trace.making import META, echo


def test_a_run_closes(tmp_path: Path) -> None:
    """Audited calls and lines are the same; unaudited and failed calls leave no line, denied ones do."""
    (tmp_path / "log").write_text(LOG)
    result = closure(TRACE, tmp_path / "log")
    assert result.closed
    assert (result.calls, result.lines, result.matched) == (3, 3, 3)


UNSET, RESET = (1 << 63) - 1, (1 << 64) - 1
AS_LOGGED: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("allowSnapshot", {"snapshotRoot": "/s"}, ("allowSnapshot", "/s")),
    ("disallowSnapshot", {"snapshotRoot": "/q"}, ("disallowSnapshot", "/q")),
    (
        "createSnapshot",
        {"snapshotRoot": "/s"},
        ("createSnapshot", "/s", "/s/.snapshot/s20261122-180617.354"),
    ),
    ("deleteSnapshot", {"snapshotRoot": "/s", "snapshotName": "s2"}, ("deleteSnapshot", "/s/.snapshot/s2")),
    (
        "renameSnapshot",
        {"snapshotRoot": "/s", "snapshotOldName": "s1", "snapshotNewName": "s2"},
        ("renameSnapshot", "/s/.snapshot/s1", "/s/.snapshot/s2"),
    ),
    ("getSnapshottableDirListing", {}, ("listSnapshottableDirectory", "null")),
    (
        "getSnapshotDiffReportListing",
        {"snapshotRoot": "/s", "fromSnapshot": "s1", "toSnapshot": ""},
        ("computeSnapshotDiff", "/s/.snapshot/s1", "/s"),
    ),
    ("setQuota", {"path": "/q", "namespaceQuota": 100, "storagespaceQuota": UNSET}, ("setQuota", "/q")),
    ("setQuota", {"path": "/q", "namespaceQuota": UNSET, "storagespaceQuota": 9}, ("setSpaceQuota", "/q")),
    ("setQuota", {"path": "/q", "namespaceQuota": RESET, "storagespaceQuota": UNSET}, ("clearQuota", "/q")),
    (
        "setQuota",
        {"path": "/q", "namespaceQuota": UNSET, "storagespaceQuota": RESET},
        ("clearSpaceQuota", "/q"),
    ),
    ("setSafeMode", {"action": "SAFEMODE_GET"}, ("safemode_get", "null")),
    ("setSafeMode", {"action": "SAFEMODE_FORCE_EXIT"}, ("safemode_force_exit", "null")),
    ("restoreFailedStorage", {"arg": "check"}, ("checkRestoreFailedStorage", "null")),
    ("restoreFailedStorage", {"arg": "true"}, ("enableRestoreFailedStorage", "null")),
    ("restoreFailedStorage", {"arg": "false"}, ("disableRestoreFailedStorage", "null")),
    ("rollEdits", {}, ("rollEditLog", "null")),
    ("getSlowDatanodeReport", {}, ("slowDataNodesReport", "null")),
    ("setBalancerBandwidth", {"bandwidth": 9}, ("setBalancerBandwidth", "null")),
    ("removeCacheDirective", {"id": 1}, ("removeCacheDirective", "{id: 1}")),
    ("modifyCachePool", {}, ("modifyCachePool", "{poolName: p}", "{poolName:p, ownerName:null}")),
    (
        "enableErasureCodingPolicy",
        {"ecPolicyName": "RS-3-2-1024k"},
        ("enableErasureCodingPolicy", "RS-3-2-1024k"),
    ),
]
"""Method, request, and what a real NameNode of 3.5.0 logged: command, src and dst."""


@pytest.mark.parametrize(("method", "fields", "logged"), AS_LOGGED)
def test_administration_has_names_of_its_own_in_the_log(
    method: str, fields: dict[str, Any], logged: tuple[str, ...], tmp_path: Path
) -> None:
    """It is no operation that passed beside the proxy."""
    messages = schema().method(CLIENT_PROTOCOL, method)
    request = messages.request(**fields).SerializePartialToString()
    trace = Trace(
        META, schema(), [echo(0, "", method=method, protocol=CLIENT_PROTOCOL, request=request, response=b"")]
    )
    (tmp_path / "log").write_text(line(*logged))
    assert closure(trace, tmp_path / "log").matched == 1


def test_a_rolling_upgrade_that_is_not_there_leaves_no_line(tmp_path: Path) -> None:
    """It is asked for all the same, and answered with nothing."""
    messages = schema().method(CLIENT_PROTOCOL, "rollingUpgrade")
    there = messages.response()
    there.rollingUpgradeInfo.startTime = 1  # type: ignore[attr-defined]
    calls = [
        echo(
            at,
            "",
            method="rollingUpgrade",
            protocol=CLIENT_PROTOCOL,
            request=messages.request(action="QUERY").SerializeToString(),
            response=response,
        )
        for at, response in enumerate((b"", there.SerializePartialToString()))
    ]
    (tmp_path / "log").write_text(line("queryRollingUpgrade", "null"))
    result = closure(Trace(META, schema(), calls), tmp_path / "log")
    assert (result.calls, result.matched) == (1, 1)


def test_what_is_left_over_is_listed(tmp_path: Path) -> None:
    """On either side, and lines that are none are counted."""
    (tmp_path / "log").write_text(LOG.replace("/c", "/d") + "nonsense\n\n")
    result = closure(TRACE, tmp_path / "log")
    assert not result.closed
    assert [call.dst for call in result.calls_without_line] == ["/c"]
    assert [line.dst for line in result.lines_without_call] == ["/d"]
    assert result.malformed == 1


def test_a_run_without_an_audited_call_has_an_empty_log(tmp_path: Path) -> None:
    """Then nothing is compared; a log of other lines alone, or of none though there were calls, is refused."""
    (tmp_path / "log").touch()
    idle = Trace(META, SCHEMA, [call(0, "complete", "/c")])
    result = closure(idle, tmp_path / "log")
    assert result.closed is None
    assert (result.calls, result.lines) == (0, 0)
    with pytest.raises(InputError, match="holds no line of an audit log; found nothing"):
        closure(TRACE, tmp_path / "log")
    (tmp_path / "log").write_text("nonsense\n")
    with pytest.raises(
        InputError, match=r"found 1 line left out: not an audit line, first at log:1 \(\'nonsense\'\)"
    ):
        closure(idle, tmp_path / "log")


def test_bad_inputs_are_refused(tmp_path: Path) -> None:
    """No log; a trace that cannot tell paths."""
    with pytest.raises(InputError, match="none: "):
        closure(TRACE, tmp_path / "none")
    blind = Trace(TraceMeta({}, 0.0, "x", fidelity=Fidelity(payload=False)), SCHEMA, [])
    with pytest.raises(InputError, match="no request payloads"):
        closure(blind, tmp_path / "none")
