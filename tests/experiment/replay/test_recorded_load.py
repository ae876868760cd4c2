"""Logs and Traces made ready for a replay: who calls, what is left out, how long blocks become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.programs.audit.lines import Client, Line, read_batches
from froude.emulation.programs.audit.recorded import Recorded
from froude.experiment.replay.recorded_load import (
    Ready,
    assumptions,
    left_out,
    make_ready,
    make_trace_ready,
    replay_plan,
    short_name,
)
from froude.hadoop.audit.lines import AuditLine, parse_line
from froude.trace.audit.cut import Cut
from froude.trace.types import Call, Fidelity, Status, Trace, TraceMeta
from testbed.recorded import recorded, schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


def call(method: str, start_s: float = 0.0, *, lasts_s: float = 0.1, **more: Any) -> Call:
    """One of a client.

    Args:
        method: of ClientProtocol.
        start_s: when.
        lasts_s: until it was answered.
        more: fields of the request (`fields`) and of the response (`answer`), and of `Call`.
    """
    of = schema().method(CLIENT, method)
    request = of.request(**more.pop("fields", {})).SerializePartialToString()
    response = of.response(**more.pop("answer", {})).SerializePartialToString()
    plain = Call(
        start_s, lasts_s, 1, "127.0.0.1", b"one", 0, 0, "alice", None, None, CLIENT, method, request, response,
        Status.SUCCESS,
    )  # fmt: skip
    return replace(plain, **more)


def ready(folder: Path, *calls: Call, cut: Cut | None = None, **meta: Any) -> tuple[Ready, list[Line]]:
    """Calls made ready, and their lines."""
    trace = Trace(TraceMeta({}, 1000.0, "CID-1", **meta), schema(), calls)
    made = make_trace_ready(trace, folder / "lines.json", cut)
    with (folder / "lines.json").open() as file:
        return made, [line for batch in read_batches(file) for line in batch]


look = partial(call, "getFileInfo", fields={"src": "/a"})


def test_a_sender_with_several_calls_in_flight_is_several_nodes(tmp_path: Path) -> None:
    """As many as there were at once; each call by the one that was free last."""
    made, lines = ready(
        tmp_path,
        look(5.0, lasts_s=1.0),
        look(5.5, lasts_s=0.1),
        look(5.7, lasts_s=0.1),
        look(6.5),
        look(6.6, user="bob", real_user="oozie"),
        look(6.7, client_id=b"two"),
    )
    assert [line.client for line in lines] == [0, 1, 1, 0, 2, 3]
    assert [line.at_s for line in lines] == [0.0, 0.5, 0.7, 1.5, 1.6, 1.7]
    assert [(each.user, each.real_user) for each in made.head.clients] == [
        ("alice", None), ("alice", None), ("bob", "oozie"), ("alice", None),
    ]  # fmt: skip
    assert made.head.commands == {}
    assert made.remarks == ()


def _datanode() -> Call:
    return next(each for each in recorded("k3").calls if each.method == "sendHeartbeat")


@pytest.mark.parametrize(
    ("left_out", "why"),
    [
        (_datanode, "they are of DataNodes"),
        (lambda: call("renewDelegationToken"), "they need a token"),
        (lambda: call("setSafeMode", fields={"action": 2}), "end service"),
        (lambda: look(error="org.apache.hadoop.ipc.StandbyException", status=Status.ERROR), "StandbyException"),
        (lambda: replace(look(), target=recorded("k3").calls[0].target._replace(service="datanode")), "a datanode"),
    ],
)  # fmt: skip
def test_what_is_left_out(left_out: Callable[[], Call], why: str, tmp_path: Path) -> None:
    """With the reason, and counted."""
    made, lines = ready(tmp_path, left_out(), look(1.0), call("setSafeMode", 2.0, fields={"action": 3}))
    assert [line.command for line in lines] == ["getFileInfo", "setSafeMode"]
    (remark,) = made.remarks
    assert remark.startswith("Left out, 1 call: ")
    assert why in remark


def test_a_call_that_was_sent_again_is_made_once(tmp_path: Path) -> None:
    """The one that was answered; one that never was is made all the same."""
    lost = look(status=Status.UNANSWERED, duration_s=None, response=None)
    made, lines = ready(tmp_path, lost, look(1.0, retry=1), replace(lost, start_s=2.0, call_id=9))
    assert len(lines) == 2
    assert "not answered, and sent again" in made.remarks[0]


def _block(number: int, stamp: int = 1, length: int = 0) -> dict[str, Any]:
    return {"poolId": "BP", "blockId": number, "generationStamp": stamp, "numBytes": length}


def test_blocks_have_the_lengths_with_which_they_were_closed(tmp_path: Path) -> None:
    """Each is written when it has its place for the last time; one that was given up never is."""
    add = partial(call, "addBlock")
    made, lines = ready(
        tmp_path,
        add(0.0, fields={"src": "/a"}, answer={"block": {"b": _block(7)}}),
        add(1.0, fields={"src": "/a", "previous": _block(7, 1, 50)}, answer={"block": {"b": _block(8)}}),
        call("abandonBlock", 2.0, fields={"src": "/a", "b": _block(8)}),
        add(3.0, fields={"src": "/a", "previous": _block(7, 1, 50)}, answer={"block": {"b": _block(9)}}),
        call("updatePipeline", 4.0, fields={"oldBlock": _block(9), "newBlock": _block(9, 2)}),
        call("complete", 5.0, fields={"src": "/a", "last": _block(9, 2, 20)}),
    )
    lengths = [Recorded(*line.recorded or []).length for line in lines]  # type: ignore[arg-type]
    assert lengths == [50, None, None, None, 20, None]
    assert [line.src for line in lines] == ["/a"] * 6
    assert made.head.lines == 6


def test_paths_of_all_sorts(tmp_path: Path) -> None:
    """By which operations keep their order; what is made stands first."""
    _, lines = ready(
        tmp_path,
        call("rename2", fields={"src": "/a", "dst": "/b"}),
        call("concat", fields={"trg": "/t", "srcs": ["/x", "/y"]}),
        call("createSymlink", fields={"target": "/there", "link": "/here"}),
        call("renewLease", fields={"clientName": "c"}),
    )
    assert [(line.src, line.dst) for line in lines] == [
        ("/a", "/b"), ("[/x, /y]", "/t"), ("/here", "/there"), (None, None),
    ]  # fmt: skip


def test_it_is_cut_at_an_image(tmp_path: Path) -> None:
    """What was answered when the image had it is not made again."""
    cut = Cut(1_001_500_000, "behind the image")
    made, lines = ready(tmp_path, look(1.0), look(1.45), look(2.0), cut=cut)
    assert [Recorded(*line.recorded or []).protocol for line in lines] == [CLIENT] * 2  # type: ignore[arg-type]
    assert made.remarks[0] == "The Trace was cut behind the image."
    with pytest.raises(InputError, match="no call to make again"):
        ready(tmp_path, look(1.0), cut=cut)


def test_what_a_replay_needs(tmp_path: Path) -> None:
    """Requests and answers; a Trace that is a sample says so."""
    with pytest.raises(InputError, match="no requests"):
        ready(tmp_path, look(), fidelity=Fidelity(payload=False))
    made, _ = ready(tmp_path, look(), notes={"played": "one in twenty"})
    assert made.remarks == ("Of the Trace: one in twenty.",)


def test_a_recorded_trace_is_ready_as_a_whole(tmp_path: Path) -> None:
    """Every call of its clients, in order, and the lengths of all files that were written."""
    trace = recorded("k3")
    made = make_trace_ready(trace, tmp_path / "lines.json")
    with (tmp_path / "lines.json").open() as file:
        lines = [line for batch in read_batches(file) for line in batch]
    clients = [each for each in trace.calls if each.protocol == CLIENT]
    assert Counter(line.command for line in lines) == Counter(each.method for each in clients)
    added = [line for line in lines if line.command == "addBlock"]
    assert added
    assert all(Recorded(*line.recorded or []).length for line in added)  # type: ignore[arg-type]
    assert sum("Left out" in remark for remark in made.remarks) >= 1


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
