"""Tables of calls as Traces."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.input_limits import InputLimits, within_limits
from froude.base.units import Quantity
from froude.hadoop.rpc.target import Target
from froude.mining.check.prediction import predict
from froude.mining.read.events import recording_of
from froude.mining.traces import mine
from froude.trace.diff import diff
from froude.trace.files import read_trace, write_trace
from froude.trace.importers.call_rows import parse_mapping
from froude.trace.importers.calls import Table, import_calls
from froude.trace.types import Fidelity, Status, Trace
from froude.trace.validate import validate_trace
from tests.support.trace.importers.calls import TEXT, store_table


def imported(path: Path, text: str, table: Table | None = None) -> tuple[Trace, list[str]]:
    """A table of this text."""
    path.write_text(text)
    return import_calls(path, table)


def test_rows_become_calls_in_order_of_time(tmp_path: Path) -> None:
    """Each thread is a sender of its own, whose calls are numbered; who was called is kept."""
    trace, remarks = imported(tmp_path / "t.csv", TEXT)
    calls = list(trace.calls)
    assert [(call.start_s, call.method) for call in calls] == [
        (0, "put"),
        (0.2, "stat"),
        (0.5, "put"),
        (1, "get"),
    ]
    assert len({call.client_id for call in calls}) == 3
    assert [call.call_id for call in calls] == [0, 1, 0, 0]
    assert [call.peer for call in calls] == ["a", "a", "a", "b"]
    assert [call.target for call in calls[1:3]] == [Target("Rpc", "s1"), Target("Store", "s2")]
    assert [call.protocol for call in calls[:2]] == ["kv.Store", "Rpc"]
    assert (calls[3].status, calls[3].response, calls[0].user) == (Status.ERROR, None, "u")
    events = recording_of(trace).events
    assert [event.request for event in events] == [{"path": "/x"}, {}, {"path": "/y"}, {"path": "/x"}]
    assert [event.response for event in events] == [{"id": 7}, {"id": 9}, {"id": 8}, None]
    assert (trace.meta.started_at_s, remarks) == (1.0, [])
    assert trace.meta.fidelity == Fidelity(duration=False)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_table_is_mined_and_predicts_a_larger_run(tmp_path: Path, as_json: bool) -> None:
    """Three runs of a store that is not Hadoop's in, and every argument of a fourth at twice the size comes out."""
    traces = []
    for number, sizes in enumerate(
        ({"clients": 2, "keys": 4}, {"clients": 3, "keys": 3}, {"clients": 4, "keys": 5}), 1
    ):
        trace, _ = import_calls(
            store_table(tmp_path / f"{number}.csv", as_json=as_json, **sizes),
            scale={name: Quantity(size) for name, size in sizes.items()},
        )
        write_trace(tmp_path / f"t{number}", trace)
        assert validate_trace(tmp_path / f"t{number}").good
        traces.append(read_trace(tmp_path / f"t{number}"))
    assert not diff(traces[0], traces[1]).same
    assert diff(traces[0], traces[0]).same
    workload = mine(traces)
    held_out, _ = import_calls(
        store_table(tmp_path / "held.csv", clients=8, keys=10),
        scale={"clients": Quantity(8), "keys": Quantity(10)},
    )
    prediction = predict(workload, held_out)
    assert (prediction.sequence_share, prediction.row("all").share) == (1.0, 1.0)
    assert workload.questions == ()


def test_lines_that_are_no_call_are_counted(tmp_path: Path) -> None:
    """By reason with the first of each; fatal only when asked for, for more than a tenth, or where no line is one."""
    text = f"{TEXT}x,a,,,b,,,,\n"
    trace, remarks = imported(tmp_path / "t.csv", text)
    assert (len(trace.calls), trace.meta.loss.undecodable_frames) == (4, 1)
    assert remarks[0].startswith("1 line left out: time is no time, first at t.csv:6")
    assert trace.meta.notes["remark 1"] == remarks[0]
    with pytest.raises(
        InputError, match=r"cannot be read in 2 of 6 lines.*another number of cells, first at t\.csv:7"
    ):
        imported(tmp_path / "t.csv", f"{text}nothing\n")
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=r"t\.csv:line 6, time: "):
        import_calls(tmp_path / "t.csv", Table(strict=True))
    with pytest.raises(InputError, match="holds no calls; found 1 line left out: "):
        imported(tmp_path / "u.csv", "time,sender,method\nx,y,z\n")
    with pytest.raises(InputError, match="holds no calls; found nothing but its header"):
        imported(tmp_path / "u.csv", "time,sender,method\n")


def test_a_table_without_answers_says_so(tmp_path: Path) -> None:
    """And what needs them refuses it."""
    trace, _ = imported(tmp_path / "t.csv", "time,sender,method,request.a,note\n1,a,b,c,d\n")
    assert not trace.meta.fidelity.response
    assert trace.calls[0].response is None
    with pytest.raises(InputError, match="no responses to mine"):
        mine([trace])


def test_secrets_are_replaced(tmp_path: Path) -> None:
    """By the same text each time, so that a token's way can still be followed; a remark says where."""
    text = (
        "time,sender,method,request.auth_token,request.name,response.auth_token\n"
        "1,a,login,,n,123456\n2,a,use,123456,n,\n"
    )
    trace, remarks = imported(tmp_path / "t.csv", text)
    login, use = recording_of(trace).events
    assert login.response is not None
    assert login.response["auth_token"] == use.request["auth_token"] != "123456"
    assert use.request["name"] == "n"
    assert b"123456" not in b"".join((call.request or b"") + (call.response or b"") for call in trace.calls)
    assert any("login response.auth_token" in remark for remark in remarks)


def test_runs_may_share_their_types(tmp_path: Path) -> None:
    """Else a run whose keys are all numbers has other types than one whose keys are not."""
    (tmp_path / "other.csv").write_text("time,sender,method,request.key\n1,a,get,007x\n")
    text = "time,sender,method,request.key\n1,a,get,12\n"
    alone, _ = imported(tmp_path / "t.csv", text)
    shared, _ = import_calls(tmp_path / "t.csv", Table(types_from=(tmp_path / "other.csv",)))
    assert [recording_of(each).events[0].request["key"] for each in (alone, shared)] == [12, "12"]


def test_columns_by_hand_and_unused_ones(tmp_path: Path) -> None:
    """A remark names those that say nothing."""
    table = Table(parse_mapping(["sender=host", "request.path=file"]), unit_ns=10**6)
    trace, remarks = imported(
        tmp_path / "t.csv", "time,host,method,file,odd\n2500,a,b,/x,1\n3500,a,b,/x,1\n", table
    )
    assert trace.calls[1].start_s == 1.0
    assert remarks == ["columns not used: odd"]


def test_odd_names_of_methods(tmp_path: Path) -> None:
    """Two that would be one in protobuf stay two."""
    trace, _ = imported(tmp_path / "t.csv", "time,sender,method\n1,a,get-key\n2,a,get_key\n3,a,1st\n")
    assert [call.method for call in trace.calls] == ["get_key", "get_key_2", "_1st"]
    assert len(recording_of(trace).events) == 3


@pytest.mark.parametrize(
    "line",
    ['"password=hunter2"', '["password", "hunter2"]']
    + [json.dumps({"time": 1, "sender": "a", "method": "b"} | odd) for odd in (
        {"sender": {"token": "hunter2"}}, {"status": "hunter2"}, {"time": "token=hunter2"},
        {"user": "password=hunter2", "status": "error", "error_message": "bad token: hunter2"},
        {"request": {"api-key": "hunter2", "conf": '{"password": "hunter2"}'}},
    )],
)  # fmt: skip
def test_no_remark_and_no_call_holds_a_secret(tmp_path: Path, line: str) -> None:
    """Neither the notes of what was written."""
    good = json.dumps({"time": 1, "sender": "a", "method": "b"})
    trace, remarks = imported(tmp_path / "t.jsonl", f"{good}\n{line}\n")
    write_trace(tmp_path / "t", trace)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "t").rglob("*") if path.is_file())
    shown = f"{remarks}{[trace.request(call) for call in trace.calls]}{list(trace.calls)}"
    assert b"hunter2" not in kept
    assert "unter2" not in shown
    assert remarks


@pytest.mark.parametrize("what", ["request.x", "request", "response", "response.a.b", "user"])
def test_a_column_named_like_a_secret_is_one(tmp_path: Path, what: str) -> None:
    """Whatever it is said to be."""
    table = Table(parse_mapping([f"{what}=auth_token"]))
    trace, _ = imported(tmp_path / "t.csv", "time,sender,method,auth_token\n1,a,b,98765\n", table)
    (call,) = trace.calls
    shown = f"{trace.request(call)}{trace.response(call) if call.response else ''}{call}"
    assert "98765" not in shown


def test_remarks_are_bounded(tmp_path: Path) -> None:
    """The first ten names, and how many more."""
    names = ",".join(f"c{number}" for number in range(9_000))
    _, remarks = imported(tmp_path / "t.csv", f"time,sender,method,{names}\n1,a,b{',1' * 9_000}\n")
    assert remarks == [f"columns not used: {', '.join(f'c{number}' for number in range(10))} and 8,990 more"]


def test_clocks_over_midnight_are_remarked(tmp_path: Path) -> None:
    """Since their order is lost."""
    _, remarks = imported(tmp_path / "t.csv", "time,sender,method\n23:59:59,a,b\n00:00:01,a,c\n")
    assert "at line 3" in remarks[0]


def test_lines_that_are_no_call_are_counted_and_not_kept(tmp_path: Path) -> None:
    """Thousands of them take no memory before they are refused; so are more rows than the limit."""
    file = tmp_path / "t.csv"
    file.write_text("time,sender,method\n1,a,b\n" + ",a,b\n" * 4_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"4,000 lines left out: time is empty, first at t\.csv:3"):
            import_calls(file)
        assert tracemalloc.get_traced_memory()[1] < 3 << 20
    finally:
        tracemalloc.stop()
    file.write_text("time,sender,method\n" + "1,a,b\n" * 3)
    with within_limits(InputLimits(rows=2)), pytest.raises(InputError, match="found 3"):
        import_calls(file)
