"""The log of a replay as it is played: read ahead, dealt out to its clients, kept in order.

A client makes one operation at a time, in the log's order; an operation waits, too, for those of other clients that it
is in conflict with (`order`). Operations are read as room is made, so a log may be of any length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.commands import Assumed, Command, command_of
from froude.emulation.programs.audit.folders import Folders
from froude.emulation.programs.audit.lines import Head, Line, read_head, read_lines
from froude.emulation.programs.audit.order import Order

_AHEAD = 4096


class Operation:
    """A line that is to be made again."""

    __slots__ = ("allowed", "command", "due_s", "line", "number")

    def __init__(self, number: int, line: Line, due_s: float) -> None:
        self.number = number
        self.line = line
        self.command: Command | None = command_of(line)
        self.due_s = due_s
        """On the play's clock."""
        self.allowed = False
        """Whether no operation before it, of whichever client, is in conflict with it."""


class Replay:
    """A log in a play; all its clients share it."""

    def __init__(self, lines: Path, assumed: Assumed, pacing: Pacing, speed: float) -> None:
        """Open a log.

        Args:
            lines: the log, made ready by `lines.write_lines`.
            assumed: what it does not hold.
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
        self._lines: Iterator[Line] = read_lines(lines.open(encoding="utf-8"))
        self._scheduled = pacing is Pacing.SCHEDULED
        self._speed = speed
        self._order = Order()
        self._folders = Folders()
        self._operations: dict[int, Operation] = {}
        self._next = 0

    def begin(self, now_s: float) -> None:
        """The target serves: the log's first line is due."""
        self.begun_s = now_s
        self._read(now_s)

    def done(self, operation: Operation, now_s: float) -> list[int]:
        """An operation is over.

        Args:
            operation: the first of its client's queue.
            now_s: when.

        Returns:
            Clients whose next operation may be made now and could not before.
        """
        del self._operations[operation.number]
        queue = self.queues[operation.line.client]
        queue.popleft()
        free: list[int] = []
        for number in self._order.done(operation.number):
            follower = self._operations[number]
            follower.allowed = True
            if self.queues[follower.line.client][0] is follower:
                free.append(follower.line.client)
        free += self._read(now_s)
        return free

    def rest(self, now_s: float) -> Iterator[tuple[str, float]]:
        """Commands that are due and were not even read, with when; for the end of a play.

        Args:
            now_s: the latest time.
        """
        if self._scheduled and self.begun_s is not None:
            for line in self._lines:
                due_s = self._due(line, now_s)
                if due_s > now_s:
                    return
                yield line.command, due_s

    def _read(self, now_s: float) -> list[int]:
        """Read on until enough is ahead; the clients that got something to do."""
        free = []
        while len(self._operations) < _AHEAD:
            line = next(self._lines, None)
            if line is None:
                break
            operation = Operation(self._next, line, self._due(line, now_s))
            self._next += 1
            command, queue = operation.command, self.queues[line.client]
            self._operations[operation.number] = operation
            queue.append(operation)
            paths = () if command is None else self._paths(command, line)
            operation.allowed = self._order.add(
                operation.number, paths, changes=command is not None and command.changes
            )
            if operation.allowed and len(queue) == 1:
                free.append(line.client)
        return free

    def _paths(self, command: Command, line: Line) -> tuple[str, ...]:
        """The paths that an operation is about, and the folder that it may make by the way."""
        paths = command.paths(line)
        if command.creates and line.src is not None:
            missing = self._folders.missing(line.src)
            return paths if missing is None else (*paths, missing)
        for path in paths if command.moves else ():
            self._folders.gone(path)
        return paths

    def _due(self, line: Line, now_s: float) -> float:
        assert self.begun_s is not None
        return self.begun_s + line.at_s / self._speed if self._scheduled else now_s
