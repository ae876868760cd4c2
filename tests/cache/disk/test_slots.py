"""The cache file and its index, in real files."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import GuardError, InputError, MissingError
from froude.cache.disk import slots
from froude.cache.disk.header import ImageState
from froude.cache.disk.slots import CacheFile
from froude.cache.disk.table import sums_of

_CHUNK = 16384
_IMAGE = ImageState("file 1:2 3", 100 * _CHUNK, 5_000_000_000, dated=True)


def opened(path: Path, image: ImageState = _IMAGE, *, direct: bool = False) -> tuple[CacheFile, list[int]]:
    """The file, and the chunks that it had."""
    try:
        file = CacheFile(path, direct=direct)
    except MissingError as error:
        pytest.skip(str(error))
    return file, [record.chunk for record in file.start(image, _CHUNK, chosen=False)]


def put(file: CacheFile, slot: int, chunk: int) -> bytes:
    """Cache a chunk."""
    data = bytes([chunk]) * _CHUNK
    file.write(slot, 0, data)
    file.table.set_sums(slot, 0, sums_of(data))
    file.table.publish(slot, chunk)
    return data


def ends(file: CacheFile, image: ImageState | None) -> None:
    """Close it; a test that fails before leaves that to the system."""
    file.close(image)


def test_what_an_earlier_life_left_takes_no_space(tmp_path: Path) -> None:
    """Slots that held data which nobody needed when it was killed: they are booked as holes, and are some."""
    first, _ = opened(tmp_path / "c")
    for slot in range(6):
        put(first, slot, slot + 1)
    for slot in (1, 4, 5):
        first.table.clear(slot)
    ends(first, None)
    again, found = opened(tmp_path / "c")
    assert sorted(found) == [1, 3, 4]
    before = again.allocated_bytes
    again.empty([1], 4)
    assert before - again.allocated_bytes >= 3 * _CHUNK
    assert again.read(0, 0, _CHUNK) == bytes([1]) * _CHUNK
    assert again.read(3, 0, _CHUNK) == bytes([4]) * _CHUNK
    ends(again, None)


def test_a_file_that_is_no_index_is_not_written_over(tmp_path: Path) -> None:
    """Somebody's notes that are called as the index would be."""
    (tmp_path / "c.index").write_text("precious notes")
    with pytest.raises(InputError, match="is no index of a cache, and is not written over"):
        opened(tmp_path / "c")
    assert (tmp_path / "c.index").read_text() == "precious notes"


@pytest.mark.parametrize("length", [0, 5, 1000, 4095])
def test_an_index_that_was_cut_is_damaged(tmp_path: Path, length: int) -> None:
    """The cache begins anew."""
    first, _ = opened(tmp_path / "c")
    put(first, 0, 7)
    ends(first, _IMAGE)
    os.truncate(tmp_path / "c.index", length)
    again, found = opened(tmp_path / "c")
    assert (found, again.cold_reason) == ([], "the index was damaged or absent")
    ends(again, None)


@pytest.mark.parametrize("direct", [False, True])
def test_what_is_cached_outlives_a_kill(tmp_path: Path, direct: bool) -> None:
    """The data too; with and without the page cache."""
    path = tmp_path / "c"
    first, found = opened(path, direct=direct)
    assert (found, first.cold_reason) == ([], None)
    data = put(first, 0, 7)
    put(first, 1, 8)
    first.table.clear(1)
    ends(first, None)  # as a kill: nothing is written at the end
    again, found = opened(path, direct=direct)
    assert (found, again.cold_reason) == ([7], None)
    assert bytes(again.read(0, 0, _CHUNK)) == data
    assert again.generation == first.generation
    assert len(again.read(0, 0, 3 * _CHUNK)) == 2 * _CHUNK
    assert again.chosen_chunk is None
    ends(again, None)


def test_after_a_clean_end_the_machine_may_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill it may not; and a start makes it unclean again."""
    path, boot = tmp_path / "c", tmp_path / "boot"
    boot.write_text("one\n")
    monkeypatch.setattr(slots, "_BOOT", boot)
    for clean, left in ((True, [7]), (False, [])):
        file, _ = opened(path)
        put(file, 0, 7)
        ends(file, _IMAGE if clean else None)
        boot.write_text(f"{clean}\n")
        file, found = opened(path)
        assert found == left
        ends(file, _IMAGE)
    boot.unlink()
    file, found = opened(path)
    assert found == []
    put(file, 0, 7)
    ends(file, None)
    file, found = opened(path)
    assert (found, file.cold_reason) == ([], "the machine was restarted before the cache was closed")
    ends(file, None)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "file 1:2 4"}, "of another image"),
        ({"size_bytes": 99 * _CHUNK}, "of another image"),
        ({"mark": 6_000_000_000}, "the image was changed"),
    ],
)
def test_another_image_finds_nothing(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    """And the space of what was cached is given back."""
    file, _ = opened(tmp_path / "c")
    put(file, 30, 7)
    former = file.generation
    ends(file, _IMAGE)
    file, found = opened(tmp_path / "c", replace(_IMAGE, **change))  # type: ignore[arg-type]
    assert found == []
    assert reason in str(file.cold_reason)
    assert file.generation == former + 1
    assert (tmp_path / "c").stat().st_size == 4096
    ends(file, None)


def test_own_writes_explain_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the last one."""
    monkeypatch.setattr(slots.time, "time_ns", lambda: 9_000_000_000)
    for mark, left in ((9_010_000_000, [7]), (9_100_000_000, [])):
        file, _ = opened(tmp_path / f"c{mark}")
        put(file, 0, 7)
        file.writing()
        ends(file, None)
        file, found = opened(tmp_path / f"c{mark}", replace(_IMAGE, mark=mark))
        assert found == left
        ends(file, None)


def test_a_damaged_or_lost_index_is_cold(tmp_path: Path) -> None:
    """With the reason; so are a cache of other chunks, and a file whose data are gone."""
    path = tmp_path / "c"
    for damage in ("head", "gone", "chunk", "data"):
        file, _ = opened(path)
        put(file, 0, 7)
        put(file, 2, 8)
        ends(file, _IMAGE)
        if damage == "head":
            with file.index_path.open("r+b") as out:
                out.seek(70)
                out.write(b"X")
        elif damage == "gone":
            file.index_path.unlink()
        elif damage == "data":
            os.truncate(path, 4096 + _CHUNK)
        file = CacheFile(path, direct=False)
        chunk = 2 * _CHUNK if damage == "chunk" else _CHUNK
        found = [record.chunk for record in file.start(_IMAGE, chunk, chosen=False)]
        assert found == ([7] if damage == "data" else [])
        assert (file.cold_reason is None) is (damage == "data")
        ends(file, None)


def test_a_chosen_chunk_size_is_remembered(tmp_path: Path) -> None:
    """And begins with an empty cache."""
    file, _ = opened(tmp_path / "c")
    put(file, 0, 7)
    former = file.generation
    file.reformat(_IMAGE, 4096)
    assert file.generation == former + 1
    assert (tmp_path / "c").stat().st_size == 4096
    file.write(3, 0, b"x" * 4096)
    ends(file, None)
    again = CacheFile(tmp_path / "c", direct=False)
    assert again.chosen_chunk == 4096
    assert again.start(_IMAGE, 4096, chosen=True) == []
    ends(again, None)


def test_a_chunk_size_for_whose_index_there_is_no_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything stays as it was."""
    file, _ = opened(tmp_path / "c")
    data = put(file, 0, 7)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(slots.os, "posix_fallocate", full)
        with pytest.raises(OSError, match="No space left"):
            file.reformat(_IMAGE, 4096)
    assert bytes(file.read(0, 0, _CHUNK)) == data
    ends(file, None)
    again, found = opened(tmp_path / "c")
    assert found == [7]
    ends(again, None)


def test_space_is_given_back(tmp_path: Path) -> None:
    """Of slots side by side and apart; the others keep their data."""
    file, _ = opened(tmp_path / "c")
    for slot in range(32):
        put(file, slot, slot)
    before = file.allocated_bytes
    file.punch([0, 1, 2, 5, 30, 31])
    assert file.allocated_bytes <= before - 6 * _CHUNK + 4096
    assert bytes(file.read(4, 0, 2 * _CHUNK)) == bytes([4]) * _CHUNK + bytes(_CHUNK)
    ends(file, None)


def test_a_full_ssd_is_an_error_and_no_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index gets its space before it is stored to."""
    file = CacheFile(tmp_path / "c", direct=False)
    file.start(ImageState("x", 1 << 40, 5, dated=True), 4096, chosen=False)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file.write(0, 0, bytes(4096))
    monkeypatch.setattr(slots.os, "posix_fallocate", full)
    file.write(1, 0, bytes(4096))  # within what was given at first
    with pytest.raises(OSError, match="No space left"):
        file.write(1 << 20, 0, bytes(4096))
    ends(file, None)


def test_a_large_disk_takes_little_index(tmp_path: Path) -> None:
    """Of a disk of a terabyte in small chunks: the index grows with the cache."""
    file = CacheFile(tmp_path / "c", direct=False)
    file.start(ImageState("x", 1 << 40, 5, dated=True), 4096, chosen=False)
    assert file.index_path.stat().st_size > 1 << 32
    assert file.allocated_bytes < 3 << 20
    ends(file, None)


def test_two_servers_are_refused(tmp_path: Path) -> None:
    """The second one, before it changes anything."""
    file, _ = opened(tmp_path / "c")
    put(file, 0, 7)
    with pytest.raises(GuardError, match="in use by another server"):
        CacheFile(tmp_path / "c", direct=False)
    ends(file, _IMAGE)
    again, found = opened(tmp_path / "c")
    assert found == [7]
    ends(again, None)


def test_what_is_no_cache_is_not_written_over(tmp_path: Path) -> None:
    """A typing error could name the VM's own disk."""
    (tmp_path / "vm.raw").write_bytes(b"data")
    with pytest.raises(InputError, match="is no cache file"):
        CacheFile(tmp_path / "vm.raw", direct=False)
    assert (tmp_path / "vm.raw").read_bytes() == b"data"
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="a link"):
        CacheFile(tmp_path / "link", direct=False)
    (tmp_path / "c.index").mkdir()
    with pytest.raises(InputError, match="a folder"):
        CacheFile(tmp_path / "c", direct=False)
