"""Rate and gap, IOPS and rate: fitted to samples, and told apart by them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.units import KIB, MIB
from froude.provision.measure.measurement import (
    SIZES,
    Fit,
    Measurement,
    Sample,
    fit,
    fit_iops_rate,
    fit_rate_gap,
)
from froude.provision.types import Op

pytest.importorskip("scipy")

_RATES, _GAPS = st.floats(1e6, 1e11), st.floats(1e-7, 1e-1)


def _samples(rate: float, gap: float, sizes: tuple[int, ...] = SIZES) -> list[Sample]:
    return [Sample(size, size / rate + gap) for size in sizes]


@given(_RATES, _GAPS)
def test_a_device_of_the_model_is_found_back(rate: float, gap: float) -> None:
    """Samples that a rate and a gap made give that throughput back at every size, from all and from two."""
    samples = _samples(rate, gap)
    fitted = fit(Op.READ, samples)
    for row in fitted.rows:
        assert row.error(row.rate_gap) == pytest.approx(0, abs=1e-6)
        assert row.error(row.ends) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("gap", [8e-3, 3.5e-3, 0.4e-3])
def test_the_papers_devices(gap: float) -> None:
    """Both numbers come back where both matter."""
    fitted = fit_rate_gap(_samples(90e6, gap))
    assert (fitted.rate, fitted.gap) == (pytest.approx(90e6), pytest.approx(gap))


def test_the_papers_claim_on_a_disk() -> None:
    """IOPS and rate hold at 4 KB and 10 MB and promise a quarter too much at 200 KB; rate and gap hold at all."""
    rows = {row.sample.record_size: row for row in fit(Op.READ, _samples(90e6, 8e-3)).rows}
    errors = {size: row.error(row.iops_rate) for size, row in rows.items()}
    assert errors[4 * KIB] == pytest.approx(0)
    assert errors[10 * MIB] == pytest.approx(0)
    assert errors[200 * KIB] == pytest.approx(0.277, abs=0.001)
    assert errors[MIB] > 0.3


@given(_RATES, st.floats(0, 1), st.lists(st.floats(-0.1, 0.1), min_size=5, max_size=5))
def test_noise_is_not_amplified(rate: float, share: float, noise: list[float]) -> None:
    """Seconds off by a tenth at most give a model off by a third at most, while the largest record shows the rate."""
    gap = share * SIZES[-1] / rate
    noisy = [
        Sample(s.record_size, s.seconds * (1 + e)) for s, e in zip(_samples(rate, gap), noise, strict=True)
    ]
    fitted = fit_rate_gap(noisy)
    assert fitted.gap >= 0
    for size in SIZES:
        assert fitted.throughput(size) == pytest.approx(size / (size / rate + gap), rel=0.35)


def test_a_gap_is_never_negative() -> None:
    """Small records that are quicker than the rate allows give no gap, and the best rate without one."""
    fitted = fit_rate_gap([Sample(4 * KIB, 1e-6), Sample(MIB, 1e-3), Sample(10 * MIB, 1.2e-2)])
    assert fitted.gap == 0
    assert 0.8e9 < fitted.rate < 4.2e9


def test_the_order_of_samples_does_not_matter() -> None:
    """They are put by size."""
    assert fit(Op.WRITE, _samples(1e8, 1e-3)[::-1]) == fit(Op.WRITE, _samples(1e8, 1e-3))


@pytest.mark.parametrize("sizes", [(), (4096,), (4096, 4096)])
def test_one_size_is_no_line(sizes: tuple[int, ...]) -> None:
    """Two sizes are the least; said with what was given."""
    samples = _samples(1e8, 1e-3, sizes)
    for model in (fit_rate_gap, fit_iops_rate, lambda given: fit(Op.READ, given)):
        with pytest.raises(InputError, match="too few sizes"):
            model(samples)


def test_time_that_does_not_grow_has_no_rate() -> None:
    """A device that takes longer for small records than for large ones is not of this model."""
    with pytest.raises(InputError, match="do not take longer"):
        fit_rate_gap([Sample(4096, 1.0), Sample(8192, 1e-9)])


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_impossible_samples_are_refused(seconds: float) -> None:
    """A time is positive and finite."""
    with pytest.raises(ValueError, match="positive"):
        Sample(4096, seconds)


def test_one_unsteady_sample_tells_on_all() -> None:
    """The whole is steady only when every part is, and the wearing in too."""
    steady = fit(Op.READ, _samples(1e8, 1e-3))
    loose = fit(Op.WRITE, [*_samples(1e8, 1e-3, (4096, 8192)), Sample(MIB, 1.0, steady=False)])
    assert steady.steady
    assert not loose.steady
    assert _measurement(steady).steady
    assert not _measurement(steady, loose).steady
    assert not _measurement(steady, preconditioned=False).steady
    assert _measurement(steady).fit_of(Op.WRITE) is None


def _measurement(*fits: Fit, preconditioned: bool | None = None) -> Measurement:
    return Measurement("/dev/x", MIB, fits, preconditioned=preconditioned)
