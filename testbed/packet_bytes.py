"""Packets and capture files by hand, from the formats' definitions and with no code of ours."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from froude.trace.capture.tcp import ACK, FIN, RST, SYN, Segment

CLIENT, SERVER = ("10.0.0.7", 40_000), ("10.0.0.5", 8020)
Address = tuple[str, int]
Timed = tuple[float, bytes]
"""Seconds since the epoch, and a packet."""


def _address(host: str) -> bytes:
    if ":" not in host:
        return bytes(map(int, host.split(".")))
    left, _, right = host.partition("::")
    groups = [[int(group, 16) for group in side.split(":") if group] for side in (left, right)]
    zeros = [0] * (8 - len(groups[0]) - len(groups[1]))
    return struct.pack(">8H", *groups[0], *zeros, *groups[1])


def flow(source: Address, destination: Address) -> bytes:
    """A flow as `Segment` has it."""
    return _address(source[0]) + _address(destination[0]) + struct.pack(">HH", source[1], destination[1])


def tcp(
    source: Address,
    destination: Address,
    sequence: int,
    payload: bytes = b"",
    *,
    flags: int = ACK,
    ack: int = 0,
) -> bytes:
    """A TCP segment with 12 bytes of options, as Linux sends."""
    ports = struct.pack(">HH", source[1], destination[1])
    head = struct.pack(">IIBBHHH", sequence % (1 << 32), ack % (1 << 32), 0x80, flags, 512, 0, 0)
    return ports + head + b"\x01\x01\x08\x0a" + bytes(8) + payload


def ipv4(
    source: Address, destination: Address, segment: bytes, *, protocol: int = 6, fragment: int = 0
) -> bytes:
    """An IPv4 packet without options."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), 7, fragment, 64, protocol, 0)
    return head + _address(source[0]) + _address(destination[0]) + segment


def ipv6(
    source: Address, destination: Address, segment: bytes, *, extensions: bytes = b"", first: int = 6
) -> bytes:
    """An IPv6 packet; `first` names what stands behind its head."""
    head = struct.pack(">IHBB", 6 << 28, len(extensions) + len(segment), first, 64)
    return head + _address(source[0]) + _address(destination[0]) + extensions + segment


def ethernet(packet: bytes, *, tags: bytes = b"") -> bytes:
    """An Ethernet frame."""
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return bytes(12) + tags + kind + packet


def pcap(
    packets: Iterable[Timed], *, link: int = 1, order: str = "<", nano: bool = False, snapshot: int = 262_144
) -> bytes:
    """A pcap file."""
    magic, unit = (0xA1B23C4D, 1e9) if nano else (0xA1B2C3D4, 1e6)
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snapshot, link)]
    for time_s, data in packets:
        kept = data[:snapshot]
        fraction = round(time_s % 1 * unit)
        parts.append(struct.pack(order + "IIII", int(time_s), fraction, len(kept), len(data)) + kept)
    return b"".join(parts)


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A block of a pcapng file."""
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    """The head of a section of a pcapng file."""
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int, order: str = "<", options: bytes = b"") -> bytes:
    """The description of an interface in a pcapng file."""
    return block(1, struct.pack(order + "HHI", link, 0, 0) + options, order)


def enhanced(number: int, ticks: int, data: bytes, order: str = "<", original: int | None = None) -> bytes:
    """A packet in a pcapng file."""
    size = len(data) if original is None else original
    return block(
        6,
        struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), size) + data,
        order,
    )


@dataclass
class Talk:
    """The segments of one TCP connection, in the order in which they are made."""

    client: Address = CLIENT
    server: Address = SERVER
    next: list[int] = field(default_factory=lambda: [1000, 2**32 - 20])
    """The next sequence number of each side, the client's first."""
    segments: list[Segment] = field(default_factory=list)

    def _add(self, side: int, payload: bytes, flags: int) -> None:
        ends = (self.client, self.server)
        its = flow(ends[side], ends[1 - side])
        sequence, ack = self.next[side] % 2**32, self.next[1 - side] % 2**32
        self.segments.append(Segment(its, sequence, ack if flags & ACK else 0, flags, payload, 0))
        self.next[side] += len(payload) + bool(flags & (SYN | FIN))

    def open(self) -> Talk:
        """SYN, SYN and ACK, ACK."""
        self._add(0, b"", SYN)
        self._add(1, b"", SYN | ACK)
        self._add(0, b"", ACK)
        return self

    def send(self, payload: bytes, size: int = 1448, *, side: int = 0) -> Talk:
        """Bytes of the client (or of the server), in segments of at most `size` bytes."""
        for at in range(0, len(payload), size):
            self._add(side, payload[at : at + size], ACK)
        return self

    def answer(self, payload: bytes, size: int = 1448) -> Talk:
        """Bytes of the server."""
        return self.send(payload, size, side=1)

    def acknowledge(self) -> Talk:
        """A segment of either side without bytes."""
        self._add(0, b"", ACK)
        self._add(1, b"", ACK)
        return self

    def finish(self) -> Talk:
        """FIN of the client, which may still be answered."""
        self._add(0, b"", FIN | ACK)
        return self

    def close(self) -> Talk:
        """FIN of either side."""
        self._add(0, b"", FIN | ACK)
        self._add(1, b"", FIN | ACK)
        self._add(0, b"", ACK)
        return self

    def reset(self) -> Talk:
        """RST of the client."""
        self._add(0, b"", RST)
        return self


def packet(segment: Segment) -> bytes:
    """A segment as a packet of Ethernet."""
    half = (len(segment.flow) - 4) // 2
    make = ipv4 if half == 4 else ipv6
    source, destination = (
        (_host(segment.flow[place : place + half]), int.from_bytes(segment.flow[at : at + 2], "big"))
        for place, at in ((0, 2 * half), (half, 2 * half + 2))
    )
    flags, ack = segment.flags, segment.acknowledged
    told = tcp(source, destination, segment.sequence, segment.payload, flags=flags, ack=ack)
    return ethernet(make(source, destination, told))


def _host(address: bytes) -> str:
    if len(address) == 4:
        return ".".join(map(str, address))
    return ":".join(f"{group:x}" for group in struct.unpack(">8H", address))


def file_of(segments: Sequence[Segment], *, start_s: float = 1_700_000_000.0, **how: int) -> bytes:
    """Segments as a pcap file, a millisecond apart."""
    return pcap([(start_s + at / 1000, packet(each)) for at, each in enumerate(segments)], **how)  # type: ignore[arg-type]


def shuffled(segments: Sequence[Segment], rng: random.Random, reach: int = 4) -> list[Segment]:
    """Segments out of order, none further than about `reach` places from its own; some twice."""
    twice = [each for each in segments for _ in range(rng.choice((1, 1, 1, 2)))]
    return [each for _, each in sorted(enumerate(twice), key=lambda item: item[0] + rng.random() * reach)]
