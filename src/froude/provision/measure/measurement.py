"""What a device was measured to do, and two models of it: rate and gap, and IOPS and rate.

Rate and gap: a record of s bytes takes s / rate + gap seconds. IOPS and rate: a device serves min(IOPS * s, rate)
bytes a second, with the IOPS of its smallest record and the rate of its largest. The paper holds that the second
fails between the two, at 200 KB on disks; `Fit.rows` shows by how much on this device.

Source: scc (FAST 2012), 3.2.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from froude.base.errors import InputError, MissingError
from froude.base.units import KIB, MIB, size_text
from froude.provision.types import Op

SIZES = (4 * KIB, 64 * KIB, 200 * KIB, MIB, 10 * MIB)
"""Record sizes measured: the paper's 4 KB, 200 KB and 10 MB in whole blocks, and two more for the fit."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Records of one size, one after the other, at random places."""

    record_size: int
    """Bytes."""
    seconds: float
    """Mean time of one record over the rounds that count."""
    records: int = 1
    """How many records that is the mean of."""
    steady: bool = True
    """Whether the rounds were steady."""
    rounds: tuple[float, ...] = ()
    """Mean seconds of one record in every round, those before it was steady too."""

    def __post_init__(self) -> None:
        if self.record_size <= 0 or self.records <= 0:
            raise ValueError(f"sizes and counts are positive, got {self.record_size}, {self.records}")
        if not (0 < self.seconds < math.inf):
            raise ValueError(f"seconds must be positive and finite, got {self.seconds}")

    @property
    def throughput(self) -> float:
        """Bytes per second."""
        return self.record_size / self.seconds


@dataclass(frozen=True, slots=True)
class RateGap:
    """Seconds of one record = size / rate + gap."""

    rate: float
    """Bytes per second; positive."""
    gap: float
    """Seconds; not negative."""

    def throughput(self, record_size: float) -> float:
        """Bytes per second of records of one size."""
        return record_size / (record_size / self.rate + self.gap)


@dataclass(frozen=True, slots=True)
class IopsRate:
    """Bytes per second = min(iops * size, rate)."""

    iops: float
    """Records per second of the smallest size."""
    rate: float
    """Bytes per second of the largest size."""

    def throughput(self, record_size: float) -> float:
        """Bytes per second of records of one size."""
        return min(self.iops * record_size, self.rate)


@dataclass(frozen=True, slots=True)
class RecordSizeRow:
    """One record size: measured, and what each model says; throughputs in bytes per second."""

    sample: Sample
    rate_gap: float
    ends: float
    """Rate and gap from the smallest and largest size alone: as much as IOPS and rate are given."""
    iops_rate: float

    def error(self, predicted: float) -> float:
        """How far a prediction lies above what was measured, as a share of it; negative below."""
        return predicted / self.sample.throughput - 1


@dataclass(frozen=True, slots=True)
class Fit:
    """Both models of one direction, and what they rest on."""

    op: Op
    samples: tuple[Sample, ...]
    """By ascending size."""
    rate_gap: RateGap
    ends: RateGap
    """Fitted to the smallest and largest size alone; predicts those between."""
    iops_rate: IopsRate

    @property
    def rows(self) -> tuple[RecordSizeRow, ...]:
        """Measured beside predicted, by ascending size."""
        models = (self.rate_gap, self.ends, self.iops_rate)
        return tuple(
            RecordSizeRow(s, *(model.throughput(s.record_size) for model in models)) for s in self.samples
        )

    @property
    def steady(self) -> bool:
        """Whether every sample was steady."""
        return all(sample.steady for sample in self.samples)


@dataclass(frozen=True, slots=True)
class Measurement:
    """All that was measured of one target."""

    target: str
    """Where: a device, a folder, an address."""
    region_bytes: int
    """How much of it was read and written."""
    fits: tuple[Fit, ...]
    """Reads, then writes where there were any."""
    capacity: int | None = None
    """Bytes of the device; None for a file, which does not tell."""
    direct: bool = True
    """Whether the page cache was passed by."""
    preconditioned: bool | None = None
    """Whether random writes were steady before anything was measured; None where nothing may be written."""
    durable: bool = False
    """Whether a write counted as done when it was on the medium."""
    round_s: float = 0.0
    """Length of a round."""
    notes: tuple[str, ...] = ()
    """What a reader of the numbers must know."""

    @property
    def steady(self) -> bool:
        """Whether everything was steady, so that the numbers are the device's and not of the moment."""
        return self.preconditioned is not False and all(fit.steady for fit in self.fits)

    def fit_of(self, op: Op) -> Fit | None:
        """The fit of a direction; None where it was not measured."""
        return next((fit for fit in self.fits if fit.op is op), None)


def fit(op: Op, samples: Sequence[Sample]) -> Fit:
    """Both models of one direction.

    Args:
        samples: of two different sizes or more, in any order.

    Raises:
        InputError: as `fit_rate_gap` and `fit_iops_rate`.
    """
    ordered = tuple(sorted(samples, key=lambda sample: sample.record_size))
    ends = (ordered[0], ordered[-1]) if ordered else ()
    return Fit(op, ordered, fit_rate_gap(ordered), fit_rate_gap(ends), fit_iops_rate(ordered))


def fit_rate_gap(samples: Sequence[Sample]) -> RateGap:
    """Rate and gap with the least squares of relative errors of the seconds; neither is negative.

    Errors are relative since seconds run over three powers of ten: else the largest record alone would decide.

    Raises:
        InputError: fewer than two different sizes, or larger records take no longer, which gives no rate.
        MissingError: scipy is not installed.

    Source: ours; non-negative least squares by Lawson and Hanson (scipy).
    """
    import numpy as np

    nnls = least_squares()
    _check_sizes(samples)
    sizes = np.array([sample.record_size for sample in samples], dtype=float)
    seconds = np.array([sample.seconds for sample in samples])
    # Columns of comparable length: seconds of one record of the mean size, and the gap.
    unit = float(sizes.mean())
    columns = np.column_stack((sizes / unit / seconds, 1 / seconds))
    scales = np.linalg.norm(columns, axis=0)
    solution, _ = nnls(columns / scales, np.ones(len(samples)))
    per_unit, gap = (float(value) for value in solution / scales)
    if per_unit <= 0 or not math.isfinite(unit / per_unit):
        times = f"{samples[0].seconds:.3g} s to {samples[-1].seconds:.3g} s"
        raise InputError(
            "larger records do not take longer, so there is no rate",
            place="samples",
            found=times,
            remedy="Measure larger records too",
        )
    return RateGap(unit / per_unit, gap)


def least_squares() -> Callable[..., Any]:
    """Non-negative least squares; asked for before hours of measuring end without a fit.

    Raises:
        MissingError: scipy is not installed.
    """
    try:
        from scipy.optimize import nnls
    except ImportError as error:
        remedy = "Install the extra: pip install 'froude[provision]'"
        raise MissingError("scipy is not installed", remedy=remedy) from error
    return nnls  # type: ignore[no-any-return]


def fit_iops_rate(samples: Sequence[Sample]) -> IopsRate:
    """IOPS of the smallest size and rate of the largest, as data sheets give them.

    Raises:
        InputError: fewer than two different sizes.
    """
    _check_sizes(samples)
    small = min(samples, key=lambda sample: sample.record_size)
    large = max(samples, key=lambda sample: sample.record_size)
    return IopsRate(1 / small.seconds, large.throughput)


def error_text(error: float) -> str:
    """An error as people read it: `+27.7%`; what rounds to nothing has no minus."""
    return f"{round(error, 3) + 0.0:+.1%}"


def _check_sizes(samples: Sequence[Sample]) -> None:
    sizes = {sample.record_size for sample in samples}
    if len(sizes) < 2:
        listed = ", ".join(size_text(size) for size in sorted(sizes)) or "none"
        raise InputError("too few sizes to fit", place="samples", found=listed, allowed="two or more")
