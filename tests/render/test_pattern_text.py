"""Texts that fit."""

from hypothesis import given
from hypothesis import strategies as st

from froude.render.pattern_text import fit, width, wrap


@given(st.text(min_size=1), st.floats(40, 400))
def test_fit(text: str, room: float) -> None:
    """What comes back fits, and is whole when it fitted before."""
    fitted = fit(text, room, 12, mono=True)
    assert width(fitted, 12, mono=True) <= room
    assert fitted == text or fitted.endswith("…")


def test_wrap() -> None:
    """Broken between words; cut only in the last line."""
    broken = wrap("starts after every NodeManager has started", 150, 11.5, 2)
    assert broken == ["starts after every", "NodeManager has start…"]
    assert wrap("", 100, 12, 2) == []
    assert wrap("one two", 1000, 12, 2) == ["one two"]
