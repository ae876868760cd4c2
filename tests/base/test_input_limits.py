"""Limits of inputs have names, and their errors name the flag that raises them."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.base.input_limits import (
    InputLimits,
    check_limit,
    input_limits,
    parse_limits,
    within_limits,
)


def test_a_number_above_its_limit_is_refused_with_the_flag_that_raises_it() -> None:
    """Also one that is beyond every number, or none."""
    check_limit("nodes", InputLimits().nodes)
    with pytest.raises(InputError, match=r"has too many nodes; found 1,000,001; .* --max nodes=1000001"):
        check_limit("nodes", 1_000_001)
    for number in (float("inf"), float("nan"), 10**400):
        with pytest.raises(InputError, match="steps; found "):
            check_limit("steps", number)


def test_limits_hold_in_their_block() -> None:
    """And those before it come back, also after an error."""
    check_limit("rows", 3)
    with pytest.raises(InputError), within_limits(InputLimits(rows=2)):
        check_limit("rows", 3)
    assert input_limits() == InputLimits()


def test_limits_of_texts() -> None:
    """Sizes for what a packed file expands to, plain numbers for all else."""
    limits = parse_limits(["expansion=4 GB", "rows=1e9", "rows=2e9"])
    assert limits == InputLimits(expansion=4 * 10**9, rows=2 * 10**9)
    for text in ("rows=4 GB", "rows=0", "expansion=4", "lines=3", "rows", "steps=x", ""):
        with pytest.raises(InputError, match="--max"):
            parse_limits([text])


@pytest.mark.parametrize(
    ("packed", "most"), [(10, 1 << 20), (100_000, 20_000_000), (1 << 30, 1 << 30), (1 << 40, 1 << 30)]
)
def test_what_a_packed_file_may_expand_to(packed: int, most: int) -> None:
    """200 times its size, within one MiB and one GiB; or as many bytes as were asked for."""
    assert InputLimits().expansion_bytes(packed) == most
    assert InputLimits(expansion=7).expansion_bytes(packed) == 7
