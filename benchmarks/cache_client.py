"""One long-lived client of MapReduce (`JobsClient.java`), which runs jobs side by side."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from froude.base.errors import TargetError
from froude.hadoop.cluster.daemons import reaper_command

_SOURCE = Path(__file__).with_name("JobsClient.java")
"""Which Java compiles as it starts it: a JDK is needed, a JRE does not do."""
_LONGEST_S = 900.0


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that has ended."""

    code: int
    seconds: float
    """From when it was asked for to its end."""
    why: str
    """What its client says went wrong; mostly empty."""


class JobsClient:
    """The client; `with JobsClient(words, log) as client: client.run([...])`."""

    def __init__(self, words: tuple[str, Mapping[str, str]], log: Path) -> None:
        """Describe it.

        Args:
            words: the program that starts a Java class of Hadoop, and its environment.
            log: where it writes what it says.
        """
        self._program, self._environment = words
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._waiting: dict[str, Future[tuple[int, str]]] = {}
        self._count = 0

    def run(self, words: Sequence[str]) -> Ended:
        """Run a job to its end.

        Args:
            words: its class, and its arguments without tabs.

        Raises:
            TargetError: the client has died.
        """
        assert self._process is not None
        assert self._process.stdin is not None
        began = time.monotonic()
        answer: Future[tuple[int, str]] = Future()
        with self._lock:
            self._count += 1
            name = str(self._count)
            self._waiting[name] = answer
            self._process.stdin.write("\t".join([name, *words]) + "\n")
            self._process.stdin.flush()
        code, why = answer.result(_LONGEST_S)
        return Ended(code, time.monotonic() - began, why)

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*reaper_command(), self._program, str(_SOURCE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=dict(self._environment),
                start_new_session=True,
            )
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the client falls with what stands above it
            self._process.wait()

    def _listen(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            name, code, why = line.rstrip("\n").split("\t", 2)
            self._waiting.pop(name).set_result((int(code), why))
        for answer in self._waiting.values():
            answer.set_exception(
                TargetError("has ended", file="client of jobs", remedy=f"Its log is {self._log}")
            )
