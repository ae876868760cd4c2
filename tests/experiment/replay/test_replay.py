"""An audit log as a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.emulation.programs.audit.lines import Client, Line, read_batches
from froude.experiment.replay.replay import assumptions, left_out, make_ready, replay_plan, short_name
from froude.hadoop.audit.lines import AuditLine, parse_line


def _line(
    at_s: float, user: str, command: str, src: str = "/a", *, ip: str = "/10.0.0.1", context: str = "CLI"
) -> AuditLine:
    message = f"allowed=true\tugi={user}\tip={ip}\tcmd={command}\tsrc={src}\tdst=null\tperm=null\tproto=rpc"
    message += f"\tcallerContext={context}"
    return parse_line(f"2026-12-01 09:00:{at_s:06.3f} INFO x: {message}".replace(".", ",", 1))


def test_clients_are_users_at_addresses(tmp_path: Path) -> None:
    """By short name, and with whoever stood in; times count from the first line."""
    log = [
        _line(1.5, "alice@EXAMPLE.ORG (auth:KERBEROS)", "open"),
        _line(2.0, "alice (auth:PROXY) via oozie/h@EXAMPLE.ORG (auth:KERBEROS)", "open"),
        _line(2.25, "alice/other@EXAMPLE.ORG (auth:KERBEROS)", "fsck"),
        _line(3.0, "alice (auth:SIMPLE)", "delete", ip="/10.0.0.2"),
    ]
    head = make_ready(log, tmp_path / "lines.json")
    assert head.clients == (
        Client("alice", None, "10.0.0.1"),
        Client("alice", "oozie", "10.0.0.1"),
        Client("alice", None, "10.0.0.2"),
    )
    assert head.lines_of == (2, 1, 1)
    assert head.lasts_s == 1.5
    with (tmp_path / "lines.json").open() as file:
        line = next(read_batches(file))[1]
        assert line._replace(locks=()) == Line(0.5, 1, "open", "/a")
    plan = replay_plan(tmp_path / "lines.json", head, datanodes=4, remarks=["It was cut."])
    assert plan.counts == {"datanode": 4, "client": 3}
    assert plan.playable
    said = [refusal.what for refusal in plan.refusals]
    assert said[0] == "It was cut."
    assert "Taken instead, 2 lines of open: range: the first 10 blocks." in said
    assert said[-1] == "Left out, 1 line of fsck: asked by HTTP, not by a call."


def test_clients_behind_a_router(tmp_path: Path) -> None:
    """Are those that the caller context names: one for each address, port and real user."""
    behind = "clientIp:10.0.0.{},clientPort:{},clientId:ab,clientCallId:{}".format
    contexts = [
        behind(7, 1, 1),
        behind(7, 1, 2),
        behind(7, 2, 3),
        behind(8, 1, 4),
        f"{behind(8, 1, 5)},realUser:x",
    ]
    log = [
        _line(number, "alice (auth:PROXY) via router (auth:SIMPLE)", "open", ip="/10.0.0.1", context=context)
        for number, context in enumerate(contexts)
    ]
    head = make_ready(log, tmp_path / "lines.json")
    assert head.lines_of == (2, 1, 1, 1)
    assert [client.ip for client in head.clients] == ["10.0.0.7", "10.0.0.7", "10.0.0.8", "10.0.0.8"]
    assert {client.real_user for client in head.clients} == {"router"}


def test_a_host_with_its_name_is_its_address(tmp_path: Path) -> None:
    """A NameNode of before 3.3 logs the name that it has looked up; the client is the same."""
    head = make_ready(
        [_line(1, "a", "open", ip="nn1.example.com/10.0.0.1"), _line(2, "a", "open")], tmp_path / "lines.json"
    )
    assert head.lines_of == (2,)


def test_what_is_taken_instead_and_left_out(tmp_path: Path) -> None:
    """By command; what the log holds whole is in neither."""
    head = make_ready(
        [_line(1, "a", "getfileinfo"), _line(2, "a", "setTimes"), _line(3, "a", "waltz")],
        tmp_path / "lines.json",
    )
    assert assumptions(head) == {"setTimes: times: the line's own, counted from the first": 1}
    assert left_out(head) == {"waltz: no command that is known": 1}


@pytest.mark.parametrize("command", ["setAcl", "modifyAclEntries"])
def test_refusals_that_follow_from_other_acls(command: str, tmp_path: Path) -> None:
    """What is taken instead says what may come of it."""
    head = make_ready([_line(1, "a", command)], tmp_path / "l")
    (said,) = assumptions(head)
    assert said.endswith("; later calls that rested on the log's own entries may be refused")


def test_a_log_without_lines_or_times_is_refused(tmp_path: Path) -> None:
    """There is nothing to replay, or nobody knows when."""
    with pytest.raises(InputError, match="no line to replay"):
        make_ready([], tmp_path / "lines.json")
    with pytest.raises(InputError, match="without a time"):
        make_ready([parse_line("allowed=true\tugi=a\tcmd=open\tsrc=/a")], tmp_path / "lines.json")


def test_short_names() -> None:
    """As Hadoop's default rules make them."""
    assert [short_name(name) for name in ("a", "a@R", "a/h@R")] == ["a", "a", "a"]
