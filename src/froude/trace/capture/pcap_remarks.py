"""What the reader of a Trace from a packet capture should know of it, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from froude.trace.capture.flows import Address, FlowCounts
from froude.trace.capture.packet_headers import Skipped

_MOST_NAMED = 5
WHOLE_PACKETS = "Capture whole packets: tcpdump -s 0"
_CALL = ("client_id", "call_id", "retry", "method")


@dataclass(slots=True)
class PacketCounts:
    """What was seen of packets."""

    packets: int = 0
    skipped: Counter[Skipped] = field(default_factory=Counter)
    """Packets that no segment was found in, by the reason."""
    link_types: set[int] = field(default_factory=set)
    """Link types that are not read."""
    cut: int = 0
    """Segments of which the capture holds only a part."""


def remarks(
    packets: PacketCounts, flows: FlowCounts, *, cut: str, dropped: int, untimed: int, unknown: int = 0
) -> list[str]:
    """What is missing and why, and what to do about it.

    Args:
        packets: what was seen of packets.
        flows: what was seen of connections.
        cut: what ended the file early; empty where nothing did.
        dropped: packets that the capture missed, as far as its file says.
        untimed: packets without a time.
        unknown: calls left out because their answers may be missing.
    """
    said: list[str] = []
    if cut:
        said.append(cut)
    if flows.cut_segments:
        said.append(f"{_many(flows.cut_segments, 'packet')} of what was read cut short. {WHOLE_PACKETS}")
    if flows.midway:
        said.append(
            f"{_many(flows.midway, 'connection')} began before the capture, not readable ({flows.midway_bytes} bytes): "
            "start the capture before the daemons and jobs that it shall see"
        )
    if flows.with_holes:
        said.append(
            f"{_many(flows.with_holes, 'connection')} read only up to a packet that the capture lacks"
        )
    if unknown:
        said.append(f"{_many(unknown, 'call')} left out: whether they were answered is not in the capture")
    if flows.late:
        said.append(
            f"{_many(flows.late, 'packet')} came after the end of their connections and were not read "
            f"({flows.late_bytes} bytes)"
        )
    if dropped:
        said.append(
            f"the capture itself missed {_many(dropped, 'packet')}; a larger buffer helps: tcpdump -B 65536"
        )
    if flows.read and flows.one_sided == flows.read:
        said.append("nothing that a server sent is in the capture: it was taken where only requests pass")
    elif flows.unheard:
        said.append(
            f"{_many(flows.unheard, 'connection')} of which the capture holds nothing that the server sent"
        )
    said.extend(
        f"{_many(packets.skipped[reason], 'packet')} left out: {reason.value}{_types(packets, reason)}"
        for reason in (Skipped.FRAGMENT, Skipped.CUT, Skipped.DAMAGED, Skipped.LINK_TYPE)
        if packets.skipped[reason]
    )
    if untimed:
        said.append(f"{_many(untimed, 'packet')} left out: their blocks have no time")
    if flows.left_out:
        said.append(
            f"connections of Hadoop RPC to other servers left out: {_servers(flows.left_out.items())}"
        )
    return said


def what_was_seen(packets: PacketCounts, flows: FlowCounts, untimed: int) -> str:
    """Of a capture without a connection that could be read: what it holds instead."""
    connections = flows.others + flows.midway + sum(flows.left_out.values())
    parts = [f"{packets.packets} packets", f"{connections} TCP connections with payload"]
    parts += [
        f"{count} packets {reason.value}{_types(packets, reason)}"
        for reason, count in packets.skipped.items()
    ]
    if packets.cut:
        parts.append(f"{packets.cut} segments cut short")
    if untimed:
        parts.append(f"{untimed} packets without a time")
    if flows.left_out:
        parts.append(f"Hadoop RPC to {_servers(flows.left_out.items())}")
    return ", ".join(parts)


def of_calls(calls: pa.Table) -> list[str]:
    """What is odd about the calls themselves.

    Args:
        calls: one a row, with the columns of a Trace.
    """
    return [said for said in (_without_payload(calls), _twice(calls)) if said]


def _without_payload(calls: pa.Table) -> str:
    """Whether the schema lacks protocols, as that of HDFS alone lacks those of YARN."""
    bare = calls.filter(pc.field("request").is_null())
    if not bare.num_rows:
        return ""
    protocols = Counter(str(name).rpartition(".")[2] for name in bare.column("protocol").to_pylist())
    named = ", ".join(protocol for protocol, _ in protocols.most_common(_MOST_NAMED))
    return (
        f"{_many(bare.num_rows, 'call')} kept without payload, which the schema does not know ({named}): "
        "name a folder with the jars of these daemons by --hadoop"
    )


def _twice(calls: pa.Table) -> str:
    """Whether calls are there twice: the same client's id, number there, and number of tries on two connections."""
    table = calls.filter((pc.field("client_id") != b"") & (pc.field("call_id") >= 0))
    groups = table.group_by(list(_CALL)).aggregate([("connection", "min"), ("connection", "max")])
    groups = groups.filter(pc.field("connection_min") != pc.field("connection_max"))
    if not groups.num_rows:
        return ""
    address_of = dict(
        zip(*(table.column(name).to_pylist() for name in ("connection", "address")), strict=True)
    )
    pairs = Counter(
        (address_of[first], address_of[last])
        for first, last in zip(
            *(groups.column(name).to_pylist() for name in ("connection_min", "connection_max")), strict=True
        )
    )
    named = ", ".join(f"{one} and {other}" for (one, other), _ in pairs.most_common(_MOST_NAMED))
    return (
        f"{_many(groups.num_rows, 'call')} there twice, to {named}: the capture holds both sides of a proxy. "
        "Choose one with --target"
    )


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _types(packets: PacketCounts, reason: Skipped) -> str:
    numbers = ", ".join(map(str, sorted(packets.link_types))) if reason is Skipped.LINK_TYPE else ""
    return f" (LINKTYPE {numbers})" if numbers else ""


def _servers(counts: Iterable[tuple[Address, int]]) -> str:
    most = sorted(counts, key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{host}:{port} ({count})" for (host, port), count in most[:_MOST_NAMED])
    return named + (f" and {len(most) - _MOST_NAMED} more" if len(most) > _MOST_NAMED else "")
