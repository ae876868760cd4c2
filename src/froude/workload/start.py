"""When the nodes of a type start (PatternMiner III.B.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class Moment(Enum):
    """What of a node another may wait for."""

    STARTED = "started"
    """Its first call is answered; of a daemon with a program of its own, all calls before its first periodic one."""
    FINISHED = "finished"
    """Its last step is answered."""


@dataclass(frozen=True, slots=True)
class StartRule:
    """When nodes of a type start (III.B.4): at once, after one node (fork), after some, or after all (join).

    However many there are, those that were recorded beside each other are beside each other: the start of a process is
    no load (`within_s`). Those that ran one after another do so (`pause_s`). Without either, each starts `spacing_s`
    after the one before.
    """

    after: str | None = None
    """Node type waited for; None to start with the play."""
    moment: Moment = Moment.FINISHED
    every: bool = True
    """All nodes of that type (join) or, unless `nth` or `share` says otherwise, the first of them (fork)."""
    nth: int | None = None
    """So many nodes of that type, at least 1; None where `every` or `share` says it."""
    share: float | None = None
    """That share of its nodes, above 0 and at most 1, as MapReduce starts reducers; None where `every` or `nth` does."""
    delay_s: float = 0.0
    """From that moment to the first node's start, seconds."""
    spacing_s: float = 0.0
    """Between one node's start and the next one's, seconds."""
    within_s: float | None = None
    """All have started so long after the first, seconds; None where more of them take longer to start."""
    pause_s: float | None = None
    """From one node's end to the next one's start, seconds; None where none waits for the one before."""
    follows: str | None = None
    """Node type in turn with which they run, as the commands of a script do: each waits for the end of the node of its
    own number there. None where each waits for the one before of its own type."""
    offset: int = 0
    """Added to a node's own number for that of the node it waits for: -1 for one of the round before. Who has none
    there waits for the one before of its own type; the first starts by `after`."""

    def needed(self, there: int) -> int:
        """How many of the nodes that are waited for must have come to the moment.

        Args:
            there: how many of them there are.
        """
        if self.nth is not None:
            return min(self.nth, there)
        if self.share is not None:
            return min(there, max(1, math.ceil(self.share * there - 1e-9)))
        return there if self.every else min(1, there)

    @property
    def in_turn(self) -> bool:
        """Whether each starts when the one before has ended."""
        return self.pause_s is not None

    def predecessor(self, number: int, there: int) -> int | None:
        """The number of the node in turn with which a node runs; None where there is none.

        Args:
            number: of the waiting node, from 0.
            there: how many nodes the type has that it `follows`.
        """
        earlier = number + self.offset
        return earlier if self.follows is not None and 0 <= earlier < there else None

    def apart_s(self, nodes: int, least_s: float = 0.0) -> float:
        """Seconds between one node's start and the next one's, where none waits for the one before.

        Args:
            least_s: what `within_s` does not bring it below, so that whoever starts them can keep up.
        """
        if self.within_s is None or nodes < 2:
            return self.spacing_s
        return min(self.spacing_s, max(least_s, self.within_s / (nodes - 1)))
