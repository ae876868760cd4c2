"""Packets of a capture file: pcap and pcapng, as tcpdump and Wireshark write them.

A packet is what the file says of it and no more; `tcp` looks inside. A file whose beginning is wrong is an
error; one that is cut or damaged further on gives what comes before, and `cut` says where and why, for nothing in
either format lets a reader find the next packet again.

Source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng; limits from libpcap's `sf-pcap.c` and Wireshark's `wtap.h`.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from froude.base.errors import ChangedError, InputError

_PCAP = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
"""Nanoseconds in a unit of the second time field, by magic number."""
_SECTION, _INTERFACE, _OLD_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 6
_SIMPLE_PACKET, _STATISTICS = 3, 5
_BYTE_ORDER = 0x1A2B3C4D
_TIME_RESOLUTION, _TIME_OFFSET, _INTERFACE_DROPS, _SYSTEM_DROPS = 9, 14, 5, 7
_LARGEST_PACKET = 262_144
"""libpcap's MAXIMUM_SNAPLEN; no interface has larger packets, and a longer one is damage."""
_LARGEST_BLOCK = 16 << 20
_CHUNK_BYTES = 1 << 20
_MOST_INTERFACES = 4096
_LATEST_NS = 253_402_300_800 * 10**9
"""The end of the year 9999: later is damage."""
_ALLOWED = "a packet capture as tcpdump or Wireshark writes it (pcap, pcapng), plain or packed"


class Packet(NamedTuple):
    """One packet."""

    time_ns: int
    """When it was captured, nanoseconds since the epoch."""
    link_type: int
    """LINKTYPE_ value: how `data` begins."""
    data: bytes
    """As much of it as was captured."""
    cut_bytes: int
    """How many more bytes of it were on the wire."""


class _Interface(NamedTuple):
    """Of a pcapng file: an interface that packets were captured on."""

    link_type: int
    units_per_s: int
    offset_ns: int


class PacketFile:
    """Reads the packets of one capture file.

    Args:
        source: the file, unpacked; read from here on and never sought in.

    Raises:
        InputError: it is empty, or no such file.
    """

    def __init__(self, source: io.BufferedIOBase, path: Path) -> None:
        self.cut = ""
        """What ended the file early, in words; empty while nothing did."""
        self.untimed = 0
        """Packets left out because the file has no time for them."""
        self.dropped = 0
        """Packets that the capture itself missed, as far as the file says."""
        self._source, self._path = source, path
        self._buffer, self._at, self._over = b"", 0, False
        self._broken = ""
        self._read_bytes = 0
        self._packets = 0
        head = self._take(4)
        order = next((o for o in "<>" if len(head) == 4 and struct.unpack(o + "I", head)[0] in _PCAP), "")
        if order:
            self._iterator = self._pcap(order, head)
        elif head == b"\n\r\r\n":
            self._iterator = self._pcapng()
        else:
            found = self.cut or (repr(head) if head else "an empty file")
            raise InputError("is no packet capture", file=path, found=found, allowed=_ALLOWED)

    def __iter__(self) -> Iterator[Packet]:
        """The packets in the order of the file."""
        return self._iterator

    def _pcap(self, order: str, magic: bytes) -> Iterator[Packet]:
        tick_ns = _PCAP[struct.unpack(order + "I", magic)[0]]
        head = self._take(20)
        if len(head) < 20:
            raise InputError("ends within its first header", file=self._path, allowed=_ALLOWED)
        major, minor, _, _, snapshot, link_type = struct.unpack(order + "HHiIII", head)
        if (major, minor) != (2, 4):
            found = f"{major}.{minor}"
            raise InputError("is a pcap of another version", file=self._path, found=found, allowed="2.4")
        largest = min(max(snapshot, _LARGEST_PACKET), _LARGEST_BLOCK)
        link_type &= 0xFFFF  # above it: the length of frame check sequences
        record = struct.Struct(order + "IIII")
        while head := self._take(16):
            if len(head) < 16:
                self._ends_within("the header of a packet")
                return
            seconds, fraction, size, original = record.unpack(head)
            if size > largest:
                self._damaged(f"a packet of {size} bytes; allowed: at most {largest}")
                return
            data = self._take(size)
            if len(data) < size:
                self._ends_within("a packet")
                return
            self._packets += 1
            yield Packet(seconds * 10**9 + fraction * tick_ns, link_type, data, max(0, original - size))

    def _pcapng(self) -> Iterator[Packet]:
        order, interfaces = "<", list[_Interface]()
        kind_bytes = b"\n\r\r\n"
        while kind_bytes:
            if kind_bytes == b"\n\r\r\n":
                order = self._section()
                interfaces.clear()
            elif len(kind_bytes) < 4:
                self._ends_within("the head of a block")
            elif (body := self._body(order)) is not None:
                kind = struct.unpack(order + "I", kind_bytes)[0]
                try:
                    packet = self._block(kind, body, order, interfaces)
                except struct.error:
                    self._damaged(f"a block of type {kind} with {len(body)} bytes, too few for what it says")
                    packet = None
                if packet is not None:
                    self._packets += 1
                    yield packet
            if self.cut:
                return
            kind_bytes = self._take(4)

    def _section(self) -> str:
        """A new section begins: its byte order."""
        head = self._take(8)
        order = next((o for o in "<>" if head[4:] == struct.pack(o + "I", _BYTE_ORDER)), "")
        if not order:
            if not self._packets:
                raise InputError(
                    "is no pcapng: its byte order is not told",
                    file=self._path,
                    found=repr(head[4:]),
                    allowed=_ALLOWED,
                )
            self._damaged("a section whose byte order is not told")
            return "<"
        (length,) = struct.unpack(order + "I", head[:4])
        if not 28 <= length <= _LARGEST_BLOCK or length % 4:
            self._damaged(f"a section's head of {length} bytes")
            return order
        rest = self._take(length - 12)
        if len(rest) < length - 12:
            self._ends_within("the head of a section")
        elif struct.unpack_from(order + "H", rest)[0] != 1:
            self._damaged("a section of another version of pcapng; allowed: 1")
        return order

    def _body(self, order: str) -> bytes | None:
        """The body of a block whose type is read."""
        head = self._take(4)
        length = struct.unpack(order + "I", head)[0] if len(head) == 4 else 12
        if not 12 <= length <= _LARGEST_BLOCK or length % 4:
            self._damaged(f"a block of {length} bytes; allowed: multiples of 4 from 12 to {_LARGEST_BLOCK}")
            return None
        rest = self._take(length - 8)
        if len(rest) < length - 8:
            self._ends_within("a block")
            return None
        if rest[-4:] != head:
            self._damaged("a block that ends with another length than it begins with")
            return None
        return rest[:-4]

    def _block(self, kind: int, body: bytes, order: str, interfaces: list[_Interface]) -> Packet | None:
        """What a block holds, where that is a packet.

        Raises:
            struct.error: it is too short.
        """
        if kind in (_PACKET, _OLD_PACKET):
            number, high, low, size, original = struct.unpack_from(order + "IIIII", body)
            if kind == _OLD_PACKET:
                number = struct.unpack_from(order + "H", body)[0]
            if number >= len(interfaces):
                self._damaged(f"a packet of interface {number}, which it does not describe")
            elif size > len(body) - 20:
                self._damaged(f"a packet of {size} bytes in a block of {len(body)}")
            else:
                return self._timed(interfaces[number], high << 32 | low, body[20 : 20 + size], original)
        elif kind == _INTERFACE:
            (link_type,) = struct.unpack_from(order + "HHI", body)[:1]
            if len(interfaces) >= _MOST_INTERFACES:
                self._damaged(f"more than {_MOST_INTERFACES} interfaces")
            interfaces.append(_interface(link_type, _options(body[8:], order), order))
        elif kind == _SIMPLE_PACKET:
            self.untimed += 1
        elif kind == _STATISTICS:
            told = _options(body[12:], order)
            self.dropped += sum(
                _number(told.get(code, b""), order) for code in (_INTERFACE_DROPS, _SYSTEM_DROPS)
            )
        return None

    def _timed(self, interface: _Interface, ticks: int, data: bytes, original: int) -> Packet | None:
        time_ns = ticks * 10**9 // interface.units_per_s + interface.offset_ns
        if not 0 <= time_ns < _LATEST_NS:
            self._damaged("a packet with a time that none can have")
            return None
        return Packet(time_ns, interface.link_type, data, max(0, original - len(data)))

    def _take(self, size: int) -> bytes:
        """The next bytes; fewer at the end of the file."""
        while len(self._buffer) - self._at < size and not self._over:
            piece = b""
            try:
                piece = self._source.read1(_CHUNK_BYTES)
            except ChangedError as error:
                self._broken = f"the file {error.message} ({error.found})"
            self._over = not piece
            self._buffer, self._at = self._buffer[self._at :] + piece, 0
        data = self._buffer[self._at : self._at + size]
        self._at += len(data)
        self._read_bytes += len(data)
        if len(data) < size:
            self.cut = self.cut or self._broken
        return data

    def _ends_within(self, what: str) -> None:
        self.cut = self.cut or f"the file ends within {what}, after {self._packets} packets"

    def _damaged(self, found: str) -> None:
        at = f"at byte {self._read_bytes} after {self._packets} packets"
        self.cut = self.cut or f"the file is damaged {at}: {found}"


def _options(data: bytes, order: str) -> dict[int, bytes]:
    """The options of a block by their code; of a repeated one the last.

    Raises:
        struct.error: one is longer than the rest.
    """
    options: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        code, size = struct.unpack_from(order + "HH", data, at)
        if code == 0:
            break
        (options[code],) = struct.unpack_from(f"{size}s", data, at + 4)
        at += 4 + size + -size % 4
    return options


def _interface(link_type: int, told: dict[int, bytes], order: str) -> _Interface:
    exponent = (told.get(_TIME_RESOLUTION) or b"\x06")[0]
    units_per_s = 1 << (exponent & 0x7F) if exponent & 0x80 else 10**exponent
    offset = told.get(_TIME_OFFSET, b"")
    offset_s = struct.unpack(order + "q", offset)[0] if len(offset) == 8 else 0
    return _Interface(link_type, units_per_s, offset_s * 10**9)


def _number(data: bytes, order: str) -> int:
    return int(struct.unpack(order + "Q", data)[0]) if len(data) == 8 else 0
