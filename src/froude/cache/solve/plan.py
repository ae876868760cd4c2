"""A Plan: bytes and IOPS of every VM, each with its reason, what that is expected to bring, and what was noticed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Grant:
    """What a VM gets."""

    vm: str
    hypervisor: str
    size_bytes: int
    """Of its cache; 0 for none. In a plan that shares, of the cache that it shares."""
    iops: float | None
    """The most operations a second that it may make on the SSD; None for no cap."""
    reason: str
    """Why this much, in a sentence with its figures."""
    miss_ratio: float | None
    """Expected, 0 to 1; None without a curve."""
    misses_per_s: float | None
    """Expected, at the reads of the window; None of a VM without a curve."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a plan is expected to bring, by its curves and models."""

    latency_s: float | None
    """Mean time of a read over the VMs that have a curve, weighed by their importance; None where none of them reads."""
    misses_per_s: float | None
    """Of the same VMs; None where none of them reads."""
    written_bytes_per_s: float
    """To all SSDs: chunks that are filled, and writes through the caches."""
    times_s: Mapping[str, float] = field(default_factory=dict)
    """Of a job, by application, where its runs tell."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Something that no split can mend."""

    hypervisor: str
    text: str
    vm: str | None = None
    to: str | None = None
    """Where it should move."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the SSDs are split."""

    policy: str
    grants: tuple[Grant, ...]
    """In the order of the state's VMs."""
    expected: Expected
    now: Expected
    """The same with the caches as they are."""
    shared: bool = False
    """Whether all VMs of a hypervisor share one cache instead of having one each."""
    kept: tuple[str, ...] = ()
    """Hypervisors whose split stays as it is, because a better one would not pay for the move."""
    advice: tuple[Advice, ...] = ()
    remarks: tuple[str, ...] = ()
    """What could not be had as it was asked for, and what was assumed."""

    def sizes(self) -> dict[str, int]:
        """Bytes by VM."""
        return {grant.vm: grant.size_bytes for grant in self.grants}
