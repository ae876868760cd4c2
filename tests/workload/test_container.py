"""Containers and what is waited for: values that cannot be are refused."""

from __future__ import annotations

import pytest

from froude.workload.container import Awaited, Container


def test_a_container_of_an_application_master_has_no_priority() -> None:
    """A task's has the one that it is asked for with."""
    assert Container("client").priority is None
    assert Container("am", 20, 1.5, 0.05).after == 0.05


@pytest.mark.parametrize("wrong", [{"after": 1.5}, {"after": -0.1}, {"delay_s": -1.0}])
def test_what_cannot_be(wrong: dict[str, float]) -> None:
    """More than all, or before the beginning."""
    with pytest.raises(ValueError, match="share from 0 to 1"):
        Container("am", 20, **wrong)
    with pytest.raises(ValueError, match="pause"):
        Awaited((), -1.0)
