"""A rate by resource."""

from __future__ import annotations

from froude.cache.backends.types import Rate


def test_a_rate_in_the_unit_of_a_resource() -> None:
    """Requests, or bytes."""
    assert (Rate(3, 12).of("iops"), Rate(3, 12).of("bytes_per_s")) == (3, 12)
