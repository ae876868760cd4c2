"""What a broken constraint says."""

from __future__ import annotations

from froude.provision.check.violation import Violation


def test_in_words() -> None:
    """With numbers where there are some."""
    assert str(Violation("isolation", "group 1")) == "group 1: isolation"
    assert str(Violation("slots", "group 1", 5, 4)) == "slots of group 1: 5 where 4 is allowed"
