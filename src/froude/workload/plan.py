"""The Plan: a Workload at a Scale, with its refusals. Programs are expanded lazily, one node at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from froude.workload.scale import Scale
from froude.workload.types import Repeat, Step, Workload


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that does not fit well enough to extrapolate."""

    what: str
    """One sentence for the user."""
    node_type: str | None = None
    fatal: bool = True
    """Whether the plan cannot be played because of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be played: how many nodes of each type, and the pattern each follows."""

    workload: Workload
    scale: Scale
    counts: Mapping[str, int]
    """Nodes by type at the Scale."""
    refusals: tuple[Refusal, ...] = ()

    @property
    def playable(self) -> bool:
        """Whether no refusal is fatal."""
        return not any(refusal.fatal for refusal in self.refusals)

    @property
    def calls_per_second(self) -> float:
        """Calls a second while every node is at work: periodic calls, and steps at their recorded pace.

        Polls count once, and a step without a recorded interval adds calls but no time.
        """
        total = 0.0
        for node_type in self.workload.node_types:
            rate = sum(1 / periodic.every_s for periodic in node_type.periodic)
            calls, seconds = _pace(node_type.steps, self.scale)
            total += self.counts.get(node_type.name, 0) * (rate + (calls / seconds if seconds > 0 else 0.0))
        return total


def _pace(steps: tuple[Step, ...], scale: Scale) -> tuple[int, float]:
    """Number of calls in the steps of one node, and the seconds of their intervals."""
    calls, seconds = 0, 0.0
    for step in steps:
        if isinstance(step, Repeat):
            times = step.times.whole_at(scale)
            inner_calls, inner_seconds = _pace(step.steps, scale)
            calls, seconds = calls + times * inner_calls, seconds + times * inner_seconds
        else:
            calls, seconds = calls + 1, seconds + max(0.0, step.interval.seconds.at(scale))
    return calls, seconds
