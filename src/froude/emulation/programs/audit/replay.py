"""The log of a replay as it is played: read ahead, dealt out to its clients, kept in order.

A client makes one operation at a time, in the log's order; an operation waits, too, for those of other clients that it
is in conflict with (`order`). Operations are read as room is made, so a log may be of any length; a block is read when
every operation of the block before the one before it is done (`conflicts`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.commands import Assumed, Command
from froude.emulation.programs.audit.lines import BATCH, BLOCK, Head, Line, read_batches, read_head
from froude.emulation.programs.audit.order import Order, Ordered
from froude.emulation.programs.audit.recorded import command_of

_AHEAD = 4096


class Operation(Ordered):
    """A line that is to be made again."""

    __slots__ = ("block", "command", "due_s", "line")

    def __init__(self, line: Line, due_s: float, block: int) -> None:
        self.held = None
        self.missing = 0
        self.line = line
        self.command: Command | None = command_of(line)
        self.due_s = due_s
        """On the play's clock."""
        self.block = block


class Replay:
    """A log in a play; all its clients share it."""

    def __init__(self, lines: Path, assumed: Assumed, pacing: Pacing, speed: float) -> None:
        """Open a log.

        Args:
            lines: the log, made ready by `lines.write_lines`.
            pacing: by the log's times, or as fast as answers come.
            speed: 2 halves the log's times.

        Raises:
            InputError: the log is not one that was made ready.
        """
        self.assumed = assumed
        self.head: Head = read_head(lines)
        self.begun_s: float | None = None
        """When the log's first line was due; None before the target serves."""
        self.queues: list[deque[Operation]] = [deque() for _ in self.head.clients]
        """Of each client, its operations that are not done, as far as they were read."""
        # Opened when it is first read: of several players each has a place of its own in it.
        self._batches: Iterator[list[Line]] = (
            batch for path in (lines,) for batch in read_batches(path.open(encoding="utf-8"))
        )
        self._scheduled = pacing is Pacing.SCHEDULED
        self._speed = speed
        self._order = Order()
        self._left = 0
        """Operations that were read and are not done."""
        self._left_of = [0] * (-(-self.head.lines // BLOCK) + 2)
        """The same by block; of two blocks that are not there, before the first."""
        self._read_batches = 0
        self._whole = False

    def begin(self, now_s: float) -> None:
        """The target serves: the log's first line is due."""
        self.begun_s = now_s
        self._read(now_s)

    def done(self, operation: Operation, now_s: float) -> list[int]:
        """An operation is over.

        Args:
            operation: the first of its client's queue.

        Returns:
            Clients whose next operation may be made now and could not before.
        """
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
            block = self._read_batches * BATCH // BLOCK
            if self._left_of[block]:  # two before this one
                break
            batch = next(self._batches, None)
            if batch is None:
                self._whole = True
                break
            self._read_batches += 1
            self._left += len(batch)
            self._left_of[block + 2] += len(batch)
            for line in batch:
                operation = Operation(line, self._due(line, now_s), block + 2)
                queue = self.queues[line.client]
                queue.append(operation)
                if line.locks:
                    self._order.add(operation, line.locks)
                if not operation.missing and len(queue) == 1:
                    free.append(line.client)
        return free

    def _due(self, line: Line, now_s: float) -> float:
        assert self.begun_s is not None
        return self.begun_s + line.at_s / self._speed if self._scheduled else now_s
