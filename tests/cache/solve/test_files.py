"""States and plans as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cache.solve.files import read_state, shipped, state_text
from froude.cache.solve.planner import solve
from froude.cache.solve.policies import POLICIES, policy
from tests.support.cache.solve.made import table_1


def test_a_state_reads_back(tmp_path: Path) -> None:
    """With its curves."""
    file = tmp_path / "state.yaml"
    file.write_text(state_text(table_1()))
    again = read_state(file).state
    assert [vm.name for vm in again.vms] == [vm.name for vm in table_1().vms]
    assert solve(again, policy("exact")).sizes() == solve(table_1(), policy("exact")).sizes()


def test_what_is_wrong_is_named_with_its_line(tmp_path: Path) -> None:
    """File, line, field, what may stand there."""
    file = tmp_path / "state.yaml"
    head = "froude: cache-state/1\nhypervisors:\n  - {name: h1, space: 5GB}\nvms:\n"
    file.write_text(f"{head}  - name: vm1\n    hypervisor: h2\n")
    with pytest.raises(InputError, match=r"state.yaml:6: vms\[0\].hypervisor: .*found h2"):
        read_state(file)
    file.write_text(f"{head}  - name: vm1\n    hypervisor: h1\n    reads: 5\n")
    with pytest.raises(InputError, match=r"state.yaml:7: vms\[0\].reads: .*reads_per_s\?"):
        read_state(file)


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_state_that_comes_with_froude_can_be_planned(name: str) -> None:
    """By every policy; there is one at least."""
    state = read_state(shipped()[name]).state
    for each in POLICIES:
        assert solve(state, each).grants
