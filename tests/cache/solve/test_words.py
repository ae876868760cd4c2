"""Figures in sentences."""

from __future__ import annotations

from froude.cache.solve.words import rate, size


def test_sizes_and_rates_have_three_digits() -> None:
    """In the unit that is read best."""
    given = (0, 999, 1000, 220e6, 999.7e6, 3.25e12)
    assert [size(n) for n in given] == ["0 B", "999 B", "1 kB", "220 MB", "1 GB", "3.25 TB"]
    assert [rate(n) for n in (0, 0.12345, 12.345, 1234.5)] == ["0/s", "0.123/s", "12.3/s", "1,234/s"]
