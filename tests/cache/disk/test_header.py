"""Whether a cache may be believed after a restart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.cache.disk.header import (
    HEADER_BYTES,
    Granted,
    Header,
    ImageState,
    cold_reason,
    explain,
    keep,
    kept,
    read_header,
    read_until,
    write_header,
)
from froude.cache.disk.status import Limits

_S = 1_000_000_000
_IMAGE = ImageState("file 8:1 12", 1 << 30, 100 * _S, dated=True)
_HEADER = Header(
    generation=3,
    chunk_bytes=16384,
    chunk_chosen=False,
    image="file 8:1 12",
    image_bytes=1 << 30,
    mark=100 * _S,
    boot="one",
    clean=False,
)


def reason(header: Header, image: ImageState, *, until: int = 0, boot: str = "one") -> str | None:
    """Why it is cold."""
    return cold_reason(header, until, image, boot)


def test_killed_and_started_again() -> None:
    """Warm: the change time is what it was, or what own writes made it."""
    assert reason(_HEADER, _IMAGE) is None
    assert reason(_HEADER, replace(_IMAGE, mark=105 * _S), until=106 * _S) is None
    assert reason(_HEADER, replace(_IMAGE, mark=107 * _S), until=106 * _S) == "the image was changed"
    assert reason(_HEADER, replace(_IMAGE, mark=99 * _S), until=106 * _S) == "the image was changed"


def test_stopped_and_started_again() -> None:
    """Warm, also after a restart of the machine, if nothing at all has changed."""
    stopped = replace(_HEADER, clean=True)
    assert reason(stopped, _IMAGE, boot="two") is None
    assert reason(stopped, replace(_IMAGE, mark=101 * _S), until=200 * _S) == "the image was changed"


@pytest.mark.parametrize("boot", ["two", ""])
def test_a_crash_of_the_machine_is_cold(boot: str) -> None:
    """The image may have lost what the cache has; also where nothing tells one boot from another."""
    header = replace(_HEADER, boot=boot if boot == "" else "one")
    assert reason(header, _IMAGE, boot=boot) == "the machine was restarted before the cache was closed"


def test_another_image_is_cold() -> None:
    """By its identity, or its size."""
    for image in (replace(_IMAGE, name="file 8:1 13"), replace(_IMAGE, size_bytes=1)):
        assert reason(_HEADER, image) == "the cache is of another image"


def test_a_device_is_believed_after_a_stop_only() -> None:
    """Its count of written sectors tells; after a kill the kernel's own writing out hides who wrote."""
    device = ImageState("device sdb 4", 1 << 30, 1000, dated=False)
    header = replace(_HEADER, image=device.name, mark=1000)
    assert reason(replace(header, clean=True), device) is None
    assert reason(replace(header, clean=True), replace(device, mark=1001)) == "the image was changed"
    assert "a device does not tell" in str(reason(header, device))
    assert reason(replace(header, clean=True, mark=None), replace(device, mark=None)) is not None
    assert "counts anew" in str(reason(replace(header, clean=True), device, boot="two"))


def test_what_is_in_force_is_kept_for_who_asks_the_same() -> None:
    """Beside the head and what explains writes; damage anywhere makes it nothing."""
    buffer = bytearray(HEADER_BYTES)
    asked, now = Granted(1 << 30, Limits(100)), Granted(1 << 20, Limits(None, 5e6))
    assert kept(buffer, asked) is None
    keep(buffer, asked, now)
    write_header(buffer, _HEADER)
    explain(buffer, 100 * _S)
    assert kept(buffer, asked) == now
    assert read_header(buffer) == _HEADER
    assert kept(buffer, Granted(1 << 31, Limits(100))) is None
    for at in range(len(buffer) - 48, len(buffer) - 8):
        damaged = bytearray(buffer)
        damaged[at] ^= 1
        assert kept(damaged, asked) is None


def test_a_head_is_read_back() -> None:
    """What was noted of own writes stays; damage anywhere makes it none."""
    buffer = bytearray(HEADER_BYTES)
    assert read_header(buffer) is None
    explain(buffer, 5 * _S)
    write_header(buffer, _HEADER)
    assert read_header(buffer) == _HEADER
    assert read_until(buffer) == 5 * _S + 40_000_000
    for at in (3, 30, 60, 200):
        damaged = bytearray(buffer)
        damaged[at] ^= 4
        assert read_header(damaged) is None


def test_own_writes_are_noted_before_they_end() -> None:
    """Always at least a little ahead, and never far: what others write then is taken for ours."""
    buffer = bytearray(HEADER_BYTES)
    now = 10 * _S
    for step in (0, 1_000_000, 15_000_000, 500_000_000, 1):
        now += step
        explain(buffer, now)
        assert now + 20_000_000 <= read_until(buffer) <= now + 40_000_000
