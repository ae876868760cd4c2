"""The log of a replay as it is played: read ahead, dealt out to its clients, kept in order.

A client makes one operation at a time, in the log's order; an operation waits, too, for those of other clients that it
is in conflict with (`order`). Operations are read as room is made, so a log may be of any length; a block is read when
every operation of the block before the one before it is done (`conflicts`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from froude.emulation.programs.audit.commands import Command
from froude.emulation.programs.audit.lines import BATCH, BLOCK, Head, Line, read_batches, read_head
from froude.emulation.programs.audit.order import Order, Ordered
from froude.emulation.programs.audit.recorded import command_of
from froude.emulation.settings import LogClientSettings, Mode, Pacing

_AHEAD = 4096


class Operation(Ordered):
    """A line that is to be made again."""

    __slots__ = ("block", "command", "due_s", "line", "round")

    def __init__(self, line: Line, due_s: float, block: int, number: int) -> None:
        self.held = None
        self.missing = 0
        self.line = line
        self.command: Command | None = command_of(line)
        self.due_s = due_s
        """On the play's clock."""
        self.block = block
        self.round = number


class Replay:
    """A log in a play; all its clients share it."""

    def __init__(
        self, lines: Path, assumed: LogClientSettings, pacing: Pacing, speed: float, mode: Mode = Mode.ONCE
    ) -> None:
        """Open a log.

        Args:
            lines: the log, made ready by `lines.write_lines`.
            pacing: by the log's times, or as fast as answers come.
            speed: 2 halves the log's times.
            mode: whether the log begins again when it is over, and whether late calls move rounds that are read later.

        Raises:
            InputError: the log is not one that was made ready.
        """
        self.assumed = assumed
        self.head: Head = read_head(lines)
        self.begun_s: float | None = None
        """When the round's first line was due; None before the target serves."""
        self.round = 1
        """Which time the log is read, from 1."""
        self.reached = 1
        """The latest round of which an operation was begun, as far as this player knows."""
        self.mode = mode
        self.queues: list[deque[Operation]] = [deque() for _ in self.head.clients]
        """Of each client, its operations that are not done, as far as they were read."""
        self._lines = lines
        self._batches: Iterator[list[Line]] = self._opened()
        self._scheduled = pacing is Pacing.SCHEDULED
        self._speed = speed
        self._order = Order()
        self._left = 0
        """Operations that were read and are not done."""
        self._left_of: Counter[int] = Counter()
        """The same by block."""
        self._block = 0
        """That of the batch that is read next."""
        self._read_batches = 0
        """Of that block."""
        self._idle = True
        """Whether nothing of this round was made."""
        self._whole = False

    def _opened(self) -> Iterator[list[Line]]:
        # Opened when it is first read: of several players each has a place of its own in it.
        with self._lines.open(encoding="utf-8") as file:
            yield from read_batches(file)

    def begin(self, now_s: float) -> None:
        """The target serves: the log's first line is due."""
        self.begun_s = now_s
        self._read(now_s)

    def begun(self, operation: Operation) -> None:
        """An operation was sent; of other players' clients it is known when it is over."""
        self.reached = max(self.reached, operation.round)

    def done(self, operation: Operation, now_s: float) -> list[int]:
        """An operation is over.

        Args:
            operation: the first of its client's queue.

        Returns:
            Clients whose next operation may be made now and could not before.
        """
        self.begun(operation)
        self._left -= 1
        self._left_of[operation.block] -= 1
        self.queues[operation.line.client].popleft()
        free: list[int] = []
        if operation.held:
            for follower in self._order.done(operation):
                assert isinstance(follower, Operation)
                client = follower.line.client
                if self.queues[client][0] is follower:
                    free.append(client)
        if self._left < _AHEAD and not self._whole:
            free += self._read(now_s)
        return free

    def rest(self, now_s: float) -> Iterator[tuple[str, float]]:
        """Commands that are due and were not even read, with when; for the end of a play."""
        if self._scheduled and self.begun_s is not None:
            for line in chain.from_iterable(self._batches):
                due_s = self._due(line, now_s)
                if due_s > now_s:
                    return
                yield line.command, due_s

    def _read(self, now_s: float) -> list[int]:
        """Read on until enough is ahead; the clients that got something to do."""
        free: list[int] = []
        while self._left < _AHEAD:
            if self._read_batches == BLOCK // BATCH:
                self._next_block()
            if self._left_of[self._block - 2]:
                break
            batch = next(self._batches, None)
            if batch is None:
                if self.mode is Mode.ONCE or self._idle:
                    self._whole = True
                    break
                self._again(now_s)
                continue
            self._read_batches += 1
            for line in filter(None, (line.of_round(self.round) for line in batch)):
                free += self._add(line, now_s)
        return free

    def _add(self, line: Line, now_s: float) -> Sequence[int]:
        """Take in a line; its client where that has something to do now."""
        self._idle = False
        self._left += 1
        self._left_of[self._block] += 1
        operation = Operation(line, self._due(line, now_s), self._block, self.round)
        queue = self.queues[line.client]
        queue.append(operation)
        if line.locks:
            self._order.add(operation, line.locks)
        return (line.client,) if not operation.missing and len(queue) == 1 else ()

    def _next_block(self) -> None:
        self._left_of.pop(self._block - 2, None)
        self._block, self._read_batches = self._block + 1, 0

    def _again(self, now_s: float) -> None:
        """Begin the log again: the mean time between two lines after its last one.

        The round before it has been read and may be under way; as a population the new one is not due before now.
        """
        assert self.begun_s is not None
        self._next_block()
        self._batches, self._idle = self._opened(), True
        self.round += 1
        lasts_s = self.head.lasts_s + (self.head.lasts_s / max(1, self.head.lines - 1) or 1.0)
        self.begun_s += lasts_s / self._speed
        if self.mode is Mode.POPULATION:
            self.begun_s = max(self.begun_s, now_s)

    def _due(self, line: Line, now_s: float) -> float:
        assert self.begun_s is not None
        return self.begun_s + line.at_s / self._speed if self._scheduled else now_s
