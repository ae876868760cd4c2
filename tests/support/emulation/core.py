"""A node program that follows a script."""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.programs.events import Event, Instruction


class Script:
    """Gives prepared instructions for each event, and keeps the events."""

    def __init__(self, *answers: Sequence[Instruction]) -> None:
        self.answers, self.seen = list(answers), list[Event]()
        self.late: list[tuple[str, float]] = []

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        self.seen.append(event)
        return self.answers.pop(0) if self.answers else ()

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:
        return self.late
