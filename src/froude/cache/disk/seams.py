"""What the store is joined to: the image, the slots on the SSD, and who does work that waits.

In the server these are files and threads (`backing`, `slots`, `work`); in the tests models on which writes are lost,
work is done in any order, and processes die at any step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from froude.cache.disk.header import ImageState
from froude.cache.disk.status import Limits
from froude.cache.disk.table import Table

T = TypeVar("T")
Data = bytes | bytearray | memoryview


class Backing(Protocol):
    """The image: every call waits until it is done, and raises `OSError` where it fails. Any thread may call."""

    size: int
    """Bytes."""

    def read(self, offset: int, length: int) -> Data:
        """Bytes of the image; the range lies in it."""

    def read_now(self, offset: int, length: int) -> Data | None:
        """The same if it needs no waiting; None where it might."""

    def write(self, offset: int, data: Data, *, durable: bool) -> None:
        """Write; `durable` returns only when it is on the medium."""

    def zero(self, offset: int, length: int, *, hole: bool, durable: bool) -> None:
        """Make it read as zeros; `hole` gives its space back."""

    def flush(self) -> None:
        """Return when every write that has returned is on the medium."""

    def state(self) -> ImageState:
        """What it is now."""


class Slots(Protocol):
    """The cache file: as `Backing`."""

    def read(self, slot: int, within: int, length: int) -> Data:
        """Bytes from a place in a slot on, also into the slots that follow; fewer where the file ends."""

    def write(self, slot: int, within: int, data: Data) -> None:
        """Write at a place in a slot, also into the slots that follow."""

    def punch(self, slots: list[int]) -> None:
        """Give the space of slots back."""


class CacheIndex(Protocol):
    """What the cache file tells of itself, and its change to chunks of another size."""

    @property
    def generation(self) -> int:
        """Of what is cached."""

    @property
    def allocated_bytes(self) -> int:
        """What file and index take of the SSD."""

    def reformat(self, image: ImageState, chunk_bytes: int) -> Table:
        """Give up all that is cached, and go on with chunks of a size that was chosen from measured requests.

        Returns:
            The new index.

        Raises:
            OSError: no space for the index; then nothing has changed.
        """

    def keep(self, size_bytes: int, limits: Limits) -> None:
        """Note what is in force, so that a server that is started again goes on with it.

        Args:
            size_bytes: what the cache may hold.
        """


class Work(Protocol):
    """Does what waits, so that others are served meanwhile."""

    @property
    def at_once(self) -> bool:
        """Whether the next job is done and told of before `run` returns."""

    def run(self, job: Callable[[], T], then: Callable[[T | None, OSError | None], None]) -> None:
        """Do a job, and tell what came of it or how it failed: now, or later from the loop that the store lives in."""
