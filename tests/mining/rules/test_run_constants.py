"""Ids of the only run are no constants."""

from __future__ import annotations

from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.evidence import Column
from froude.mining.rules.run_constants import of_this_run
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.types import Flow, Generated, Rule, Side, Template
from tests.support.mining.events import calls, event

STAMP = Flow("c.c1", Side.RESPONSE, "id")


def column(value: Value) -> Column:
    """An argument that has one value in two calls."""
    call, sender = calls(event(0, "m"))[0], Sender(0, "a", Role("client"), [])
    return Column([Occurrence(0, 0, sender, "c.c2", call, {})] * 2, [value] * 2, "x")


def known(asked: Column) -> Rule | None:
    """One number was answered before."""
    return STAMP if asked.values[0] == 1795219431524 else None


def test_what_is_made_anew_each_time_is_generated() -> None:
    """A client's random name, unless someone said it before."""
    name = "DFSClient_NONMAPREDUCE_-1585_1"
    assert of_this_run(column(name), known) == Generated("dfs-client", {"task": "NONMAPREDUCE", "thread": 1})
    assert of_this_run(column(1795219431524), known) == STAMP


def test_secrets_and_ports_that_are_given_out_are_no_choice() -> None:
    """Digits to base 16 in place of a text, and a high port of a leaf of that name."""
    assert of_this_run(column("8e2c8c71de05ba7c"), known) == Generated("hex", {"digits": 16})
    port = Column(column(40_000).occurrences, [40_000, 40_000], "rpc_port")
    assert of_this_run(port, known) == Generated("port")


def test_a_long_number_within_a_text_comes_from_an_answer() -> None:
    """The other parts are what a person wrote."""
    assert of_this_run(column("/job_1795219431524_0001"), known) == Template(("/job_", STAMP, "_0001"))
    time = Template(("/job_", Generated("epoch-ms"), "_0001"))
    assert of_this_run(column("/job_1795219999999_0001"), known) == time
    assert of_this_run(column("/data/in2"), known) is None
    assert of_this_run(column(5), known) is None
    assert of_this_run(column(Special.ABSENT), known) is None
