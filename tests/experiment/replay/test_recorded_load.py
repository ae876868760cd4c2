"""Traces made ready for a replay: who calls, what is left out, how long blocks become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.programs.audit.lines import Line, read_batches
from froude.emulation.programs.audit.recorded import Recorded
from froude.experiment.replay.recorded_load import Ready, make_trace_ready
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
