"""Jars are read member by member within bounds; a damaged one is named."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.messages.jars import MEMBER_LIMIT_BYTES, Jar
from tests.support.hadoop.class_writer import jar

ALL = re.compile(rb"class$")


def test_members_are_chosen_by_name_and_inflated(tmp_path: Path) -> None:
    """Only members whose name matches are given, with their content, stored or deflated."""
    path = jar(tmp_path / "a.jar", {"x/A": b"aaa" * 100, "y/B": b"b"})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as more:
        more.writestr("z/C.class", b"stored")
    archive = Jar(path)
    contents = {member.name: data for member, data in archive.read(archive.members(re.compile(rb"^[xz]/")))}
    assert contents == {"x/A.class": b"aaa" * 100, "z/C.class": b"stored"}


def test_the_key_follows_content_and_name(tmp_path: Path) -> None:
    """One changed byte of a member changes the key; a copy elsewhere of the same name does not."""
    keys = []
    for folder, content in (("one", b"aaaa"), ("two", b"aaaa"), ("three", b"aaab")):
        (tmp_path / folder).mkdir()
        keys.append(Jar(jar(tmp_path / folder / "a.jar", {"x/A": content})).content_key())
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("content", [b"", b"PK", b"x" * 100, b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_jar_is_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, short and foreign files are refused by name."""
    path = tmp_path / "no.jar"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"no\.jar"):
        Jar(path)
    with pytest.raises(InputError, match=r"absent\.jar: "):
        Jar(tmp_path / "absent.jar")


def test_every_flipped_byte_is_either_harmless_or_stated(tmp_path: Path) -> None:
    """A damaged jar raises InputError or reads the same content; nothing else escapes."""
    whole = jar(tmp_path / "a.jar", {"x/A": b"content" * 20}).read_bytes()
    path = tmp_path / "b.jar"
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            archive = Jar(path)
            for _, data in archive.read(archive.members(ALL)):
                assert data == b"content" * 20
        except InputError as error:
            assert "b.jar" in str(error)


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """A claim over the bound is refused before anything is inflated, and a bomb stops at its claim."""
    path = jar(tmp_path / "a.jar", {"x/A": bytes(1 << 20)})
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x05\x06"))
    for claim in (MEMBER_LIMIT_BYTES + 1, 10):
        struct.pack_into("<I", data, at + 24, claim)
        path.write_bytes(data)
        archive = Jar(path)
        with pytest.raises(InputError, match=r"a\.jar!x/A\.class: has a damaged member"):
            list(archive.read(archive.members(ALL)))
