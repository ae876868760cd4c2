"""Whether a cap is one: measured, not believed."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.probe import choose, judged, probe
from froude.cache.backends.types import Finding, Rate, Verdict
from froude.cache.monitor.limits import Limits


@dataclass
class _Disk:
    """A back-end and the load on it: honest, deaf, forgetful, or down."""

    kind: str = "honest"
    free: float = 1000.0
    limits: Limits = field(default_factory=Limits)
    applied: list[Limits] = field(default_factory=list)
    name: str = "disk"
    controls: frozenset[str] = frozenset({"iops"})

    def apply(self, limits: Limits) -> None:
        """Take them, or not."""
        if self.kind == "refuses" and limits.iops is not None:
            raise TargetError("refuses", file="disk")
        self.applied.append(limits)
        self.limits = limits

    def read_back(self) -> Limits:
        """What it says."""
        if self.kind == "down":
            raise TargetError("no answer", file="disk")
        return Limits() if self.kind == "forgets" else self.limits

    def rate(self, seconds: float) -> Rate:
        """What the load does."""
        cap = self.limits.iops
        iops = self.free if cap is None or self.kind == "deaf" else min(self.free, cap)
        return Rate(iops, iops * 4096)


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("honest", Verdict.HOLDS),
        ("deaf", Verdict.IGNORED),
        ("forgets", Verdict.REFUSED),
        ("refuses", Verdict.REFUSED),
        ("down", Verdict.UNTESTED),
    ],
)
def test_what_a_back_end_is_found_to_do(kind: str, verdict: Verdict) -> None:
    """Only one that held the load is said to; an accepted cap without effect is found out."""
    disk = _Disk(kind, limits=Limits())
    found = probe(disk, disk, "iops", seconds=0)
    assert found.verdict is verdict
    assert disk.limits == Limits()


def test_a_cap_that_no_plan_sets_is_named() -> None:
    """A probe that was killed has left it, or an operator has set it: nobody else would tell."""
    disk = _Disk(limits=Limits(iops=77, bytes_per_s=5_000_000), controls=frozenset({"iops", "bytes_per_s"}))
    found = probe(disk, disk, "bytes_per_s", seconds=0)
    assert "a cap of 5,000,000 B/s was in force, which no plan of ours sets or lifts" in found.note
    assert not probe(disk, disk, "iops", seconds=0).note
    assert not probe(_Disk(), disk, "bytes_per_s", seconds=0).note.count("was in force, which")


def test_what_was_in_force_is_in_force_again() -> None:
    """Also bandwidth, which stays as it is meanwhile."""
    disk = _Disk(limits=Limits(iops=77, bytes_per_s=5_000_000))
    found = probe(disk, disk, "iops", seconds=0)
    assert (found.free_rate, found.asked, found.held_rate) == (1000.0, 250, 250.0)
    assert disk.limits == Limits(iops=77, bytes_per_s=5_000_000)
    assert {limits.bytes_per_s for limits in disk.applied} == {5_000_000}


@pytest.mark.parametrize(("fails", "noted"), [(1, False), (99, True)])
def test_what_was_in_force_cannot_be_set_again(fails: int, noted: bool) -> None:
    """It is tried again; then it is told, since the VM may be left at the probe's cap."""

    class Stubborn(_Disk):
        left = fails

        def apply(self, limits: Limits) -> None:
            if limits.iops is None and self.applied and self.applied[-1].iops is not None and self.left:
                self.left -= 1
                raise TargetError("no answer", file="disk")
            super().apply(limits)

    disk = Stubborn()
    found = probe(disk, disk, "iops", seconds=0)
    assert found.verdict is Verdict.HOLDS
    assert ("could not be set again" in found.note) is noted
    assert disk.limits == Limits(iops=250 if noted else None)


def test_an_idle_disk_proves_nothing() -> None:
    """A load that asks for less than the cap does not show that it holds."""
    disk = _Disk(free=3.0)
    assert probe(disk, disk, "iops", seconds=0).verdict is Verdict.UNMEASURED


def test_judging_a_rate_under_a_cap() -> None:
    """Above it is ignored; just below it is held; far below it is held only if more was asked for."""
    assert judged("x", "iops", 100, 130, wanted_more=False).verdict is Verdict.IGNORED
    assert judged("x", "iops", 100, 99, wanted_more=False).verdict is Verdict.HOLDS
    assert judged("x", "iops", 100, 30, wanted_more=False).verdict is Verdict.UNMEASURED
    assert judged("x", "iops", 100, 30, wanted_more=True).verdict is Verdict.HOLDS


def test_the_choice() -> None:
    """One that holds before one that may; never one that is ignored or refused; each resource by itself."""
    findings = [
        Finding("a", "iops", Verdict.IGNORED),
        Finding("b", "iops", Verdict.UNMEASURED),
        Finding("c", "iops", Verdict.HOLDS),
        Finding("d", "bytes_per_s", Verdict.UNMEASURED),
        Finding("e", "cache_bytes", Verdict.REFUSED),
        Finding("f", "bytes_per_s", Verdict.UNTESTED),
    ]
    assert choose(findings, "iops") == "c"
    assert choose(findings, "bytes_per_s") == "d"
    assert choose(findings, "cache_bytes") is None
    assert choose(findings[-1:], "bytes_per_s") == "f"
