"""A disk service with its clock and timer in the test's hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from froude.base.errors import FroudeError
from froude.base.events import Event, Events
from froude.cache.disk.chunks import ChunkChooser
from froude.cache.disk.commands import Curve, Limit, Resize, Stat
from froude.cache.disk.header import ImageState
from froude.cache.disk.nbd.wire import Request
from froude.cache.disk.seams import Data
from froude.cache.disk.service import Parts, Service
from froude.cache.disk.space import Space
from froude.cache.disk.state import Places
from froude.cache.disk.status import DiskStatus, Limits
from froude.cache.disk.table import Geometry, Table
from froude.cache.disk.work import Inline
from testbed.disk_world import ForgetfulImage, MadeUpSlots, Setting, World

SIZE = 1 << 20


class Timer(NamedTuple):
    """A call that is to come, unless it is cancelled."""

    events: Events
    event: Event

    def cancel(self) -> None:
        """See `Timer` of `froude.cache.disk.service`."""
        self.events.cancel(self.event)


class Clocked:
    """A service on a clock of the test, and its index; work is done at once, unless it is told to wait."""

    def keep(self, size_bytes: int, limits: Limits) -> None:
        """See `CacheIndex`."""
        self.kept.append((size_bytes, limits))

    def __init__(
        self, *, chooser: ChunkChooser | None = None, limits: Limits | None = None, waits: bool = False
    ):
        self.world = World(1, Setting(image=SIZE, waits=False))
        self.image: ForgetfulImage = self.world.image
        self.slots: MadeUpSlots = self.world.slots
        self.events = Events()
        self.notes: list[str] = []
        self.kept: list[tuple[int, Limits]] = []
        self.generation = 1
        self.allocated_bytes = 4096
        self.replies: list[tuple[int, int, bytes | None]] = []
        self.answers: list[Mapping[str, Any]] = []
        places = Places(
            backing=self.image,
            slots=self.slots,
            disk=self.world.scheduler if waits else Inline(),
            quick=Inline(),
            ssd=Inline(),
            writing=lambda: None,
            now=lambda: self.events.now,
        )
        parts = Parts(
            Space(self._table(8192), 0),
            places,
            self,
            chooser,
            self.later,
            DiskStatus(image="vm.raw", image_bytes=SIZE, restored_chunks=3),
            self.notes.append,
        )
        self.service = Service(parts, limits or Limits(), 256 << 10)

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Have something called when so much time has gone on."""
        return Timer(self.events, self.events.schedule(self.events.now + seconds, call))

    def reformat(self, image: ImageState, chunk_bytes: int) -> Table:
        """See `CacheIndex`."""
        assert image.size_bytes == SIZE
        self.generation += 1
        self.slots.chunk = chunk_bytes
        return self._table(chunk_bytes)

    def _table(self, chunk: int) -> Table:
        geometry = Geometry(SIZE, chunk)
        return Table(bytearray(geometry.table_bytes), geometry, self.generation)

    def ask(self, kind: int, offset: int = 0, length: int = 0, *, cookie: int = 1, flags: int = 0) -> None:
        """Send a request."""
        data = b"x" * length if kind == 1 else b""

        def reply(cookie: int, error: int, data: Data | None) -> None:
            self.replies.append((cookie, error, None if data is None else bytes(data)))

        self.service.submit(Request(kind, flags, cookie, offset, length, data), reply)

    def tell(self, command: Stat | Resize | Limit | Curve) -> Mapping[str, Any]:
        """Carry out a command that answers at once."""
        answers: list[Mapping[str, Any]] = []

        def answer(said: Mapping[str, Any] | FroudeError) -> None:
            answers.append(said.parts() if isinstance(said, FroudeError) else said)

        self.service.carry_out(command, answer)
        (found,) = answers
        return found

    def advance(self, seconds: float) -> None:
        """Let time go on, timer by timer."""
        self.events.run(self.events.now + seconds)
