"""Questions about a scarce SSD, as Python asks them; the command line's own tests hold what they find."""

from __future__ import annotations

import pytest

import froude as fr
from froude.base.errors import InputError
from froude.cache.solve.files import shipped


def test_a_question_in_a_notebook() -> None:
    """What each VM gets is a table, and larger SSDs are rows of another."""
    state = fr.cache.read_state(shipped()["table-1"]).state
    answer = fr.cache.split(state, "equal", factors=[0.5, 2.0])
    assert answer.table("grants").num_rows == len(state.vms)
    assert [row["factor"] for row in answer.table("what_if").to_pylist()] == [0.5, 2.0]


@pytest.mark.parametrize(("factors", "found"), [([float("nan")], "nan"), ([101], "101")])
def test_factors_out_of_range(factors: list[float], found: str) -> None:
    """Refused before anything is split."""
    state = fr.cache.read_state(shipped()["table-1"]).state
    with pytest.raises(InputError, match=found):
        fr.cache.split(state, factors=factors)
