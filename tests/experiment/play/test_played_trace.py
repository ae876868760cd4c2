"""The calls that a player wrote down, as a Trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.channel import PlayedCall
from froude.emulation.engine import PlayJob, PlayOutcome
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import populate
from froude.emulation.recorder import Spool, spool_of
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally
from froude.emulation.settings import Connections, DatanodeSettings, Record
from froude.experiment.play.played_trace import trace_of
from froude.hadoop.rpc.target import Target
from froude.trace.redact import Redactor
from froude.trace.types import Fidelity, Status, Trace
from testbed.plans import CLIENT, plan
from testbed.recorded import schema

BEGUN_S = 1000.0
NAMENODE = Target("namenode", "127.0.0.1:8020", "CID-played")
SETTINGS = PlaySettings(
    {"": NAMENODE}, Connections(user="alice"), programs={"datanode": DatanodeSettings(per_address=1)}
)
RUN = Run(Tally(), "127.0.0.1:8020", "CID-played", 1.7e9, 2.0)


def played(
    number: int, sent_s: float, answered_s: float | None = None, error: str | None = None
) -> PlayedCall:
    """A client's `renewLease`, answered or not.

    Args:
        number: of the client.
        sent_s: by the player's clock.
        answered_s: None when no answer came.
        error: class of the error answered.
    """
    request = schema().method(CLIENT, "renewLease").request(clientName=f"c{number}").SerializeToString()
    response = b"" if answered_s is not None and error is None else None
    message = None if error is None else "why"
    return PlayedCall(
        NodeId("client", number), 4, 17, 2, "namenode", CLIENT, "renewLease", sent_s - 1, sent_s, answered_s,
        request, response, error, message,
    )  # fmt: skip


def traced(folder: Path, *calls: PlayedCall, record: Record = Record.FULL) -> Trace:
    """What a player that wrote these calls down, in this order, has played."""
    job = PlayJob(plan(datanodes=2, clients=2), schema(), SETTINGS, 5, record=record)
    with (folder / "spool").open("wb") as file:
        spool = Spool(file, Record.FULL, Seeds(5), Redactor(schema(), bytes(32)))
        for call in calls:
            spool.call(call)
    return trace_of(folder / "spool", RUN, PlayOutcome(Tally(), 0.0, 0.0, 0.0, [], begun_s=BEGUN_S), job)


def test_calls_in_order_of_their_start(tmp_path: Path) -> None:
    """A spool is in the order of the answers; times count from the beginning of the play."""
    trace = traced(
        tmp_path, played(1, 1000.5, 1000.75), played(0, 1000.25, 1001.0), played(0, 1000.0, 1003.0)
    )
    assert [(call.start_s, call.duration_s) for call in trace.calls] == [
        (0.0, 3.0),
        (0.25, 0.75),
        (0.5, 0.25),
    ]


def test_calls_of_several_players(tmp_path: Path) -> None:
    """One Trace, in order of their start; connections of different players are different; one that was lost has none."""
    job = PlayJob(plan(datanodes=2, clients=2), schema(), SETTINGS, 5, record=Record.FULL, players=2)
    for player, calls in enumerate(
        ([played(0, 1000.0, 1001.0), played(0, 1002.0, 1003.0)], [played(1, 1000.5, 1001.0)])
    ):
        with spool_of(tmp_path / "spool", player).open("wb") as file:
            spool = Spool(file, Record.FULL, Seeds(5), Redactor(schema(), bytes(32)))
            for call in calls:
                spool.call(call)
    outcome = PlayOutcome(Tally(), 0.0, 0.0, 0.0, [], begun_s=BEGUN_S, players=3)
    trace = trace_of(tmp_path / "spool", RUN, outcome, job)
    assert [(call.start_s, call.connection) for call in trace.calls] == [(0.0, 12), (0.5, 13), (2.0, 12)]


def test_a_call_as_a_capture_would_show_it(tmp_path: Path) -> None:
    """Who calls whom, by what id, over which connection, how often sent again, with both messages."""
    (call,) = traced(tmp_path, played(1, 1000.5, 1000.75)).calls
    population = populate(plan(datanodes=2, clients=2), schema(), seeds=Seeds(5), settings=SETTINGS)
    assert call.client_id == population.client_id(NodeId("client", 1))
    assert (call.peer, call.user, call.target) == ("127.0.0.1", "alice", NAMENODE)
    assert (call.connection, call.call_id, call.retry) == (4, 17, 2)
    assert (call.protocol, call.method) == (CLIENT, "renewLease")
    assert (call.status, call.error, call.error_message) == (Status.SUCCESS, None, None)
    request = schema().decode_request(call.protocol, call.method, call.request)
    assert request.clientName == "c1"  # type: ignore[attr-defined]
    assert call.response == b""


def test_nodes_that_have_addresses_call_from_them(tmp_path: Path) -> None:
    """As emulated DataNodes do."""
    datanode = played(1, 1000.0, 1000.5)._replace(node=NodeId("datanode", 1))
    (call,) = traced(tmp_path, datanode).calls
    population = populate(plan(datanodes=2, clients=2), schema(), seeds=Seeds(5), settings=SETTINGS)
    endpoint = population.endpoint(NodeId("datanode", 1), CLIENT, "namenode")
    assert endpoint.source is not None
    assert call.peer == endpoint.source != "127.0.0.1"
    assert call.client_id == population.client_id(NodeId("datanode", 1))


@pytest.mark.parametrize(
    ("answered_s", "error", "status", "shown"),
    [
        (1000.5, None, Status.SUCCESS, (None, None)),
        (1000.5, "java.io.IOException", Status.ERROR, ("java.io.IOException", "why")),
        (None, None, Status.UNANSWERED, (None, None)),
        (None, "connection lost", Status.UNANSWERED, (None, None)),
    ],
)
def test_how_a_call_ended(
    answered_s: float | None,
    error: str | None,
    status: Status,
    shown: tuple[str | None, str | None],
    tmp_path: Path,
) -> None:
    """A call that nobody answered is that, whatever became of its connection."""
    (call,) = traced(tmp_path, played(0, 1000.0, answered_s, error)).calls
    assert (call.status, (call.error, call.error_message)) == (status, shown)
    assert call.duration_s == (None if answered_s is None else 0.5)


def test_what_is_true_of_the_whole(tmp_path: Path) -> None:
    """The scale played, the target's identity, when it began; a player sees all that there is to see."""
    meta = traced(tmp_path).meta
    assert dict(meta.scale) == dict(plan(datanodes=2, clients=2).scale)
    assert (meta.source_id, meta.started_at_s) == ("CID-played", 1.7e9)
    assert meta.fidelity == Fidelity()
    assert meta.loss.total == 0
    assert meta.notes == {}


def test_a_sample_says_that_it_is_one(tmp_path: Path) -> None:
    """Whoever counts its calls must know."""
    assert "one in twenty" in traced(tmp_path, record=Record.SAMPLED).meta.notes["played"]


def test_a_damaged_spool(tmp_path: Path) -> None:
    """One that is none is refused; one that is cut gives the calls before."""
    trace = traced(tmp_path, played(0, 1000.0, 1001.0), played(1, 1000.5, 1001.0))
    spool = tmp_path / "spool"
    job = PlayJob(plan(datanodes=2, clients=2), schema(), SETTINGS, 5, record=Record.FULL)
    outcome = PlayOutcome(Tally(), 0.0, 0.0, 0.0, [], begun_s=BEGUN_S)
    spool.write_bytes(spool.read_bytes()[:-1])
    assert trace_of(spool, RUN, outcome, job).calls == trace.calls[:1]
    spool.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="spool: "):
        trace_of(spool, RUN, outcome, job)
