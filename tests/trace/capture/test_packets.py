"""Packets of pcap and pcapng files."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.packed import unpacked
from froude.trace.capture.packets import Packet, PacketFile
from testbed.packet_bytes import block, enhanced, interface, pcap, section

NS = 10**9
PATH = Path("x.pcap")


def read(data: bytes) -> tuple[list[Packet], PacketFile]:
    """All packets, and the reader for what it says of the rest."""
    file = PacketFile(io.BytesIO(data), PATH)
    return list(file), file


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nano", [False, True])
def test_pcap_of_either_byte_order_and_resolution(order: str, nano: bool) -> None:
    """Times are exact, and what was not captured is told."""
    data = pcap([(1.5, b"abc"), (2.25, b"abcdefgh")], link=113, order=order, nano=nano, snapshot=5)
    packets, file = read(data)
    assert packets == [Packet(15 * NS // 10, 113, b"abc", 0), Packet(225 * NS // 100, 113, b"abcde", 3)]
    assert not file.cut


def test_a_pcap_by_its_bytes() -> None:
    """A file written down from the format's definition."""
    head = bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 00000400 010000f0")
    packets, _ = read(head + bytes.fromhex("01000000 02000000 02000000 3c000000 beef"))
    assert packets == [Packet(NS + 2000, 1, b"\xbe\xef", 58)]


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_with_several_interfaces_and_sections(order: str) -> None:
    """Each interface has its link type, resolution and offset; a section begins with none."""
    nano = struct.pack(order + "HHB3x", 9, 1, 9) + bytes(4)
    binary = struct.pack(order + "HHB3xHHq", 9, 1, 0x80 | 10, 14, 8, 100)
    parts = [
        section(order),
        interface(1, order),
        interface(276, order, nano),
        block(0x0BAD, b"unknown", order),
        enhanced(1, 5, b"one", order),
        enhanced(0, 5, b"two", order, original=10),
        section("<"),
        interface(101, "<", binary if order == "<" else b""),
        enhanced(0, 2048 if order == "<" else 7, b"three"),
    ]
    packets, file = read(b"".join(parts))
    third = 102 * NS if order == "<" else 7000
    assert packets == [Packet(5, 276, b"one", 0), Packet(5000, 1, b"two", 7), Packet(third, 101, b"three", 0)]
    assert not file.cut


def test_old_packets_untimed_packets_and_what_the_capture_missed() -> None:
    """The obsolete packet block is read, the simple one counted, drops of interface and system added up."""
    old = block(2, struct.pack("<HHIIII", 0, 9, 0, 8, 2, 2) + b"hi")
    simple = block(3, struct.pack("<I", 4) + b"abcd")
    drops = struct.pack("<HHQHHQ", 5, 8, 30, 7, 8, 12)
    statistics = block(5, struct.pack("<III", 0, 0, 0) + drops)
    packets, file = read(section() + interface(1) + old + simple + statistics)
    assert packets == [Packet(8000, 1, b"hi", 0)]
    assert (file.untimed, file.dropped, file.cut) == (1, 42, "")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no packet capture; found an empty file"),
        (b"\xd4\xc3\xb2", "is no packet capture"),
        (b"PAR1" + bytes(100), "is no packet capture; found b'PAR1'; allowed: a packet capture as tcpdump"),
        (b"\x34\xcd\xb2\xa1" + bytes(100), "is no packet capture"),
        (pcap([])[:20], "ends within its first header"),
        (pcap([]).replace(b"\x02\0\x04\0", b"\x03\0\x04\0"), "another version; found 3.4; allowed: 2.4"),
        (b"\n\r\r\n" + bytes(30), "its byte order is not told"),
    ],
)
def test_other_files_are_one_clear_error(data: bytes, said: str) -> None:
    """A beginning that no packet capture has."""
    with pytest.raises(InputError, match=said.replace(".", r"\.")):
        read(data)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (pcap([(1.0, b"abc")])[:-1], "ends within a packet, after 0"),
        (pcap([(1.0, b"abc")])[:30], "ends within the header of a packet, after 0"),
        (pcap([(1.0, b"a")]) + b"\xff" * 16, "damaged at byte 57 after 1 packets: a packet of 4294967295"),
        (section() + interface(1) + enhanced(0, 1, b"abcd")[:-2], "ends within a block"),
        (section() + interface(1) + enhanced(7, 1, b"abcd"), "interface 7, which it does not describe"),
        (section() + b"\x06\0\0\0\x0b\0\0\0", "a block of 11 bytes"),
        (section() + b"\x06\0", "ends within the head of a block"),
        (section() + block(6, b"\0\0\0\0"), "too few for what it says"),
        (
            section() + interface(1) + block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99)),
            "a packet of 99 bytes in a",
        ),
        (section() + interface(1)[:-4] + b"\0\0\0\0", "another length than it begins with"),
        (section() + interface(1, options=struct.pack("<HH", 9, 400)), "too few"),
        (
            section() + interface(1, options=struct.pack("<HHB3x", 9, 1, 0)) + enhanced(0, 1 << 63, b""),
            "a time that",
        ),
        (section() + interface(1) * 4097, "more than 4096 interfaces"),
        (section()[:20], "ends within the head of a section"),
        (section().replace(b"\x01\0\0\0\xff", b"\x02\0\0\0\xff"), "another version of pcapng"),
        (b"\n\r\r\n\x14\0\0\0M<+\x1a", "a section's head of 20 bytes"),
        (section() + b"\n\r\r\n" + bytes(8), "ends within|byte order is not told|no pcapng"),
    ],
)
def test_what_is_whole_is_given_and_the_rest_said(broken: bytes, said: str) -> None:
    """A file that is cut or damaged further on."""
    try:
        _, file = read(broken)
        found = file.cut
    except InputError as error:
        found = str(error)
    assert any(part in found for part in said.split("|")), found


def test_a_gzip_stream_that_ends_early(tmp_path: Path) -> None:
    """What was unpacked until then is given."""
    packed = gzip.compress(pcap([(at, bytes(range(256)) * 4) for at in range(100)]), mtime=0)
    (tmp_path / "k.pcap").write_bytes(packed[:-20])
    with open_regular(tmp_path / "k.pcap") as raw, unpacked(raw, PATH) as source:
        file = PacketFile(source, PATH)
        assert len(list(file)) > 50
    assert "the file is a cut short gzip file (Compressed file ended" in file.cut


@given(
    st.sampled_from(["pcap", "ng"]),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255))),
    st.integers(0, 400),
)
def test_damage_anywhere_is_at_most_an_input_error(
    form: str, changes: list[tuple[int, int]], end: int
) -> None:
    """Whatever the bytes: packets and a reason why they end, or one clear error."""
    whole = pcap([(at, bytes([at]) * at) for at in range(12)])
    if form == "ng":
        whole = section() + interface(1) + b"".join(enhanced(0, at, bytes([at]) * at) for at in range(12))
    data = bytearray(whole[: len(whole) - end] if end < 100 else whole)
    for place, value in changes:
        if place < len(data):
            data[place] = value
    try:
        packets, _ = read(bytes(data))
    except InputError:
        return
    assert sum(len(packet.data) for packet in packets) <= len(data)
