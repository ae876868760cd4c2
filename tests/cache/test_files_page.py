"""The page of states and scenarios has what is declared."""

from __future__ import annotations

from pathlib import Path

from froude.cache.simulate.scenario import Cluster, Host, Scenario
from froude.cache.solve.state import Application, Hypervisor, JobRun, State, Vm
from froude.documents.model import declared
from tests.support.experiment.scenario_page import field_table

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cache-files.md"
_MARK = "<!-- What follows is made by `python -m tests.cache.test_files_page`. -->\n\n"
KINDS = (State, Hypervisor, Vm, Application, JobRun, Scenario, Host, Cluster)


def reference() -> str:
    """The tables of all fields."""
    return (
        "\n\n".join(f"## {each.__name__}\n\n{each.__doc__}\n\n{field_table(each)}" for each in KINDS) + "\n"
    )


def test_the_page_has_what_is_declared() -> None:
    """Made anew by `python -m tests.cache.test_files_page`."""
    assert _PAGE.read_text().partition(_MARK)[2] == reference()


def test_every_field_is_described() -> None:
    """By a sentence; names speak for themselves."""
    missing = [f"{kind.__name__}.{each.name}" for kind in KINDS for each in declared(kind) if not each.about]
    assert set(missing) <= {"Host.name", "Cluster.name"}


if __name__ == "__main__":
    _PAGE.write_text(_PAGE.read_text().partition(_MARK)[0] + _MARK + reference())
