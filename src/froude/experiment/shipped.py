"""Scenarios that come with Froude: comparisons that others have made, to be made again with a load of one's own.

Each is a sweep of one replay, `replay.yaml`, which lies beside it and holds what is the user's to fill in.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from froude.experiment.scenario import SweepScenario, read_scenario

FOLDER = Path(__file__).parent / "scenarios"


def shipped() -> Mapping[str, str]:
    """What each answers, in a line, by name."""
    return {path.stem: _question(path) for path in sorted(FOLDER.glob("*.yaml"))}


def files_of(name: str, place: Path) -> Mapping[Path, str]:
    """The text of a scenario for a place, and of what it varies, which lies beside it under the name that it has here.

    Args:
        name: one of `shipped`.
        place: of the scenario.
    """
    path = FOLDER / f"{name}.yaml"
    files = {place: path.read_text(encoding="utf-8")}
    scenario = read_scenario(path).scenario
    if isinstance(scenario, SweepScenario):
        files[place.parent / scenario.base.name] = scenario.base.read_text(encoding="utf-8")
    return files


def _question(path: Path) -> str:
    first, _, _ = path.read_text(encoding="utf-8").partition("\n")
    return first.lstrip("# ")
