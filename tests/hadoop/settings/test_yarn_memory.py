"""Whether a cluster fits: the daemons must, full containers had better."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.settings.yarn import Containers
from froude.hadoop.settings.yarn_memory import Nodes, check_memory

_MIB = 1 << 20


def test_what_fits_is_not_remarked_on() -> None:
    """Three nodes of 1 GiB on a machine of 8."""
    assert check_memory(Nodes(3, 3, Containers()), 8192 * _MIB) is None


def test_full_containers_that_do_not_fit_are_warned_of() -> None:
    """With the whole sum."""
    warning = check_memory(Nodes(3, 3, Containers()), 4096 * _MIB)
    assert warning is not None
    assert "the 4,096 MiB that are available" in warning
    assert "900 + 3 DataNodes x 200 + 3 NodeManagers x 275 = 2,325 MiB" in warning
    assert "3 x 1,024 = 3,072 MiB" in warning


def test_daemons_that_do_not_fit_are_refused() -> None:
    """With the sum, and what there is."""
    with pytest.raises(InputError, match="40 NodeManagers") as stated:
        check_memory(Nodes(40, 40, Containers()), 8192 * _MIB)
    assert "= 19,900 MiB" in str(stated.value)
    assert "allowed: 8,192 MiB available" in str(stated.value)


@given(st.integers(0, 300), st.integers(1, 300), st.integers(0, 1 << 38))
def test_more_nodes_never_fit_where_fewer_did_not(datanodes: int, nodemanagers: int, available: int) -> None:
    """And a machine with more memory takes whatever a smaller one takes."""

    def refused(nodes: Nodes, memory: int) -> bool:
        try:
            check_memory(nodes, memory)
        except InputError:
            return True
        return False

    here = refused(Nodes(datanodes, nodemanagers, Containers()), available)
    assert refused(Nodes(datanodes, nodemanagers + 1, Containers()), available) >= here
    assert refused(Nodes(datanodes + 1, nodemanagers, Containers()), available) >= here
    assert refused(Nodes(datanodes, nodemanagers, Containers()), 2 * available) <= here
