"""Figures in sentences."""

from __future__ import annotations

from froude.cache.solve.words import rate, size


def test_sizes_and_rates_have_three_digits() -> None:
    """In the unit that is read best."""
    assert [size(n) for n in (0, 999, 1024, 220 << 20, 1000 << 20, 3 << 40)] == [
        "0 B",
        "999 B",
        "1 KiB",
        "220 MiB",
        "0.977 GiB",
        "3 TiB",
    ]
    assert [rate(n) for n in (0, 0.12345, 12.345, 1234.5)] == ["0/s", "0.123/s", "12.3/s", "1,234/s"]
