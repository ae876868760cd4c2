"""Limits of a VM."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.cache.monitor.limits import MOST, RESOURCES, Limits


def test_what_a_vm_takes() -> None:
    """No limit of space is no cache; no limit of requests is any number."""
    assert [Limits().taken(name) for name in RESOURCES] == [0, None, None]
    assert [Limits(3, 4, 5).taken(name) for name in RESOURCES] == [3, 4, 5]


@pytest.mark.parametrize("value", [-1, MOST + 1])
def test_out_of_range(value: int) -> None:
    """Neither negative nor beyond anything there is."""
    with pytest.raises(InputError, match="cache_bytes"):
        Limits(value)


def test_a_cap_of_nothing_would_be_a_hang() -> None:
    """No requests at all is refused; no cache at all is not."""
    assert Limits(0).cache_bytes == 0
    with pytest.raises(InputError, match="iops"):
        Limits(iops=0)
