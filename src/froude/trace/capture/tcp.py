"""From packets to the TCP segments in them, and one direction of a connection in order. Pure, bytes in, values out.

A segment is found through the link layer and IPv4 or IPv6. Segments come in any order, the bytes of a stream go out in
order. What was given out once is never taken back: of bytes that come twice, the first copy counts, as a receiver that
has read them already would have it. Bytes behind a hole are held until the hole is filled. Sequence numbers wrap around
after 4 GiB; each is taken as the place nearest to what is expected.

Source: RFC 791, RFC 8200, RFC 9293 (3.4 for the order), IEEE 802.1Q; link types as in tcpdump.org/linktypes.html;
compared with gopacket's `reassembly` and Zeek's `TCP_Reassembler`. Neither acknowledgements nor times decide that a hole
stays: a capture may show them before the bytes they speak of. The bound that the caller sets to `held_bytes` decides,
and the end of the connection.
"""

from __future__ import annotations

import heapq
import ipaddress
import struct
from enum import Enum
from typing import NamedTuple

_WRAP = 1 << 32
_OVERHEAD = 128
"""Bytes of memory that a held segment costs beside its payload, about."""
_IPV4, _IPV6 = 0x0800, 0x86DD
_VLAN = {0x8100, 0x88A8, 0x9100}
_MOST_TAGS = 8
_NULL, _ETHERNET, _LOOP, _SLL, _SLL2 = 0, 1, 108, 113, 276
_RAW = {12, 14, 101, 228, 229}
"""IP without anything before it; 12 and 14 are DLT_RAW of Linux and of OpenBSD, which some writers put in files."""
_FAMILIES = {2, 10, 24, 28, 30}
"""AF_INET and AF_INET6 of Linux, the BSDs and macOS."""
_TCP, _FRAGMENT = 6, 44
_EXTENSIONS = {0, 43, 51, 60}
"""Hop-by-hop, routing, authentication and destination options: headers of IPv6 that TCP may stand behind."""
_IPV4_HEAD = struct.Struct("!BxHxxHxB2x")
_TCP_HEAD = struct.Struct("!4xIIBB")
_SHORT = struct.Struct("!H")
FIN, SYN, RST, ACK = 1, 2, 4, 16


class Skipped(Enum):
    """Why a packet gave no segment."""

    NOT_TCP = "not TCP"
    FRAGMENT = "fragments of IP packets"
    CUT = "cut before the end of their headers"
    DAMAGED = "headers that contradict each other"
    LINK_TYPE = "link layers that Froude does not read"


class Segment(NamedTuple):
    """One TCP segment."""

    flow: bytes
    """Source address, destination address, source port, destination port, as on the wire: 12 bytes, or 36 for IPv6."""
    sequence: int
    acknowledged: int
    """The next byte expected from the other side; means something only with the flag ACK."""
    flags: int
    payload: bytes
    cut_bytes: int
    """How many bytes of payload behind `payload` were on the wire and not captured."""


def segment_in(link_type: int, data: bytes, cut_bytes: int = 0) -> Segment | Skipped:
    """The TCP segment that a packet holds, or why it holds none.

    Args:
        cut_bytes: how many bytes of it were not captured.
    """
    try:
        place = _network(link_type, data)
        if isinstance(place, Skipped):
            return place
        return _ip(data, place, len(data) + cut_bytes)
    except (struct.error, IndexError):
        return Skipped.CUT


def _network(link_type: int, data: bytes) -> int | Skipped:
    """Where the IP header begins."""
    if link_type == _ETHERNET:
        return _behind_tags(data, 12)
    if link_type == _SLL:
        return _behind_tags(data, 14)
    if link_type == _SLL2:
        (kind,) = _SHORT.unpack_from(data)
        return 20 if kind in (_IPV4, _IPV6) else _behind_tags(data, 18, kind)
    if link_type in _RAW:
        return 0
    if link_type in (_NULL, _LOOP):
        (family,) = struct.unpack_from("<I", data)
        (swapped,) = struct.unpack_from(">I", data)
        return 4 if family in _FAMILIES or swapped in _FAMILIES else Skipped.NOT_TCP
    return Skipped.LINK_TYPE


def _behind_tags(data: bytes, at: int, kind: int | None = None) -> int | Skipped:
    """Where the network layer begins, behind VLAN tags; `at` is the place of the type that names it."""
    if kind is None:
        (kind,) = _SHORT.unpack_from(data, at)
    for _ in range(_MOST_TAGS):
        if kind not in _VLAN:
            break
        at += 4
        (kind,) = _SHORT.unpack_from(data, at)
    return at + 2 if kind in (_IPV4, _IPV6) else Skipped.NOT_TCP


def _ip(data: bytes, at: int, wire_end: int) -> Segment | Skipped:
    version = data[at] >> 4
    if version == 4:
        first, length, fragment, protocol = _IPV4_HEAD.unpack_from(data, at)
        head = (first & 15) * 4
        if fragment & 0x3FFF:  # more fragments, or not the first
            return Skipped.FRAGMENT
        if protocol != _TCP:
            return Skipped.NOT_TCP
        # A length of 0 stands in packets that the network card cuts up after they were captured.
        end = at + length if length else wire_end
        return _tcp(data, data[at + 12 : at + 20], at + head, end) if head >= 20 else Skipped.DAMAGED
    if version != 6:
        return Skipped.NOT_TCP
    (length,) = _SHORT.unpack_from(data, at + 4)
    end = at + 40 + length if length else wire_end
    addresses, protocol, at = data[at + 8 : at + 40], data[at + 6], at + 40
    while protocol in _EXTENSIONS and at < end:
        words = data[at + 1]
        protocol, at = data[at], at + ((words + 2) * 4 if protocol == 51 else (words + 1) * 8)
    if protocol == _FRAGMENT:
        return Skipped.FRAGMENT
    return _tcp(data, addresses, at, end) if protocol == _TCP else Skipped.NOT_TCP


def _tcp(data: bytes, addresses: bytes, at: int, end: int) -> Segment | Skipped:
    sequence, acknowledged, offset, flags = _TCP_HEAD.unpack_from(data, at)
    begin = at + (offset >> 4) * 4
    if begin < at + 20 or begin > end:
        return Skipped.DAMAGED
    payload = data[begin:end]
    cut = end - begin - len(payload)
    return Segment(addresses + data[at : at + 4], sequence, acknowledged, flags, payload, cut)


def reverse(flow: bytes) -> bytes:
    """The flow of the other direction."""
    half = (len(flow) - 4) // 2
    return flow[half : 2 * half] + flow[:half] + flow[-2:] + flow[-4:-2]


def source_of(flow: bytes) -> tuple[str, int]:
    """Address and port that a flow's segments come from; an IPv4 address within an IPv6 one as IPv4."""
    address = ipaddress.ip_address(flow[: (len(flow) - 4) // 2])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address), int.from_bytes(flow[-4:-2], "big")


class Stream:
    """Puts one direction in order.

    Args:
        first: sequence number of its first byte.
    """

    __slots__ = ("_ends_at", "_held", "_next", "_order", "held_bytes")

    def __init__(self, first: int) -> None:
        self._next = first
        """Place of the next byte: a sequence number that never wraps."""
        self._held: dict[int, bytes] = {}
        self._order: list[int] = []
        self._ends_at: int | None = None
        self.held_bytes = 0
        """Memory that bytes behind a hole take, about."""

    @property
    def ended(self) -> bool:
        """Whether every byte up to its end was given out."""
        return self._ends_at is not None and self._next >= self._ends_at

    @property
    def missing_bytes(self) -> int:
        """Bytes from the first hole on, as far as they are known: those of holes, and those held behind them."""
        ends = [place + len(data) for place, data in self._held.items()]
        return max(self._next, self._next if self._ends_at is None else self._ends_at, *ends) - self._next

    @property
    def next(self) -> int:
        """The place of the next byte that it will give out; one further behind the end, as its receiver acknowledges."""
        return self._next + self.ended

    def place(self, sequence: int) -> int:
        """Where in the stream a sequence number stands: the place nearest to the next."""
        return self._next + ((sequence - self._next + (_WRAP >> 1)) % _WRAP) - (_WRAP >> 1)

    def take(self, sequence: int, payload: bytes, *, fin: bool = False) -> bytes:
        """Take one segment; the bytes that it brings in line, often its own.

        Args:
            sequence: of the first byte of `payload`.
            fin: whether the direction ends behind them.
        """
        place = self.place(sequence)
        if fin and self._ends_at is None:
            self._ends_at = place + len(payload)
        if place > self._next:
            self._hold(place, payload)
            return b""
        if place < self._next:
            payload = payload[self._next - place :]
        self._next += len(payload)
        return payload + self._release() if self._order and payload else payload

    def clear(self) -> None:
        """Let go of what is held."""
        self._held.clear()
        self._order.clear()
        self.held_bytes = 0

    def _hold(self, place: int, payload: bytes) -> None:
        before = self._held.get(place)
        if before is None and payload:
            heapq.heappush(self._order, place)
            self.held_bytes += len(payload) + _OVERHEAD
        elif before is not None and len(payload) > len(before):
            self.held_bytes += len(payload) - len(before)
        else:
            return
        self._held[place] = payload

    def _release(self) -> bytes:
        """The held bytes that are in line now."""
        pieces: list[bytes] = []
        while self._order and self._order[0] <= self._next:
            place = heapq.heappop(self._order)
            held = self._held.pop(place)
            self.held_bytes -= len(held) + _OVERHEAD
            piece = held[self._next - place :]
            self._next += len(piece)
            pieces.append(piece)
        return b"".join(pieces)
