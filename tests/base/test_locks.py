"""Locks between processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from froude.base.errors import GuardError, InputError, MissingError
from froude.base.files import take
from froude.base.locks import alone, beside, held, in_turn

_HOLDER = """
import sys, time
from pathlib import Path
from froude.base.locks import in_turn
with in_turn(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("place", [".", "/", ""])
def test_what_has_no_name_has_no_lock_next_to_it(place: str) -> None:
    """A folder where a file is needed is refused."""
    with pytest.raises(InputError, match="is a folder where a file is needed"):
        beside(Path(place))


def test_one_at_a_time(tmp_path: Path) -> None:
    """A second one is refused while the block runs, also where it ends with an error; nothing stays behind."""
    lock = tmp_path / ".lock"
    with suppress(ZeroDivisionError), alone(lock, of=tmp_path, other="daemon"):
        assert held(lock)
        with pytest.raises(GuardError, match="by another daemon"), alone(lock, of=tmp_path, other="daemon"):
            pass
        raise ZeroDivisionError
    assert not held(lock)
    assert not lock.exists()
    with alone(lock, of=tmp_path, other="daemon"):
        pass


def test_one_after_the_other(tmp_path: Path) -> None:
    """Whoever waits does so until the file is its own, although each holder removes it: no count is lost."""
    count = tmp_path / "count"
    count.write_text("0")

    def add() -> None:
        for _ in range(50):
            with in_turn(tmp_path / ".lock"):
                count.write_text(str(int(count.read_text()) + 1))

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count.read_text() == "400"
    assert [each.name for each in tmp_path.iterdir()] == ["count"]


def test_a_holder_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    """What it leaves is taken over."""
    lock = tmp_path / ".lock"
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(lock)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    with holder.stdout:
        assert holder.stdout.readline() == b"held\n"
    assert held(lock)
    holder.kill()
    holder.wait()
    assert not held(lock)
    with alone(lock, of=tmp_path, other="command"):
        assert held(lock)


def test_what_stands_in_its_place(tmp_path: Path) -> None:
    """Is neither waited for nor removed: a folder, a pipe, a file with something in it."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("mine")
    for name in ("pipe", "text"):
        with pytest.raises(InputError, match=f"{name}: is no lock"), in_turn(tmp_path / name):
            pass
    with pytest.raises(MissingError, match="folder"), in_turn(tmp_path / "folder"):
        pass
    assert {each.name for each in tmp_path.iterdir()} == {"folder", "pipe", "text"}


def test_the_file_of_another_is_left(tmp_path: Path) -> None:
    """Where somebody removed ours, and another holds a new one."""
    lock = tmp_path / ".lock"
    first, second = ExitStack(), ExitStack()
    first.enter_context(in_turn(lock))
    lock.unlink()
    with second:
        second.enter_context(in_turn(lock))
        first.close()
        assert held(lock)
    assert not lock.exists()


def test_a_forked_child_holds_nothing(tmp_path: Path) -> None:
    """It removes no lock when it leaves the block."""
    lock = tmp_path / ".lock"
    child = 1
    with in_turn(lock):
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            assert held(lock)
    if not child:
        os._exit(0)
    assert not held(lock)


def test_a_folder_that_cannot_be_written_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held is given back all the same."""
    lock = tmp_path / ".lock"
    with monkeypatch.context() as patched, in_turn(lock):
        patched.setattr(Path, "unlink", lambda *_: (_ for _ in ()).throw(PermissionError()))
    with alone(lock, of=tmp_path, other="command"):
        pass
    assert not lock.exists()


def test_who_only_looks_is_in_nobodys_way(tmp_path: Path) -> None:
    """However often that is."""
    lock = tmp_path / ".lock"
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            held(lock)

    lock.touch()
    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(200):
            with alone(lock, of=tmp_path, other="command"):
                pass
    finally:
        done.set()
        thread.join()


def test_where_nobody_may_write(tmp_path: Path) -> None:
    """No folder, or a link in its place."""
    with pytest.raises(MissingError, match=r"none/\.lock: "), in_turn(tmp_path / "none" / ".lock"):
        pass
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MissingError, match="link: "), in_turn(tmp_path / "link"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_an_open_file(tmp_path: Path) -> None:
    """Is its descriptor's until that is closed."""
    first, second = (os.open(tmp_path / "a", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert (take(first), take(second)) == (True, False)
    os.close(first)
    assert take(second)
    os.close(second)
