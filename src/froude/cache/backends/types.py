"""One interface to whatever limits a VM's I/O, and what is known of how well it does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from froude.cache.monitor.limits import Limits


class Verdict(Enum):
    """Whether a limit is one."""

    HOLDS = "holds"
    """Measured: a load that could go faster was held at it."""
    IGNORED = "ignored"
    """It was accepted and reads back, and the load went faster all the same."""
    UNMEASURED = "unmeasured"
    """It was accepted and reads back; no load asked for more, so nobody knows."""
    REFUSED = "refused"
    """It was not accepted, or reads back as another."""
    UNTESTED = "untested"
    """It cannot run here, or did not answer: nothing is known."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of trying to limit one resource."""

    backend: str
    resource: str
    """One of `RESOURCES`."""
    verdict: Verdict
    asked: int | None = None
    """The limit that was set."""
    free_rate: float | None = None
    """What the load did without it, per second."""
    held_rate: float | None = None
    """What it did under it, per second."""
    note: str = ""
    """What a person should know beside."""

    def noted(self, note: str) -> Finding:
        """The same with a further note.

        Args:
            note: a clause; empty for none.
        """
        return replace(self, note="; ".join(filter(None, (self.note, note))))


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast a load went."""

    iops: float
    bytes_per_s: float

    def of(self, resource: str) -> float:
        """In the unit of a resource.

        Args:
            resource: `iops` or `bytes_per_s`.
        """
        return self.iops if resource == "iops" else self.bytes_per_s


class Load(Protocol):
    """Something that asks a disk for as much as it gives."""

    def rate(self, seconds: float) -> Rate:
        """How fast it went for so long.

        Raises:
            FroudeError: it did not run.
        """


class Backend(Protocol):
    """What limits one VM."""

    @property
    def name(self) -> str:
        """A word for people: `qmp`, `cgroup-v1`."""

    @property
    def controls(self) -> frozenset[str]:
        """Which of `RESOURCES` it can limit."""

    def apply(self, limits: Limits) -> None:
        """Set limits; it returns when they are in force. What it does not control is passed over.

        Args:
            limits: None lifts a limit, where there can be none.

        Raises:
            TargetError: refused, or no answer: what is in force must be read back.
        """

    def read_back(self) -> Limits:
        """What is in force; None for what is not limited, or not controlled.

        Raises:
            TargetError: no answer.
        """
