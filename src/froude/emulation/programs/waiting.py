"""A node that waits until others have made what its next call is about: a consumer of what producers write."""

from __future__ import annotations

from froude.emulation.notes import IN_VAIN
from froude.emulation.programs.events import Instruction, NodeId, Note, Timer, WakeAt
from froude.emulation.programs.made import Made, Ready
from froude.workload.rules import Value
from froude.workload.types import Wait

PATIENCE_S = 60.0
"""A node that has waited so long goes on, and waits no more: in this play nobody makes what it needs."""


class Waiting:
    """The waits of one node, one after another."""

    __slots__ = ("_made", "_node", "_path", "_until_s", "impatient")

    def __init__(self, made: Made, node: NodeId) -> None:
        """A node that waits for nothing yet.

        Args:
            made: what the nodes of the play have made.
        """
        self._made = made
        self._node = node
        self._path: str | None = None
        self._until_s = 0.0
        self.impatient = False
        """Whether it waits no more."""

    def must_wait(self, wait: Wait, value: Value, token: int, now_s: float, out: list[Instruction]) -> bool:
        """Whether a call has to wait for what another node has yet to make; the node is then told of it.

        Args:
            value: of the argument that says what the call is about; for what is no text nobody waits.
            token: of the timer that ends the wait.
            now_s: seconds on the play's clock.
            out: where the timer goes.
        """
        path = wait.path(value) if isinstance(value, str) else None
        if self.impatient or path is None or self._made.is_there(wait, path):
            return False
        self._path, self._until_s = path, now_s + PATIENCE_S
        self._made.expect(wait, path, self._node)
        out.append(WakeAt(self._until_s, token))
        return True

    def fulfilled(self, ready: Ready) -> bool:
        """Whether a message ends the wait.

        Args:
            ready: what is there now.
        """
        if self._path != ready.path:
            return False
        self._path = None
        return True

    def given_up(self, timer: Timer, out: list[Instruction]) -> bool:
        """Whether a timer ends the wait, and all others; those of waits that are over do not.

        Args:
            timer: with the token of its kind.
            out: where the note goes.
        """
        if self._path is None or timer.intended_s != self._until_s:
            return False
        self._path = None
        self.impatient = True
        out.append(Note(f"{IN_VAIN}{self._node.type}"))
        return True
