"""Descriptors and wire names come out of class files, however the compiler cut them."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from froude.base.errors import InputError
from froude.messages.classfile import read_class
from froude.messages.descriptors import descriptors_of, scan
from froude.messages.jars import Jar
from tests.support.hadoop.class_writer import class_file, jar, outer_class, ping_descriptor, ping_jar


@pytest.mark.parametrize("part", [40, 80, 400, 16_000])
def test_a_descriptor_is_joined_from_its_parts(part: int) -> None:
    """Parts of protobuf 2.5 (400 characters) and of later ones (16,000) are joined to the same file."""
    file = ping_descriptor()
    descriptors = dict(descriptors_of(read_class(outer_class("P", file, part), "P")))
    assert FileDescriptorProto.FromString(descriptors["Ping.proto"]) == file


def test_a_descriptor_that_ends_with_a_full_part() -> None:
    """When the last part has full length what stands behind it is left out."""
    file = ping_descriptor()
    while len(file.SerializeToString()) % 40:
        file.package += "x"
        file.ClearField("service")
    text = file.SerializeToString().decode("latin-1")
    parts = [text[at : at + 40] for at in range(0, len(text), 40)]
    assert dict(descriptors_of(read_class(class_file("P", [*parts, "Stranger"]), "P"))) == {
        "Ping.proto": file.SerializeToString()
    }


def test_a_damaged_descriptor_is_named() -> None:
    """A constant that begins like a descriptor and is none raises InputError with the class."""
    raw = "\n\x0aPing.proto" + "\x7f" * 20
    with pytest.raises(InputError, match=r"x\.jar!P: has a file descriptor that cannot be read"):
        list(descriptors_of(read_class(class_file("P", [raw]), "x.jar!P")))


def test_protocols_follow_annotation_and_inheritance(tmp_path: Path) -> None:
    """The annotation names a protocol, else the class's name does; a service may come by an ancestor."""
    scanned = scan([Jar(ping_jar(tmp_path / "hadoop.jar"))])
    service = ("Ping.proto", "PingService")
    assert scanned.protocols == {"org.example.PingProtocol": service, "org.example.HeirProtocolPB": service}


def test_moved_classes_are_found(tmp_path: Path) -> None:
    """A build that moved its generated classes is read in full; shaded copies of other libraries are not."""
    moved = outer_class("odd/Place", ping_descriptor())
    path = jar(
        tmp_path / "odd.jar",
        {"odd/Place": moved, "x/shaded/proto/P": outer_class("P", ping_descriptor("Q.proto"))},
    )
    assert list(scan([Jar(path)]).files) == ["Ping.proto"]
