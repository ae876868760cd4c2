"""What shows that a server is the target that was admitted, by service."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import FroudeError, GuardError, InputError
from froude.emulation.identification import Identification, not_identified
from froude.emulation.programs.events import Endpoint
from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from testbed.recorded import schema

YARN = "org.apache.hadoop.yarn."
TRACKER = Target("resourcemanager-tracker", "rm:8031", "17@rm:8032")
TRACKER_PROTOCOL = f"{YARN}server.api.ResourceTrackerPB"


@pytest.fixture(name="yarn", scope="module")
def _yarn() -> Schema:
    return schema()


def answer(yarn: Schema, protocol: str, method: str) -> Any:
    """An empty answer."""
    return yarn.method(protocol, method).response()


@pytest.mark.parametrize(
    ("service", "method"),
    [
        ("namenode", "versionRequest"),
        ("", "versionRequest"),
        ("resourcemanager", "getNewApplication"),
        ("resourcemanager-tracker", None),
    ],
)
def test_a_connection_begins_with_the_cheapest_proof_of_its_service(
    yarn: Schema, service: str, method: str | None
) -> None:
    """A call of its own, or the answers to nodes' calls."""
    endpoint = Endpoint("p", target=Target(service, "x:1", "id"))
    question = Identification(yarn).first_call(endpoint)
    assert (question and question.method) == method
    assert Identification(yarn).shows_by_answers(endpoint) is (method is None)


def test_a_scheduler_is_proved_by_the_token(yarn: Schema) -> None:
    """Without a token there is no handshake in which it could prove anything."""
    scheduler = Target("resourcemanager-scheduler", "rm:8030", "17")
    identification = Identification(yarn)
    with_token = Endpoint("p", target=scheduler, token=Token(b"i", b"p"))
    assert identification.first_call(with_token) is None
    assert not identification.shows_by_answers(with_token)
    with pytest.raises(GuardError, match=r"rm:8030: cannot show who it is"):
        identification.first_call(Endpoint("p", target=scheduler))


def test_a_service_without_any_proof_is_refused(yarn: Schema) -> None:
    """Nothing is sent to it."""
    with pytest.raises(GuardError, match="found journalnode"):
        Identification(yarn).first_call(Endpoint("p", target=Target("journalnode", "x:1", "id")))


@pytest.mark.parametrize(("cluster", "right"), [("CID-1", True), ("CID-2", False), ("", False)])
def test_a_namenode_names_its_cluster(yarn: Schema, cluster: str, right: bool) -> None:
    """Another id, or none, is another NameNode."""
    protocol = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
    message = answer(yarn, protocol, "versionRequest")
    info = message.info
    info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "b", 0, "BP", "3.5.0"
    storage = info.storageInfo
    storage.layoutVersion, storage.namespceID, storage.clusterID, storage.cTime = 1, 7, cluster, 0
    target, identification = Target("namenode", "nn:1", "CID-1"), Identification(yarn)
    if right:
        assert identification.shown(target, None, message.SerializeToString())
        return
    with pytest.raises(GuardError, match=r"nn:1:namenode: is another daemon .* allowed: CID-1"):
        identification.shown(target, None, message.SerializeToString())


@pytest.mark.parametrize(
    ("stamp", "shown"), [(17, True), (0, False), (18, GuardError), (-17, GuardError), (170, GuardError)]
)
def test_a_tracker_names_itself_to_a_node_that_registers(
    yarn: Schema, stamp: int, shown: bool | type[FroudeError]
) -> None:
    """A refused node is told nothing; another start time is another ResourceManager, whatever its address."""
    message = answer(yarn, TRACKER_PROTOCOL, "registerNodeManager")
    message.rm_identifier = stamp
    body = message.SerializeToString()
    if isinstance(shown, bool):
        assert Identification(yarn).shown(TRACKER, "registerNodeManager", body) is shown
        return
    with pytest.raises(shown, match=rf"found {stamp}; allowed: 17@rm:8032"):
        Identification(yarn).shown(TRACKER, "registerNodeManager", body)


@pytest.mark.parametrize(("action", "shown"), [(0, True), (1, False), (2, False)])
def test_a_tracker_that_knows_a_node_is_the_one_that_registered_it(
    yarn: Schema, action: int, shown: bool
) -> None:
    """One that asks for another registration, or sends the node away, may be any."""
    message = answer(yarn, TRACKER_PROTOCOL, "nodeHeartbeat")
    message.nodeAction = action
    assert Identification(yarn).shown(TRACKER, "nodeHeartbeat", message.SerializeToString()) is shown
    assert not Identification(yarn).shown(TRACKER, "unRegisterNodeManager", b"")


def test_an_answer_that_cannot_be_read_is_an_error(yarn: Schema) -> None:
    """Not a proof, and not a traceback."""
    with pytest.raises(InputError):
        Identification(yarn).shown(TRACKER, "registerNodeManager", b"\xff\xff\xff")
    assert "nn:1: does not show who it is; found E: no" in str(
        not_identified(Target("namenode", "nn:1", ""), "E", "no")
    )
