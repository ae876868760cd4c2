"""Calls that nodes repeat at a fixed rate: those that are due at one moment are made together.

An idle DataNode or NodeManager sends one heartbeat after the other, and the answers ask for nothing. Its program is not
asked each time: one timer serves all nodes whose calls are due at one moment, and these calls travel in one write. The
first event that is more than a plain answer goes to the program again.
"""

from __future__ import annotations

from collections.abc import Callable

from froude.base.events import Events
from froude.emulation.programs.beats import next_due
from froude.emulation.programs.events import Event, Interrupted, Repeat, Reply, Send


class _Repeated:
    """The call of one node."""

    __slots__ = ("again", "calling", "due_s", "index", "send")

    def __init__(self, index: int, repeat: Repeat) -> None:
        self.index = index
        self.send = repeat.send
        self.again = repeat.again
        self.due_s = repeat.send.intended_s
        self.calling = False


class Repeats:
    """The repeated calls of a player."""

    def __init__(
        self,
        timers: Events,
        send: Callable[[int, Send, float, float], None],
        interrupt: Callable[[int, Interrupted, float], None],
        late: Callable[[list[float]], None],
    ) -> None:
        """No call is repeated yet.

        Args:
            send: makes a call of the node of an index that was due at one time, at another one.
            interrupt: hands an event to the program of such a node.
            late: takes how late timers fired, seconds, one for each node.
        """
        self._timers = timers
        self._send = send
        self._interrupt = interrupt
        self._late = late
        self._calls: dict[int, _Repeated] = {}
        self._groups: dict[tuple[int, float], list[_Repeated]] = {}
        """By the moment of the next call, microseconds, and the interval, seconds."""

    def begin(self, index: int, repeat: Repeat, now_s: float) -> None:
        """Repeat a call from now on."""
        call = self._calls[index] = _Repeated(index, repeat)
        self._make(call, now_s)
        self._join([call], next_due(call.due_s, repeat.every_s, now_s), repeat.every_s)

    def take(self, index: int, event: Event, now_s: float) -> bool:
        """Take an event of a node, if it is a plain answer; any other one ends the repetition.

        Returns:
            Whether it was taken: the program need not see it.
        """
        call = self._calls.get(index)
        if call is None:
            return False
        if type(event) is Reply and event.token == call.send.token:
            following = call.again(call.send, event.body)  # type: ignore[arg-type]
            if following is not None:
                call.send, call.calling = following, False
                return True
        self._end(call, now_s)
        return False

    def drop(self, index: int) -> None:
        """Repeat the call of a node no more; nothing happens where none is repeated."""
        self._calls.pop(index, None)

    def _make(self, call: _Repeated, now_s: float) -> None:
        call.calling = True
        self._send(call.index, call.send, call.due_s, now_s)

    def _join(self, calls: list[_Repeated], due_s: float, every_s: float) -> None:
        """Have calls made at a time, with others of that moment and interval."""
        key = (round(due_s * 1e6), every_s)
        group = self._groups.get(key)
        if group is None:
            self._groups[key] = group = []
            self._timers.schedule(due_s, self._fire, key, due_s)
        for call in calls:
            call.due_s = due_s
        group += calls

    def _fire(self, key: tuple[int, float], due_s: float) -> None:
        now_s, every_s = self._timers.now, key[1]
        present = [call for call in self._groups.pop(key) if self._calls.get(call.index) is call]
        self._late([now_s - due_s] * len(present))
        going_on = []
        for call in present:
            if call.calling:
                self._end(call, now_s)
            else:
                self._make(call, now_s)
                going_on.append(call)
        if going_on:
            self._join(going_on, next_due(due_s, every_s, now_s), every_s)

    def _end(self, call: _Repeated, now_s: float) -> None:
        del self._calls[call.index]
        self._interrupt(call.index, Interrupted(call.due_s, call.calling), now_s)
