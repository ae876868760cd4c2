"""Work that builds much, without the search for circles."""

from __future__ import annotations

import gc

import pytest

from froude.base.memory import collected_later


def test_circles_are_looked_for_again_after_the_block() -> None:
    """Off within, on after."""
    with collected_later():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_and_after_a_block_that_failed() -> None:
    """Whatever ends the block."""
    with pytest.raises(ValueError, match="no"), collected_later():
        raise ValueError("no")
    assert gc.isenabled()


def test_where_they_were_not_looked_for_before_they_are_not_after() -> None:
    """As it was before."""
    gc.disable()
    try:
        with collected_later():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
