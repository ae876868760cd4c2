"""A cached disk in a process of its own: its start, its end, and what a kill leaves."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from froude.base.errors import InputError
from froude.cache.disk.process import DiskSettings
from froude.cache.disk.status import Limits
from testbed.nbd_client import NbdClient, served

_SIZE = 4 << 20
_DISK = [sys.executable, "-c", "from froude.cli.app import main; main()", "cache", "disk"]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Four MiB of chance."""
    path = tmp_path / "vm.raw"
    path.write_bytes(random.Random(1).randbytes(_SIZE))
    return path


def test_a_stop_leaves_a_warm_cache(image: Path) -> None:
    """Sockets go, the status is told; the next start finds what was read, and serves it."""
    with served(image, "--port", "0", size="1MiB") as disk:
        client = disk.client()
        data = client.read(0, 1 << 20)
        client.write(8192, b"new" * 100, fua=True)
        with disk.disk() as control:
            assert control.stat().connections == 1
        end = disk.stop()
    assert (end["reads"], end["writes"], end["cold_reason"]) == (1, 1, None)
    assert not disk.socket.exists()
    assert not disk.control.exists()
    with served(image) as disk:
        assert disk.client().read(0, 1 << 20) == data[:8192] + b"new" * 100 + data[8492:]
        with disk.disk() as control:
            status = control.stat()
            assert status.restored_chunks == 64
            assert status.misses == 0


def test_what_was_set_last_is_in_force_after_a_kill(image: Path) -> None:
    """Others may have got what it gave up; another size than at its last start counts again."""
    with served(image, size="1MiB") as disk:
        with disk.disk() as control:
            control.resize(65536)
            control.limit(Limits(500))
        disk.kill()
    for size, found in (("1MiB", (65536, 500)), ("2MiB", (2 << 20, None)), ("2MiB", (2 << 20, None))):
        with served(image, size=size) as disk, disk.disk() as control:
            status = control.stat()
            assert (status.cache_bytes, status.iops_limit) == found


@pytest.mark.parametrize("words", [[], ["--direct", "--cache-writes"]])
def test_a_kill_leaves_a_warm_cache_and_every_write(image: Path, words: list[str]) -> None:
    """At any moment of reads, writes and resizes; what was answered is there, and so is what is cached."""
    chance = random.Random(2)
    held = bytearray(image.read_bytes())
    restored = 0
    for _life in range(3):
        with served(image, *words, size="512KiB") as disk:
            client = disk.client()
            with disk.disk() as control:
                restored += control.stat().restored_chunks
                for step in range(60):
                    offset = chance.randrange(_SIZE // 512 - 64) * 512
                    data = chance.randbytes(512 * chance.choice([1, 8, 16]))
                    if chance.random() < 0.5:
                        client.write(offset, data, fua=chance.random() < 0.1)
                        held[offset : offset + len(data)] = data
                    else:
                        assert client.read(offset, 16384) == held[offset : offset + 16384]
                    if step % 20 == 7:
                        control.resize(chance.choice([0, 65536, 512 << 10]))
                control.resize(512 << 10)
                for offset in range(0, 256 << 10, 65536):
                    assert client.read(offset, 65536) == held[offset : offset + 65536]
            pending = chance.randrange(_SIZE // 4096 - 16) * 4096
            client.send(1, pending, data=bytes(held[pending : pending + 65536]))  # under way when it dies
            disk.kill()
    assert restored > 0, "no life found anything of the one before"
    with served(image, *words) as disk:
        client = disk.client()
        assert b"".join(client.read(at, 1 << 20) for at in range(0, _SIZE, 1 << 20)) == held


def test_a_changed_image_is_not_served_from_the_cache(image: Path) -> None:
    """Changed while nothing ran: after a stop, and after a kill."""
    for kill in (False, True):
        with served(image) as disk:
            client = disk.client()
            client.read(0, 65536)
            if kill:
                disk.kill()
            else:
                disk.stop()
        with image.open("r+b") as out:
            out.write(b"changed %d" % kill)
        with served(image) as disk:
            assert disk.client().read(0, 9) == b"changed %d" % kill
            with disk.disk() as control:
                assert control.stat().cold_reason == "the image was changed"


def test_limits_and_a_port(image: Path) -> None:
    """From the command line."""
    with served(image, "--port", "0", "--iops", "1000", "--bandwidth", "1MB") as disk, disk.disk() as control:
        status = control.stat()
        assert (status.iops_limit, status.bytes_per_s_limit) == (1000, 1_000_000)
        (port,) = [each.laddr.port for each in psutil.Process(disk.process.pid).net_connections("tcp")]
        assert NbdClient(port).read(0, 10) == image.read_bytes()[:10]


def test_what_cannot_be_served_is_stated(image: Path, tmp_path: Path) -> None:
    """One line, exit code 1, nothing left behind."""

    def attempt(*words: str) -> str:
        command = [*_DISK, *words, "--size", "1MB", "--socket", str(tmp_path / "t.sock")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "t.sock").exists()
        return done.stderr

    with served(image) as disk:
        disk.client().read(0, 1)
        assert "in use" in attempt(str(image), "--cache", str(tmp_path / "other"))
        other = tmp_path / "other.raw"
        other.write_bytes(bytes(4096))
        assert "in use by another server" in attempt(str(other), "--cache", str(image.with_suffix(".cache")))
        assert disk.client().read(0, 1) == image.read_bytes()[:1]
    assert "is the image itself" in attempt(str(other), "--cache", str(other))
    named = tmp_path / "disk.index"
    named.write_bytes(b"data" * 1024)
    assert "is the image itself" in attempt(str(named), "--cache", str(tmp_path / "disk"))
    assert named.read_bytes() == b"data" * 1024
    (tmp_path / "t2.sock").touch()
    assert "is no socket" in attempt(
        str(other), "--cache", str(tmp_path / "c"), "--control", str(tmp_path / "t2.sock")
    )


@pytest.mark.parametrize("chunk", [0, 1000, 6000, 32 << 20])
def test_a_chunk_size_is_checked(chunk: int) -> None:
    """Whole blocks, and not too many."""
    with pytest.raises(InputError, match="--chunk"):
        DiskSettings(Path("i"), Path("c"), 1, Path("s"), Path("t"), chunk_bytes=chunk)
