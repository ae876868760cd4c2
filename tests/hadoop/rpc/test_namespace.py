"""What answers say of the namespace."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.namespace import (
    Namespace,
    namespace_in,
    resourcemanager_id,
    tells_namespace,
    tells_start,
)

PROTOCOL = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"


def test_the_answer_to_a_version_request_names_cluster_and_release(hadoop: Hadoop) -> None:
    """The first call that a DataNode makes."""
    answer: Any = hadoop.schema().method(PROTOCOL, "versionRequest").response()
    answer.info.storageInfo.clusterID, answer.info.softwareVersion = "CID-7", "3.5.0"
    assert tells_namespace("versionRequest")
    assert namespace_in("versionRequest", answer) == Namespace("CID-7", "3.5.0")
    for state, passive in (("ACTIVE", ""), ("STANDBY", "standby"), ("OBSERVER", "observer")):
        field = answer.info.DESCRIPTOR.fields_by_name["state"]
        answer.info.state = field.enum_type.values_by_name[state].number
        assert namespace_in("versionRequest", answer).passive == passive


def test_a_registration_names_the_cluster_only(hadoop: Hadoop) -> None:
    """The release in it is the DataNode's."""
    answer: Any = hadoop.schema().method(PROTOCOL, "registerDatanode").response()
    answer.registration.storageInfo.clusterID, answer.registration.softwareVersion = "CID-7", "3.4.2"
    assert tells_namespace("registerDatanode")
    assert namespace_in("registerDatanode", answer) == Namespace("CID-7", "")


def test_an_answer_of_another_form_says_nothing() -> None:
    """Another daemon may have a method of that name."""
    assert (
        namespace_in("versionRequest", object()) == namespace_in("registerDatanode", object()) == Namespace()
    )
    assert not tells_namespace("sendHeartbeat")


def test_a_resourcemanager_is_its_start_time_and_address() -> None:
    """Every application id has the time."""
    answer = SimpleNamespace(application_id=SimpleNamespace(cluster_timestamp=1_700))
    assert tells_start("getNewApplication")
    assert not tells_start("submitApplication")
    assert resourcemanager_id(answer, "rm:8032") == "1700@rm:8032"
