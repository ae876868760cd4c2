"""Sets up the virtual environment: `python3 tools/set_up.py run` for the program, `dev` for its tests as well.

Each step has a line when it begins and when it ends, and one every five seconds. Where lock file and `pyproject.toml`
are those of the last time, nothing is done. uv installs the packages where it is on the PATH, else pip.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VENV, LOCKS = Path(".venv"), Path("requirements")
KINDS = ("run", "dev")
"""The second has all that the first has."""
_EVERY_S = 5.0
_STEPS = 3
_LAST_LINES = 5


def stamp(kind: str) -> Path:
    """The file that is there once the packages of a lock file are installed."""
    read = (LOCKS / f"{kind}.lock").read_bytes() + Path("pyproject.toml").read_bytes()
    return VENV / f".froude-{kind}-{hashlib.sha256(read).hexdigest()[:16]}"


def set_up(kind: str) -> None:
    """Install what a lock file lists, and Froude itself; quick when done.

    Args:
        kind: one of `KINDS`.

    Raises:
        SystemExit: a step failed; its last lines are printed.
    """
    if any(stamp(each).exists() for each in KINDS[KINDS.index(kind) :]):
        return
    lock = LOCKS / f"{kind}.lock"
    packages = sum("==" in line for line in lock.read_text().splitlines())
    python = VENV / "bin" / "python"
    with _step(1, f"a virtual environment in {VENV}"):
        if not python.exists():
            _run(sys.executable, "-m", "venv", "--without-pip", str(VENV))
    with _step(2, f"{packages} Python packages of {lock}"):
        _install(python, "--require-hashes", "-r", str(lock))
    with _step(3, "Froude itself, from this folder"):
        _install(python, "--no-deps", "--editable", ".")
    for old in VENV.glob(".froude-*"):
        old.unlink()
    stamp(kind).touch()


def _install(python: Path, *words: str) -> None:
    """By uv, or by pip where there is no uv, or where it does not reach the packages that pip is configured for."""
    uv = shutil.which("uv")
    if uv is not None and _done(uv, "pip", "install", "--quiet", "--python", str(python), *words) is None:
        return
    if _done(str(python), "-m", "pip", "--version") is not None:
        _run(str(python), "-m", "ensurepip", "--upgrade")
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words)


def _run(*command: str) -> None:
    failed = _done(*command)
    if failed is not None:
        sys.exit(f"froude: {' '.join(command)} failed:\n{failed}")


def _done(*command: str) -> str | None:
    """Run a program; None if it ended well, else its last lines."""
    scratch = VENV / ".download"  # within the folder whose size is shown
    if VENV.exists():
        scratch.mkdir(exist_ok=True)
    around = {**os.environ, **({"TMPDIR": str(scratch.resolve())} if scratch.exists() else {})}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=around)
    shutil.rmtree(scratch, ignore_errors=True)
    lines = f"{ended.stdout}{ended.stderr}".splitlines()
    return None if ended.returncode == 0 else "\n".join(lines[-_LAST_LINES:])


@contextmanager
def _step(number: int, what: str) -> Iterator[None]:
    """Print that a step begins, how it goes every five seconds, and how long it took."""
    begun, over = time.monotonic(), threading.Event()

    def show(word: str) -> None:
        size = sum(file.lstat().st_size for file in VENV.rglob("*") if not file.is_dir()) / 1e6
        print(
            f"{number} of {_STEPS}: {what}: {word} {time.monotonic() - begun:.0f} s, {size:.0f} MB",
            flush=True,
        )

    def watch() -> None:
        while not over.wait(_EVERY_S):
            try:
                show("at work for")
            except OSError:  # a file went away while it was counted
                continue

    print(f"{number} of {_STEPS}: {what} ...", flush=True)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    show("done in")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS or not LOCKS.is_dir():
        sys.exit(f"froude: in the project's folder: python3 tools/set_up.py {'|'.join(KINDS)}")
    set_up(sys.argv[1])
