"""Images: files, and what is refused."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from froude.base.errors import GuardError, InputError, MissingError
from froude.cache.disk.backing import Image

NO_IMAGE = "is no image"


_SIZE = 3 * 65536 + 1000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An image of some bytes."""
    file = tmp_path / "vm.raw"
    file.write_bytes(bytes(range(250)) * (_SIZE // 250) + bytes(_SIZE % 250))
    return file


@pytest.mark.parametrize("direct", [False, True])
def test_an_image_is_read_and_written(path: Path, direct: bool) -> None:
    """At any place, whole blocks or not, with and without the page cache; also its odd end."""
    try:
        image = Image(path, direct=direct)
    except MissingError as error:  # a file system without O_DIRECT
        pytest.skip(str(error))
    held = bytearray(path.read_bytes())
    assert image.size == _SIZE
    pieces = [(0, 4096), (4096, 8192), (100, 50), (4000, 9000), (_SIZE - 1, 1), (_SIZE - 5000, 5000)]
    for number, (offset, length) in enumerate(pieces):
        data = bytes([number]) * length
        image.write(offset, data, durable=number % 2 == 0)
        held[offset : offset + length] = data
        for at, size in pieces:
            assert bytes(image.read(at, size)) == held[at : at + size]
    image.zero(50, 10_000, hole=True, durable=True)
    held[50:10_050] = bytes(10_000)
    image.flush()
    assert bytes(image.read(0, _SIZE)) == held
    now = image.read_now(0, 5000)
    assert now is None or (not direct and now == held[:5000])
    image.close()
    assert path.read_bytes() == held


def test_its_state_tells_of_every_write(path: Path) -> None:
    """And of which file it is, whatever its name."""
    link = path.with_name("link")
    link.symlink_to(path)
    image = Image(link, direct=False)
    before = image.state()
    assert before.dated
    assert before.mark is not None
    os.utime(path, ns=(1, 1))  # what a program says of the time does not count
    image.write(0, b"x", durable=False)
    after = image.state()
    assert after.mark is not None
    assert after.mark >= before.mark
    assert (after.name, after.size_bytes) == (before.name, _SIZE)
    image.close()
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    other = Image(copy, direct=False)
    assert other.state().name != before.name
    other.close()


def test_an_image_that_is_cut_short_is_an_error(path: Path) -> None:
    """Not fewer bytes."""
    image = Image(path, direct=False)
    os.truncate(path, 100)
    with pytest.raises(OSError, match="ends before") as caught:
        image.read(50, 100)
    assert caught.value.errno == errno.EIO
    assert image.read_now(50, 100) is None
    image.close()


def test_two_at_a_time_are_refused(path: Path) -> None:
    """By the lock, within one process too; free again after the end."""
    first = Image(path, direct=False)
    with pytest.raises(GuardError, match="another program has locked it"):
        Image(path, direct=False)
    first.close()
    Image(path, direct=False).close()


def test_one_that_another_process_has_open_is_refused(path: Path) -> None:
    """As a running virtual machine has its disk."""
    words = [
        sys.executable,
        "-c",
        "import sys; f = open(sys.argv[1]); print(1, flush=True); sys.stdin.read()",
    ]
    with subprocess.Popen([*words, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(GuardError, match=f"open in process {other.pid}"):
            Image(path, direct=False)
        other.communicate()
    Image(path, direct=False).close()


def test_what_is_no_image_is_refused(tmp_path: Path) -> None:
    """With what it is."""
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name, said in (
        ("empty", "is empty"),
        ("pipe", NO_IMAGE),
        (".", NO_IMAGE),
        ("no", "No such"),
    ):
        with pytest.raises(InputError, match=said):
            Image(tmp_path / name, direct=False)
