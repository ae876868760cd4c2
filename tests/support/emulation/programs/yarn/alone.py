"""NodeManagers whose heartbeats no player repeats."""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.programs.events import Event, Instruction, Repeat, WakeAt
from froude.emulation.programs.yarn.nodemanager import EmulatedNodemanager


class Alone(EmulatedNodemanager):
    """Makes each call itself, and asks to be woken for the next one."""

    __slots__ = ()

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        out: list[Instruction] = []
        for each in super().handle(event, now_s):
            if isinstance(each, Repeat):
                out += [WakeAt(each.send.intended_s + each.every_s, 1), each.send]
            else:
                out.append(each)
        return out
