"""What a channel keeps of the calls in flight."""

from __future__ import annotations

import pytest

from froude.emulation.channel import Channel, Pending
from froude.emulation.programs.events import Endpoint, Send
from froude.emulation.run.tally import Series
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.target import Target


@pytest.mark.parametrize(
    ("expected_s", "held_up"), [(0.0, {}), (1.0, {(1_500_000, 1_000_000): 1}), (1.5, {})]
)
def test_a_call_took_its_time_from_both_beginnings(
    expected_s: float, held_up: dict[tuple[int, int], int]
) -> None:
    """From when it was due and from when it was sent; longer than the expected interval, it held others up."""
    series = Series("m")
    Pending(0, series, 10.0, 10.5, Send("p", "m", b"", 0, 10.0, "", expected_s)).took(12.0)
    assert (series.intended, series.actual) == ([2.0], [1.5])
    assert series.held_up == held_up


def test_a_channel_begins_with_the_client_id_of_its_connection() -> None:
    """Which every later connection of it says again."""
    endpoint = Endpoint("p", target=Target("namenode", "nn:1"))
    channel = Channel(3, endpoint, ClientConnection("p", client_id=b"0123456789abcdef"))
    assert channel.client_id == b"0123456789abcdef"
    assert (channel.up, channel.attempts, channel.pending, channel.waiting) == (True, 0, {}, [])
