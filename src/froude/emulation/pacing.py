"""When the calls of a scripted node are due: the two ways in which a recorded pattern can be paced.

*Closed*: a client waits for its answer, thinks, and calls again, as a real one does. A target that stands still is
met by fewer calls, so its latencies are service times and nothing else; the calls that a stall kept from being made
are estimated by HdrHistogram's correction, from the interval in which each was expected.

*Scheduled*: the intended time of each call follows from the plan alone: recorded think times and service times, at
the plan's Scale, summed up from the node's own start. A call that is late is sent as soon as its order allows, and
its latency counts from the time at which it was due.

Source: Gil Tene, "How NOT to Measure Latency" (coordinated omission); HdrHistogram's expected interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy

from froude.base.seeds import Seeds
from froude.base.units import Quantity
from froude.emulation.settings import Pacing
from froude.workload.plan import pace, paces
from froude.workload.timing import Duration
from froude.workload.types import CallTemplate, Moment, NodeType
from froude.workload.walk import calls


def pacing_of(untimed: str | None, wanted: Pacing | None) -> tuple[Pacing, str | None]:
    """The pacing that a plan is played with.

    Args:
        untimed: id of a step that has no service time (`PlanFacts`).
        wanted: what was asked for; None takes a schedule where the workload has the times for one.

    Returns:
        The pacing, and a remark where a plan without service times has to be played closed.
    """
    if wanted is not None or untimed is None:
        return wanted or Pacing.SCHEDULED, None
    return (
        Pacing.CLOSED,
        f"played with closed pacing: {untimed} has no service time; mine the recordings again",
    )


class Pace:
    """The due times of one node's steps."""

    __slots__ = ("_answered_s", "_closed", "_count", "_numbers", "_scale", "_speed", "_times")

    def __init__(
        self,
        pacing: Pacing,
        scale: Mapping[str, Quantity],
        *,
        speed: float = 1.0,
        seeds: Seeds | None = None,
        times: dict[str, tuple[Duration, Duration]] | None = None,
    ) -> None:
        """A node that has not begun.

        Args:
            scale: the plan's Scale, over which recorded times may grow.
            speed: 2 halves every pause, and in a schedule every service time.
            seeds: the node's own, from which times vary as they were recorded to; None for medians alone.
            times: think and service times by call id, which nodes of one type share; filled as they are needed.
        """
        self._closed = pacing is Pacing.CLOSED
        self._scale = scale
        self._speed = speed
        self._numbers = None if seeds is None else seeds.numbered()
        self._times = {} if times is None else times
        self._answered_s = 0.0
        self._count = 0

    def begin(self, intended_s: float) -> None:
        """The node begins, and should have at `intended_s`."""
        self._answered_s = intended_s

    def due(self, call: CallTemplate, now_s: float) -> float:
        """When the next call is intended.

        Args:
            now_s: when the call before was answered; a schedule does not look at it.
        """
        think, service = self._of(call)
        if self._closed:
            return now_s + self._drawn_s(think) / self._speed
        due_s = self._answered_s + self._drawn_s(think) / self._speed
        self._answered_s = due_s + self._drawn_s(service) / self._speed
        return due_s

    def transferred(self, call: CallTemplate, now_s: float) -> float:
        """When a call can be sent at the earliest that follows data for other nodes: however late its node is.

        What passed between the two calls when they were recorded was the data's way to the DataNodes, no idle time. A
        node that leaves it out closes its file before they have reported its block, and asks again after half a second.
        """
        return now_s + self._of(call)[0].median_s / self._speed

    def overdue(self, steps: Iterable[CallTemplate], now_s: float) -> Iterator[tuple[CallTemplate, float]]:
        """The calls that a schedule has before `now_s`, with when each is due; none where pacing is closed.

        Args:
            steps: what follows the call that `due` was asked for last.
            now_s: the latest time, seconds on the play's clock.
        """
        if self._closed:
            return
        ahead = copy(self)
        for call in steps:
            due_s = ahead.due(call, now_s)
            if due_s > now_s:
                return
            yield call, due_s

    def expected_s(self, call: CallTemplate) -> float:
        """Seconds from a call until the next one is expected, for the correction; 0 in a schedule, which needs none."""
        if not self._closed or call.timing.service is None:
            return 0.0
        think, service = self._of(call)
        return think.median_s / self._speed + service.median_s

    def _of(self, call: CallTemplate) -> tuple[Duration, Duration]:
        times = self._times.get(call.id)
        if times is None:
            timing = call.timing
            times = self._times[call.id] = timing.think_at(self._scale), timing.service_at(self._scale)
        return times

    def _drawn_s(self, duration: Duration) -> float:
        """The next time: where in its distribution it lies follows from the seed, and from how many came before."""
        self._count += 1
        if self._numbers is None or not duration.quantiles_s:
            return duration.median_s
        return duration.at(self._numbers(self._count) / 2**64)


def planned_moments(
    node_type: NodeType, scale: Mapping[str, Quantity], speed: float, nodes: int = 1
) -> dict[Moment, float]:
    """Seconds from a scripted node's start to its moments, as a schedule has them.

    Args:
        speed: 2 halves all of them.
        nodes: how many there are; of nodes that run one after another the mean counts.
    """
    first = next(calls(node_type.steps), None)
    started_s = 0.0 if first is None else first.timing.mean_s(scale)
    _, finished_s = pace(node_type, scale)
    if node_type.start.in_turn and nodes:
        finished_s = sum(number * seconds for number, _, seconds in paces(node_type, scale, nodes)) / nodes
    return {Moment.STARTED: started_s / speed, Moment.FINISHED: finished_s / speed}
