"""Changes are something or nothing."""

from __future__ import annotations

from froude.harvest.live.types import Changes, Resource


def test_no_change_is_false() -> None:
    """And any is true."""
    assert not Changes()
    assert Changes(resources={"a:1": Resource(memory_mb=1, vcores=1)})
    assert Changes(remove_labels=("a",))
