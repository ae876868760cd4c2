"""Which targets may be played against."""

from __future__ import annotations

import socket

import pytest

from froude.base.errors import GuardError, InputError, TargetError
from froude.emulation.guard import Target, decide, identify, parse_target
from froude.hadoop.distribution import Hadoop

TARGET = Target("127.0.0.1", 8020, "CID-1")


def test_ours_is_allowed_and_a_stranger_needs_its_id() -> None:
    """What Froude started needs nothing; another, on loopback too, needs its id typed."""
    decide(TARGET, ours=True, typed=None, source_ids=())
    decide(TARGET, ours=False, typed="CID-1", source_ids=("CID-2",))
    with pytest.raises(GuardError, match="was not started by Froude"):
        decide(TARGET, ours=False, typed=None, source_ids=())


@pytest.mark.parametrize("ours", [True, False])
def test_a_wrong_id_is_refused(ours: bool) -> None:
    """The id typed must be the target's own."""
    with pytest.raises(GuardError, match=r"CID-1.*CID-9"):
        decide(TARGET, ours=ours, typed="CID-9", source_ids=())


@pytest.mark.parametrize(("ours", "typed"), [(True, None), (False, "CID-1"), (True, "CID-1")])
def test_the_recorded_source_is_always_refused(ours: bool, typed: str | None) -> None:
    """Not even its id typed opens the cluster that was recorded."""
    with pytest.raises(GuardError, match="recorded"):
        decide(TARGET, ours=ours, typed=typed, source_ids=("CID-1",))


def test_targets_are_read() -> None:
    """With or without a scheme, IPv6 in brackets."""
    assert parse_target("hdfs://10.0.0.1:8020") == ("10.0.0.1", 8020)
    assert parse_target("[::1]:9000") == ("::1", 9000)


@pytest.mark.parametrize("text", ["nn", "hdfs://nn", "nn:0", "nn:70000", ":8020", "nn:eight"])
def test_other_texts_are_refused(text: str) -> None:
    """One clear error names the text and the form."""
    with pytest.raises(InputError, match="HOST:PORT"):
        parse_target(text)


def test_a_target_that_does_not_say_who_it_is(hadoop: Hadoop) -> None:
    """A port where nobody listens is stated as such."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
    with pytest.raises(TargetError, match=str(address[1])):
        identify(address, hadoop.schema(), user="tester")
