"""What is said of a capture."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from froude.trace.assembly import assemble
from froude.trace.capture.flows import FlowCounts
from froude.trace.capture.packet_headers import Skipped
from froude.trace.capture.pcap_remarks import PacketCounts, of_calls, remarks, what_was_seen
from froude.trace.columns import to_table
from froude.trace.redact import Redactor
from testbed import wire

NOTHING: dict[str, Any] = {"cut": "", "dropped": 0, "untimed": 0}


def test_of_a_whole_capture_nothing_is_said() -> None:
    """Packets of other protocols are no loss."""
    packets = PacketCounts(9, Counter({Skipped.NOT_TCP: 4}))
    assert remarks(packets, FlowCounts(read=1, others=5), **NOTHING) == []


@pytest.mark.parametrize(
    ("flows", "other", "said"),
    [
        (
            {"cut_segments": 2},
            {},
            "2 packets of what was read cut short. Capture whole packets: tcpdump -s 0",
        ),
        (
            {"midway": 3, "midway_bytes": 7},
            {},
            "3 connections began before the capture, not readable (7 bytes): ",
        ),
        ({"with_holes": 1}, {}, "1 connection read only up to a packet that the capture lacks"),
        ({"unheard": 1}, {}, "1 connection of which the capture holds nothing that the server sent"),
        ({"late": 2, "late_bytes": 9}, {}, "2 packets came after the end of their connections"),
        ({}, {"unknown": 1}, "1 call left out: whether they were answered is not in the capture"),
        ({"one_sided": 1}, {}, "nothing that a server sent is in the capture"),
        ({}, {"dropped": 4}, "the capture itself missed 4 packets; a larger buffer helps: tcpdump -B 65536"),
        ({}, {"untimed": 2}, "2 packets left out: their blocks have no time"),
        ({}, {"cut": "the file is damaged"}, "the file is damaged"),
        (
            {"left_out": {(f"10.0.0.{n}", 1): n for n in range(7)}},
            {},
            (
                "to other servers left out: 10.0.0.6:1 (6), 10.0.0.5:1 (5), 10.0.0.4:1 (4), 10.0.0.3:1 (3), "
                "10.0.0.2:1 (2) and 2 more"
            ),
        ),
    ],
)
def test_each_kind_of_loss_has_its_remark(flows: dict[str, Any], other: dict[str, Any], said: str) -> None:
    """With its number, and what to do about it."""
    found = remarks(PacketCounts(9), FlowCounts(**{"read": 1, **flows}), **{**NOTHING, **other})
    assert len(found) == 1
    assert said in found[0]


def test_packets_that_could_not_be_used() -> None:
    """By the reason, link types by their numbers."""
    skipped = Counter({Skipped.FRAGMENT: 1, Skipped.LINK_TYPE: 2})
    packets = PacketCounts(9, skipped, {105, 127}, cut=3)
    assert remarks(packets, FlowCounts(read=1), **NOTHING) == [
        "1 packet left out: fragments of IP packets",
        "2 packets left out: link layers that Froude does not read (LINKTYPE 105, 127)",
    ]
    assert what_was_seen(packets, FlowCounts(others=4), 5) == (
        "9 packets, 4 TCP connections with payload, 1 packets fragments of IP packets, "
        "2 packets link layers that Froude does not read (LINKTYPE 105, 127), 3 segments cut short, "
        "5 packets without a time"
    )


def test_calls_that_are_there_twice() -> None:
    """On two connections; a call that was tried again there is none of them."""
    one, other = wire.conversation(1, calls=2), wire.conversation(2, calls=2)
    redactor = Redactor(wire.SCHEMA, bytes(32))
    assert of_calls(to_table(assemble(iter(one), wire.SCHEMA, redactor)[0])) == []
    rows, _ = assemble(iter([*one, *other]), wire.SCHEMA, redactor)
    assert ["2 calls there twice" in said for said in of_calls(to_table(rows))] == [True]
    again = [(*row[:6], row[2] - 1, *row[7:]) for row in rows]
    assert of_calls(to_table(again)) == []
