"""The client of the control socket, against a peer that says what it likes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from froude.base.errors import MissingError, TargetError
from froude.cache.disk.client import DiskClient
from froude.cache.disk.commands import answer_line
from froude.cache.disk.status import DiskStatus, Limits


@contextmanager
def answering(path: Path, answer: bytes) -> Iterator[list[bytes]]:
    """A peer that gives every line the same answer, and ends where that is empty."""
    asked: list[bytes] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                asked.append(line)
                if not answer:
                    return
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield asked
    finally:
        thread.join()
        listener.close()


def test_a_disk_is_asked(tmp_path: Path) -> None:
    """One line each; the status comes back as a value."""
    status = DiskStatus(image="/vm.raw", hits=3)
    with (
        answering(tmp_path / "s", answer_line(status.to_json())) as asked,
        DiskClient(tmp_path / "s") as disk,
    ):
        assert disk.stat() == status
        disk.resize(5)
        disk.limit(Limits(iops=60))
        disk.curve(forget=True)
    assert asked == [
        b'{"cmd": "stat"}\n',
        b'{"cmd": "resize", "bytes": 5}\n',
        b'{"cmd": "limit", "iops": 60, "bytes_per_s": null}\n',
        b'{"cmd": "curve", "forget": true}\n',
    ]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "ended the connection"),
        (b"no\n", "no JSON"),
        (b"[]\n", "no object"),
        (b"{}\n", "s:hits: "),
        (b'{"error": {"message": "is not allowed", "place": "bytes"}}\n', "is not allowed"),
    ],
)
def test_other_answers_are_stated(tmp_path: Path, answer: bytes, said: str) -> None:
    """A refusal with the disk's own words."""
    with (
        answering(tmp_path / "s", answer),
        DiskClient(tmp_path / "s") as disk,
        pytest.raises(TargetError, match=said),
    ):
        disk.stat()


def test_an_answer_that_drips(tmp_path: Path) -> None:
    """A byte at a time is no answer; what comes later is not taken for the next one."""
    gone = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            while not gone.wait(0.02):
                connection.sendall(b"x")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        thread = threading.Thread(target=drip)
        thread.start()
        with DiskClient(tmp_path / "s", timeout_s=0.3) as disk:
            for said in ("timed out", "does not answer"):
                with pytest.raises(TargetError, match=said):
                    disk.stat()
        gone.set()
        thread.join()


def test_nobody_there_is_stated(tmp_path: Path) -> None:
    """With the path."""
    with pytest.raises(MissingError, match="no disk answers there"):
        DiskClient(tmp_path / "s")
