"""What stands between Froude and a daemon: it passes everything on, and neither outlives the other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from froude.hadoop.cluster.daemons import REAPER
from tests.conftest import Gone

# Runs the reaper as on a kernel that has no pidfd.
_WITHOUT_PIDFD = """
import os, runpy, sys

def pidfd_open(pid):
    raise OSError(38, "Function not implemented")

os.pidfd_open = pidfd_open
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

_KERNELS = pytest.mark.parametrize("interpreter", [["-I", "-S"], ["-I", "-S", "-c", _WITHOUT_PIDFD]])


@pytest.fixture(autouse=True)
def here(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder of the test's own: a reaper that took the hyphen for a name would write it there."""
    folder = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(folder)
    yield folder
    assert list(folder.iterdir()) == []


def reaper(command: list[str], *, pid_file: Path | str = "-", parent: int | None = None) -> list[str]:
    """The command line of a reaper whose parent is this process."""
    return [sys.executable, "-I", "-S", str(REAPER), str(parent or os.getpid()), str(pid_file), *command]


def shell(script: str) -> list[str]:
    """A daemon that is a shell script."""
    return ["/bin/sh", "-c", script]


def test_the_commands_arguments_and_output_are_its_own() -> None:
    """Nothing is added to either, and no word is taken apart."""
    printed = subprocess.run(
        reaper(["/bin/sh", "-c", 'cat; echo "$1"', "sh", "two  words"]),
        input="in\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert (printed.stdout, printed.stderr) == ("in\ntwo  words\n", "")


@_KERNELS
@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", -9 & 0xFF)])
def test_its_exit_code_is_the_daemons(interpreter: list[str], script: str, code: int) -> None:
    """A signal's number counts below zero, as a byte."""
    command = [sys.executable, *interpreter, str(REAPER), str(os.getpid()), "-", *shell(script)]
    assert subprocess.run(command, check=False).returncode == code


def test_the_pid_file_names_the_daemon_itself(tmp_path: Path) -> None:
    """And is whole from the first moment: nothing of its making is left beside it."""
    command = reaper(shell("echo $$"), pid_file=tmp_path / "pid")
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (tmp_path / "pid").read_text() == printed.strip()
    assert [each.name for each in tmp_path.iterdir()] == ["pid"]


def test_without_a_pid_file_none_is_written(here: Path) -> None:
    """A hyphen is no file's name here."""
    subprocess.run(reaper(shell("exit 0")), check=True)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(("ending", "code"), [("exit 3", 3), ("kill -9 $$", 247)])
def test_descendants_in_sessions_of_their_own_fall_with_it(
    tmp_path: Path, gone: Gone, ending: str, code: int
) -> None:
    """A NodeManager's containers are such, and what they have started."""
    (tmp_path / "leaf").write_text("echo $$ > $1\nexec sleep 60\n")
    (tmp_path / "branch").write_text("setsid sh leaf three &\nexec sh leaf two\n")
    all_run = "test -s one && test -s two && test -s three"
    script = f"setsid sh leaf one & setsid sh branch & until {all_run}; do sleep 0.02; done; touch all; read x; {ending}"
    command = reaper(shell(script))
    command.insert(command.index(str(REAPER)) + 1, "--descendants")
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE)
    while not (tmp_path / "all").exists():
        time.sleep(0.01)
    left = [psutil.Process(int((tmp_path / name).read_text())) for name in ("one", "two", "three")]
    process.communicate(b"go\n")
    assert process.returncode == code
    assert gone(left)


def test_nothing_runs_for_a_parent_that_is_gone_already(tmp_path: Path) -> None:
    """A reaper whose parent is another than it was told does not begin."""
    command = reaper(shell(f"touch {tmp_path}/ran"), parent=1)
    assert subprocess.run(command, check=False).returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_a_daemon_hears_signals_that_its_starter_ignored() -> None:
    """Under nohup, or in a shell's background, ignoring would be inherited."""
    ignoring = ["/bin/sh", "-c", "trap '' INT HUP TERM; exec \"$@\"", "sh"]
    for name in ("INT", "HUP", "TERM"):
        command = [*ignoring, *reaper(shell(f"kill -{name} $$; exit 0"))]
        number = int(getattr(signal, f"SIG{name}"))
        assert subprocess.run(command, check=False).returncode == -number & 0xFF


@_KERNELS
def test_kill_of_the_parent_takes_the_whole_group(interpreter: list[str], tmp_path: Path, gone: Gone) -> None:
    """A daemon and its own children are gone after kill -9 of the process that started it."""
    pids = tmp_path / "pids"
    script = (
        "import os, subprocess, sys, time\n"
        f"command = ['/bin/sh', '-c', 'sleep 60 & echo $$ $! > {pids}; wait']\n"
        f"reaper = [sys.executable, *{interpreter!r}, {str(REAPER)!r}, str(os.getpid()), '-']\n"
        "subprocess.Popen([*reaper, *command], start_new_session=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 10
    while not (pids.exists() and len(pids.read_text().split()) == 2) and time.monotonic() < deadline:
        time.sleep(0.01)
    group = [psutil.Process(int(pid)) for pid in pids.read_text().split()]
    parent.kill()
    parent.wait()
    assert gone(group)


# Runs the reaper, but kills it just before its child asks for the signal of its death.
_KILLED_EARLY = """
import ctypes, os, runpy, signal, sys, time
from pathlib import Path

class Library:
    def __init__(self, *arguments, **options):
        self.library = real(*arguments, **options)
    def prctl(self, *arguments):
        reaper = os.getppid()
        Path(sys.argv[2]).write_text(str(os.getpid()))
        os.kill(reaper, signal.SIGKILL)
        while os.getppid() == reaper:
            time.sleep(0.001)
        return self.library.prctl(*arguments)

real, ctypes.CDLL = ctypes.CDLL, Library
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_reaper_that_dies_at_once_leaves_no_daemon(tmp_path: Path, gone: Gone) -> None:
    """Between its fork and the child's wish to die with it."""
    note, mark = tmp_path / "pid", tmp_path / "ran"
    arguments = [str(REAPER), str(os.getpid()), str(note), *shell(f"touch {mark}; sleep 60")]
    process = subprocess.Popen([sys.executable, "-c", _KILLED_EARLY, *arguments])
    assert process.wait(20) == -signal.SIGKILL
    child = int(note.read_text())
    assert not psutil.pid_exists(child) or gone([psutil.Process(child)])
    assert not mark.exists()
