"""What goes on in an experiment at this moment, for whoever wants to look at it (`prometheus`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from froude.emulation.engine import Status
from froude.hadoop.metrics.jmx import Sampler


class Phase(Enum):
    """Where an experiment is."""

    STARTING = "starting"
    """Inputs are read, a NameNode is started."""
    WAITING = "waiting for safe mode"
    """The target does not serve yet."""
    RAMP = "ramp"
    """Emulated daemons begin."""
    PLAYING = "playing"
    """Calls are made."""
    ENDED = "ended"
    """What was played is written down."""


@dataclass(slots=True)
class Live:
    """What was told last."""

    phase: Phase = Phase.STARTING
    plays: int = 0
    """How many have begun."""
    status: Status | None = None
    """Of the player; None before its first."""
    sampler: Sampler | None = None
    """Of the target; None where nobody looks."""
    watched: bool = False
    """Whether somebody looks, so that players tell all they know."""
    order: Callable[[Status, Sampler | None], int] | None = None
    """Decides when a sustained load is measured, and when it ends; None for the usual warm-up."""

    @contextmanager
    def play(self, sampler: Sampler | None) -> Iterator[Live]:
        """One play, from its begin to its end; counters begin anew."""
        self.status, self.sampler, self.phase = None, sampler, Phase.STARTING
        self.plays += 1
        try:
            yield self
        finally:
            self.phase = Phase.ENDED

    def tell(self, status: Status, waits_for: str) -> None:
        """What goes on.

        Args:
            waits_for: why the target does not serve yet; empty where it does.
        """
        self.status = status
        self.phase = Phase.WAITING if waits_for else Phase.RAMP if status.ramping else Phase.PLAYING
