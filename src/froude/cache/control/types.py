"""What the loop works with: plans as limits, how they ended, what the user allows, and the seams to the world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Protocol

from pydantic import ConfigDict, TypeAdapter, ValidationError

from froude.base.errors import FroudeError
from froude.cache.backends.order import Step
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport, VmReport
from froude.cache.monitor.view import View


class Outcome(Enum):
    """How a round of the loop ended."""

    APPLIED = "applied"
    """Every VM has what the plan says."""
    KEPT = "kept"
    """Nothing was to be changed: the split was as good as any, or a better one would not pay for the move."""
    DRY = "dry-run"
    """It was only said what would be done."""
    PARTLY = "partly"
    """Some VMs have what the plan says; those on hypervisors that failed went back to what they had."""
    FAILED = "failed"
    """Nothing could be changed, or all of it went back."""
    BLIND = "blind"
    """No hypervisor could be observed, so that nothing was planned."""
    BEGUN = "begun"
    """It has not ended: what follows it in the journal says how, or the controller died."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says: limits of VMs, with reasons."""

    policy: str
    limits: Mapping[str, Limits]
    """By VM; those that are not named stay as they are. A cap of None is none; a space of None stays as it is."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """By VM, in a sentence."""
    expected: Mapping[str, float] = field(default_factory=dict)
    """What it shall bring: figures by name."""
    remarks: tuple[str, ...] = ()
    """Advice, and what could not be had."""


@dataclass(frozen=True, slots=True)
class Record:
    """One round, as the history keeps it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    number: int
    """Of the round; grows by 1, also over restarts."""
    made_at_s: float
    """Since the epoch."""
    cause: str
    """`interval`, `asked`, `rollback`, `start`."""
    outcome: Outcome
    decision: Decision
    before: Mapping[str, Limits] = field(default_factory=dict)
    """What was in force before it, of the VMs that it names."""
    after: Mapping[str, Limits] = field(default_factory=dict)
    """What is in force after it, read back."""
    failures: tuple[str, ...] = ()
    seconds: float = 0.0
    """From its first question to its last answer."""


class Agents(Protocol):
    """The agents, asked all at once, each with a time limit."""

    def hypervisors(self) -> Mapping[str, HypervisorReport | FroudeError]:
        """What every hypervisor's agent reports, or why it does not."""

    def guests(self) -> Mapping[str, VmReport | FroudeError]:
        """What every VM's own agent reports, or why it does not."""

    def apply(self, steps: Mapping[str, tuple[int, Step]]) -> Mapping[str, CachedVm | FroudeError]:
        """Carry out one change on each of some hypervisors.

        Args:
            steps: by hypervisor: the change's number and the change.

        Returns:
            By hypervisor: the VM after it, read back, or why nobody knows.
        """


class Journal(Protocol):
    """What survives the controller: the last rounds, and numbers that are never given twice."""

    def numbers(self, count: int, *, above: int) -> range:
        """So many numbers that nobody was given before, also before a restart.

        Args:
            count: how many; they are written down before they are given.
            above: what agents have seen: a lost journal does not make all changes late.

        Raises:
            FroudeError: they cannot be.
        """

    def pause(self, paused: bool) -> None:
        """Write down whether rounds pause.

        Raises:
            FroudeError: it cannot be.
        """

    def add(self, record: Record) -> None:
        """Write a round down; it is on the disk when this returns.

        Raises:
            FroudeError: it cannot be.
        """

    def records(self) -> tuple[Record, ...]:
        """The last rounds, the oldest first; of each the latest word."""


class Policy(Protocol):
    """Who decides."""

    def decide(self, view: View, pinned: Mapping[str, Limits]) -> Decision:
        """Split the SSDs.

        Args:
            pinned: VMs whose limits must stay as they are: the rest is split among the others.
        """


_FORM = TypeAdapter(Record)


def plain(record: Record) -> dict[str, Any]:
    """A record as JSON takes it: its fields and those of its decision, side by side."""
    fields: dict[str, Any] = _FORM.dump_python(record, mode="json")
    return {**fields.pop("decision"), **fields}


def record_of(fields: Any) -> Record:
    """The record of its JSON form.

    Raises:
        ValueError: a field is missing, or may not hold what it does.
    """
    split: dict[bool, dict[str, Any]] = {True: {}, False: {}}
    for name, value in fields.items():
        split[name in Decision.__slots__][name] = value
    try:
        return _FORM.validate_json(json.dumps({**split[False], "decision": split[True]}), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
