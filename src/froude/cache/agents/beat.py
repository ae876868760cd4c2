"""Something that is done again and again by a thread of its own."""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self


@dataclass(slots=True)
class Beat:
    """Calls a function at even distances; a context manager, at whose end the last call is waited for."""

    name: str
    every_s: float
    """From one call to the next; calls that were missed, because one took longer, are not made up for."""
    do: Callable[[], None]
    """Tells by itself what it expects to go wrong; what else it raises is told on stderr, and it is called again."""
    at_once: bool = False
    """Whether the first call is at the beginning, or a distance later."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        due = time.monotonic() + (0.0 if self.at_once else self.every_s)
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due = max(due + self.every_s, time.monotonic())
            try:
                self.do()
            except Exception as error:  # noqa: BLE001 - a watch that ends without a word is worse than any of them
                sys.stderr.write(f"froude: {self.name}: {type(error).__name__}: {error}\n")


class Beating(ABC):
    """Something that is on a beat within a `with` block of it."""

    __slots__ = ("_on",)

    @abstractmethod
    def beat(self) -> Beat:
        """What is done, and how often."""

    def __enter__(self) -> Self:
        """Begin."""
        self._on = self.beat()
        self._on.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """End, after a call that is under way."""
        self._on.__exit__()
