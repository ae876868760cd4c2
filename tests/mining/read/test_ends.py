"""Recordings that ended while nodes were at work."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from froude.mining.read.ends import at_work, whole
from froude.mining.read.events import Event, Recording
from froude.mining.read.senders import senders_of
from froude.workload.scale import Scale
from tests.support.mining.events import PROTOCOL, event

DATANODE = PROTOCOL.replace("ClientProtocol", "server.protocol.DatanodeProtocol")
FILE = [(0.0, "create"), (0.1, "addBlock"), (0.2, "complete")]
POLLS = [(at, "getListing") for at in (0.0, 2.0, 4.0)]


def _run(calls: Sequence[tuple[float, str]], until_s: float, scale: int, began_s: float = 0.0) -> Recording:
    """A client's calls, and a DataNode that goes on until the recording ends."""
    other: dict = {"client": "d", "protocol": DATANODE}
    events: list[Event] = [event(0, "sendHeartbeat", start_s=0.0, **other)]
    events += [event(n, m, {"src": "/a"}, start_s=began_s + s) for n, (s, m) in enumerate(calls, 1)]
    events.append(event(len(events), "sendHeartbeat", start_s=until_s, **other))
    return Recording(events, Scale.of(n=scale))


@pytest.mark.parametrize(
    ("calls", "until_s", "goes_on"),
    [
        pytest.param(FILE, 3.8, False, id="it had closed its file, and was silent"),
        pytest.param(FILE[:2], 9.0, True, id="it had a file open"),
        pytest.param(POLLS, 5.9, True, id="it had waited as long before"),
        pytest.param(POLLS, 6.5, False, id="it had never waited as long"),
        pytest.param(
            [*POLLS, *[(4.5 + s, m) for s, m in FILE]], 5.0, False, id="no call followed such a one"
        ),
    ],
)
def test_a_node_is_at_work_where_its_next_call_may_be_still_to_come(
    calls: Sequence[tuple[float, str]], until_s: float, *, goes_on: bool
) -> None:
    """A DataNode always is, and says nothing by it."""
    runs = [_run(calls, until_s, 1)]
    assert [sender.key for sender, _ in at_work(runs, senders_of(runs)[0])] == ["a"] * goes_on


@pytest.mark.parametrize(("until_s", "goes_on"), [(12.4, True), (14.5, False)])
def test_a_master_that_asks_every_second_has_ended_when_it_asks_no_more(
    until_s: float, *, goes_on: bool
) -> None:
    """Whatever pauses there were between its other calls."""
    runs = [_run([(0.0, "mkdirs"), (5.0, "mkdirs"), *((s, "allocate") for s in range(6, 12))], until_s, 1)]
    assert bool(list(at_work(runs, senders_of(runs)[0]))) is goes_on


WHOLE = [_run(FILE * 2, 4.0, 1), _run(FILE, 4.0, 2), _run(FILE, 4.1, 3)]


@pytest.mark.parametrize(
    ("runs", "left", "fatal"),
    [
        pytest.param(WHOLE, 3, [], id="all are whole"),
        pytest.param([*WHOLE, _run(FILE[:2], 0.3, 4)], 3, [False], id="one ended while a file was open"),
        pytest.param([WHOLE[1], _run(FILE[:2], 0.3, 4)], 2, [True], id="one alone is whole"),
        pytest.param([_run(FILE[:2], 0.3, n) for n in range(3)], 3, [], id="all ended so: a service"),
        pytest.param(
            [*(_run([*FILE, (2.0, "mkdirs")], 6.0, n) for n in range(2)), _run(FILE, 1.0, 4)],
            3,
            [False],
            id="one was silent for less than between two calls",
        ),
        pytest.param(
            [_run([*FILE, (2.0, "mkdirs")], end_s, n) for n, end_s in enumerate((2.4, 3.4, 6.0))],
            3,
            [],
            id="no capture went on for long",
        ),
    ],
)
def test_a_run_that_was_cut_short_is_left_out(runs: list[Recording], left: int, fatal: list[bool]) -> None:
    """Where two sizes are left, with fewer nothing is said of another size; what may have been cut is kept."""
    kept, findings = whole(runs)
    assert kept == runs[:left]
    assert [finding.fatal for finding in findings] == fatal
