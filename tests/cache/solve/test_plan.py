"""Plans as values."""

from __future__ import annotations

from froude.cache.solve.plan import Expected, Grant, Plan


def test_sizes_are_by_vm() -> None:
    """As a back-end applies them."""
    grant = Grant("a", "h", 5, None, "because", 0.5, 1.0)
    assert Plan("equal", (grant,), Expected(0, 0, 0), Expected(0, 0, 0)).sizes() == {"a": 5}
