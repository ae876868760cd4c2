"""Asking daemons who they are."""

from __future__ import annotations

import socket

import pytest

from froude.base.errors import TargetError
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.identity import ask_identity, asked_protocols


def test_a_target_that_does_not_say_who_it_is(hadoop: Hadoop) -> None:
    """A port where nobody listens is stated as such."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
    with pytest.raises(TargetError, match=str(address[1])):
        ask_identity("namenode", address, hadoop.schema(), user="tester")


def test_a_service_that_has_no_such_question(hadoop: Hadoop) -> None:
    """Nothing is connected to; the error lists what can be asked."""
    with pytest.raises(TargetError, match=r"cannot tell who it is.*resourcemanager"):
        ask_identity("nodemanager", ("127.0.0.1", 1), hadoop.schema())


def test_the_protocols_that_ask() -> None:
    """One a service that can tell; without a service a NameNode is asked."""
    (namenode,) = asked_protocols([""])
    assert asked_protocols(["namenode", "nodemanager"]) == {namenode}
    assert len(asked_protocols(["namenode", "resourcemanager"])) == 2
