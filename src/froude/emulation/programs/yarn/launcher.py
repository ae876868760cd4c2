"""The ResourceManager's own calls to NodeManagers, in a play where a real one makes them: a node that waits for the end.

Others may be known to start with these calls, or after them; so it begins like any other node, and is through when no
application master is at work any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.programs.events import Event, Instruction, MessageReceived, NodeId, Reached, Started
from froude.emulation.programs.yarn.applications import AllOver, Applications
from froude.workload.types import Moment


class Launcher:
    """One such node; see the module."""

    __slots__ = ("_applications", "_id")

    def __init__(self, applications: Applications, node: NodeId) -> None:
        """A node that has not started."""
        self._applications = applications
        self._id = node

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:  # noqa: ARG002 - it knows no time
        """Take an event; see `Program`.

        Args:
            event: what happened to the node.
            now_s: seconds on the play's clock.
        """
        if isinstance(event, Started):
            over = self._applications.tell_when_over(self._id)
            return [Reached(Moment.STARTED), *([Reached(Moment.FINISHED)] if over else [])]
        if isinstance(event, MessageReceived) and isinstance(event.message, AllOver):
            return [Reached(Moment.FINISHED)]
        return []

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:  # noqa: ARG002 - see `Program`
        """Nothing: it calls nobody.

        Args:
            now_s: seconds on the play's clock.
        """
        return ()
