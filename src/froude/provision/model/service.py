"""How long storage takes: one record on one unit, and one operation of a task.

Service time of a record of s bytes is s / rate + gap.

Source: scc 3.2.1 and 4.2; spec: device time and unit counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from froude.provision.types import Application, Dataset, Io, Op, StorageUnit, Task


@dataclass(frozen=True, slots=True)
class Access:
    """One I/O operation of one task, with how often it happens."""

    task: Task
    io: Io
    records: float
    """Logical records per second, over all executions of the task."""

    @property
    def device_records(self) -> float:
        """Accesses of the device per second."""
        return self.records * self.io.amplification

    @property
    def logical_bytes(self) -> float:
        """Bytes per second that cross the network, when they do."""
        return self.records * self.io.record_size

    @property
    def device_bytes(self) -> float:
        """Bytes per second that cross the unit's bus."""
        return self.device_records * self.io.record_size


def accesses(application: Application, dataset: Dataset, rates: Mapping[str, float]) -> list[Access]:
    """Every operation on a dataset, in the order of the tasks.

    Args:
        rates: executions per second of each task, by name.
    """
    return [
        Access(task, op, rates[task.name] * op.probability * op.num_records)
        for task in application.tasks
        for op in task.operations
        if isinstance(op, Io) and op.dataset == dataset.name
    ]


def record_seconds(unit: StorageUnit, op: Op, record_size: float, profile: str | None = None) -> float:
    """Device seconds of one record.

    Args:
        record_size: bytes.
        profile: of the storage system on it; a unit without that profile is taken as it is.
    """
    rate, gap = (unit.rate_r, unit.gap_r) if op is Op.READ else (unit.rate_w, unit.gap_w)
    for known in unit.profiles:
        if known.name == profile:
            own = (known.rate_r, known.gap_r) if op is Op.READ else (known.rate_w, known.gap_w)
            rate, gap = rate if own[0] is None else own[0], gap if own[1] is None else own[1]
    return record_size / rate + gap


def operation_seconds(
    io: Io, seconds: float, units: float, share: float = 1.0, *, wait_s: float = 0.0
) -> float:
    """Expected time of one I/O operation on one copy.

    Args:
        units: that serve it, when it is parallel; infinite for a service.
        share: of its records that go to this copy.
        wait_s: mean wait of an access for the unit; parallel records wait once.
    """
    accesses_made = io.num_records * io.amplification * share
    if accesses_made == 0:
        return 0.0
    if io.parallel:
        return io.probability * (max(seconds, accesses_made * seconds / units) + wait_s)
    return io.probability * accesses_made * (seconds + wait_s)
