"""Samples of primary tenants."""

from __future__ import annotations

from dataclasses import replace

from froude.base.errors import TargetError
from froude.harvest.live.collector import collect, sample_lines
from froude.harvest.live.resourcemanager import ResourceManager
from froude.harvest.live.types import Node
from testbed.virtual_clock import VirtualClock
from tests.support.harvest.live.resourcemanager import SEEN


def test_containers_are_taken_off() -> None:
    """A node that is lost, or says nothing, has no line."""
    lost, silent = replace(SEEN, state="LOST"), replace(SEEN, cpu_share=None)
    assert sample_lines([SEEN, lost, silent], 1234.4) == "1234,n,0.2500\n"


class _Flaky(ResourceManager):
    def __init__(self) -> None:
        super().__init__("127.0.0.1", 1)
        self.asked = 0

    def nodes(self) -> tuple[Node, ...]:
        self.asked += 1
        if self.asked == 2:
            raise TargetError("does not answer")
        return (SEEN,)


def test_a_sample_that_fails_is_left_out_and_time_goes_on() -> None:
    """At equal distances, whatever failed."""
    clock, failures = VirtualClock(), []
    lines = list(collect(_Flaky(), clock, interval_s=120, samples=3, failed=failures.append))
    assert len(failures) == 1
    first, last = (int(line.partition(",")[0]) for line in lines)
    assert last - first == 240
