"""Requests of a node that follows a type, made and remembered without a play."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.seeds import Seeds
from froude.emulation.notes import LEFT_OUT, UNRESOLVED
from froude.emulation.programs.context import NodeContext, Place
from froude.emulation.programs.events import Instruction, Note
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import populate
from froude.emulation.programs.requests import Requests
from froude.emulation.programs.scripted import ScriptedNode
from froude.emulation.programs.scripted_family import ScriptedFamily
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.workload.types import Constant, Flow, Side
from testbed.plans import call_template, plan

FIRST = call_template(
    "first", "mkdirs", {"src": Constant("/a"), "masked.perm": Constant(511), "createParent": Constant(True)}
)


def made(hadoop: Hadoop) -> tuple[Requests, NodeContext, ScriptedFamily]:
    """The requests of one client, before its first call."""
    settings = PlaySettings({"": Target("namenode", "nn:1", "CID-1")})
    population = populate(
        plan(datanodes=2, clients=2, files=1), hadoop.schema(), seeds=Seeds(1), settings=settings
    )
    family = population.families["client"]
    assert isinstance(family, ScriptedFamily)
    node = ScriptedNode(family, 0)
    return Requests(family, node.id), NodeContext(node, Place({}, ())), family


def test_an_argument_that_is_promised_is_sent_once(hadoop: Hadoop) -> None:
    """What others were told that a call will name, it names; the next such call follows the rules again."""
    requests, context, family = made(hadoop)
    out: list[Instruction] = []
    requests.promise(FIRST, "src", "/promised")
    said: list[Any] = []
    for _ in range(2):
        body = requests.body(FIRST, context, out)
        assert body is not None
        said.append(family.population.schema.decode_request(FIRST.protocol, FIRST.method, body))
    assert [request.src for request in said] == ["/promised", "/a"]
    assert not out


@pytest.mark.parametrize("sent", [True, False])
def test_a_request_without_a_required_field_is_left_out_where_it_is_to_be_sent(
    hadoop: Hadoop, sent: bool
) -> None:
    """A value that a failed call should have given is missing: this is noted, and the call is not made."""
    requests, context, _ = made(hadoop)
    flow = Flow("create", Side.RESPONSE, "fs.fileId")
    call = call_template(
        "second", "mkdirs", {"src": flow, "masked.perm": Constant(511), "createParent": Constant(True)}
    )
    out: list[Instruction] = []
    message = requests.message(call, context, out) if sent else requests.unsent(call, context, out)
    texts = [each.what for each in out if isinstance(each, Note)]
    assert f"{UNRESOLVED}client.second src" in texts
    assert (message is None) == (f"{LEFT_OUT}client.second mkdirs" in texts) == sent
