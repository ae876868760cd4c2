"""How many nodes a start rule waits for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.workload.start import StartRule


@given(st.integers(0, 1000), st.integers(1, 50), st.floats(0.01, 1))
def test_never_more_than_there_are(there: int, nth: int, share: float) -> None:
    """Whichever way it is said, and at least one where there is any."""
    rules = [
        StartRule(every=True),
        StartRule(every=False),
        StartRule(every=False, nth=nth),
        StartRule(every=False, share=share),
    ]
    needed = [rule.needed(there) for rule in rules]
    assert all(min(1, there) <= number <= there for number in needed)
    assert needed[:2] == [there, min(1, there)]


def test_a_share_is_rounded_up() -> None:
    """A twentieth of ten maps is one of them; of a hundred, five."""
    rule = StartRule(every=False, share=0.05)
    assert [rule.needed(maps) for maps in (10, 20, 21, 100)] == [1, 1, 2, 5]
