"""Who is called: service, address, identity."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import (
    SERVICES,
    UNKNOWN,
    Target,
    answers_for,
    is_hadoops,
    is_loopback,
    parse_address,
    same_daemon,
    service_of,
    target_at,
)


def test_addresses_are_read() -> None:
    """With or without a scheme, IPv6 in brackets."""
    assert parse_address("hdfs://10.0.0.1:8020", place="--target") == ("10.0.0.1", 8020)
    assert parse_address("[::1]:9000", place="--target") == ("::1", 9000)


@pytest.mark.parametrize(
    "text", ["nn", "hdfs://nn", "nn:0", "nn:70000", ":8020", "nn:eight", "nn:٣", "nn:000080"]
)
def test_other_texts_are_refused(text: str) -> None:
    """One clear error names the flag, the text and the form."""
    with pytest.raises(InputError, match=r"--target.*HOST:PORT"):
        parse_address(text, place="--target")


@pytest.mark.parametrize("text", ["h:-1", "h:65536", "h:123456", "h:²", ":0", "h"])
def test_a_free_port_is_asked_for_with_0_and_nothing_else(text: str) -> None:
    """To listen, not to call."""
    assert parse_address("h:0", place="--listen", free_port=True) == ("h", 0)
    with pytest.raises(InputError, match=r"--listen.*port 0 to 65535"):
        parse_address(text, place="--listen", free_port=True)


def test_what_is_of_this_machine() -> None:
    """Numbers of loopback, and its name; no name that only begins so."""
    for here in ("127.0.0.1:1", "127.8.9.1:1, localhost:2", "[::1]:80"):
        assert is_loopback(here), here
    for elsewhere in ("127.example.com:80", "10.0.0.1:1", "127.0.0.1:1, h:2", "[fe80::1]:80"):
        assert not is_loopback(elsewhere), elsewhere


def test_a_target_names_its_address_as_clients_do() -> None:
    """Host and port in one text."""
    assert target_at("namenode", ("nn", 8020), "CID-1") == Target("namenode", "nn:8020", "CID-1")


def test_a_targets_host_is_its_address_without_the_port() -> None:
    """Empty where nothing is known."""
    assert Target("nodemanager", "127.0.0.11:8041").host == "127.0.0.11"
    assert UNKNOWN.host == ""


def test_services_follow_from_protocols_that_one_kind_of_server_speaks(hadoop: Hadoop) -> None:
    """Every HDFS protocol named is one of the release; one that several speak names none."""
    protocols = set(hadoop.schema().protocols)
    named = {protocol for protocol in SERVICES if ".hdfs." in protocol}
    assert named <= protocols
    assert service_of("org.apache.hadoop.hdfs.protocol.ClientProtocol") == "namenode"
    assert service_of("org.apache.hadoop.security.RefreshUserMappingsProtocol") == ""


def test_a_resourcemanager_is_known_by_its_start_time_and_a_namenode_by_its_whole_id() -> None:
    """Two addresses of one ResourceManager are one daemon; a cluster id may hold any character."""
    assert same_daemon("resourcemanager-scheduler", "17@a:8030", "17@b:8032")
    assert not same_daemon("resourcemanager", "17@a:8030", "18@a:8030")
    assert not same_daemon("namenode", "etl@test", "etl@prod")
    assert (answers_for("resourcemanager-tracker"), answers_for("namenode")) == (
        "resourcemanager",
        "namenode",
    )


@pytest.mark.parametrize("host", ["a..b", "é" * 80])
def test_what_can_be_no_host_is_no_address(host: str) -> None:
    """A look-up would refuse its form before it asks anybody."""
    with pytest.raises(InputError, match="has no name of a host"):
        parse_address(f"hdfs://{host}:80", place="--target")


def test_protocols_that_are_not_hadoops() -> None:
    """By their package; a short name may be one of Hadoop's."""
    assert [is_hadoops(name) for name in ("kv.Store", "Rpc", "ClientProtocol", "org.apache.hadoop.x.Y")] == [
        False,
        False,
        True,
        True,
    ]
