"""Questions about a scarce SSD, as Python asks them; the command line's own tests hold what they find."""

from __future__ import annotations

import froude as fr
from froude.cache.solve.files import shipped


def test_a_question_in_a_notebook() -> None:
    """What each VM gets is a table, and larger SSDs are rows of another."""
    state = fr.cache.read_state(shipped()["table-1"]).state
    answer = fr.cache.split(state, "equal", factors=[0.5, 2.0])
    assert answer.table("grants").num_rows == len(state.vms)
    assert [row["factor"] for row in answer.table("what_if").to_pylist()] == [0.5, 2.0]
