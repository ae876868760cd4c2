"""Scenarios that come with Froude: comparisons that others have made, recordings of ready jobs, and a search.

A comparison is a sweep of one replay, `replay.yaml`, which lies beside it and holds what is the user's to fill in. A
recording comes with the program that it runs, a play or a search with its workload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from froude.base.errors import InputError
from froude.experiment.scenario.scenario import (
    DynoScenario,
    KneeScenario,
    PlayScenario,
    RecordScenario,
    SweepScenario,
    read_scenario,
)

FOLDER = Path(__file__).parent / "examples"
_PARTS = ("-base", "-workload")
"""How the names of what others are made of end."""


def shipped() -> Mapping[str, str]:
    """What each answers, in a line, by name."""
    paths = {path.stem: path for path in FOLDER.glob("*.yaml")}
    return {name: _question(path) for name, path in sorted(paths.items()) if not name.endswith(_PARTS)}


def files_of(name: str, place: Path) -> Mapping[Path, str]:
    """The text of a scenario for a place, and of what it varies or runs, which lies beside it under its name here.

    Args:
        name: one of `shipped`.

    Raises:
        InputError: the place has the name of one of these other files.
    """
    path = FOLDER / f"{name}.yaml"
    files, beside = {place: path.read_text(encoding="utf-8")}, list(_beside(path))
    if place.name in {each.name for each in beside}:
        message, allowed = (
            "is the name of a file that the scenario needs",
            f"another name, such as {path.name}",
        )
        raise InputError(message, file=place, allowed=allowed)
    return {**files, **{place.parent / each.name: each.read_text(encoding="utf-8") for each in beside}}


def complete(name: str) -> bool:
    """Whether a scenario can be run as it is, with what it comes with; a comparison takes an image of the user's.

    Args:
        name: one of `shipped`.
    """
    path = FOLDER / f"{name}.yaml"
    read = [read_scenario(each).scenario for each in (path, *_beside(path)) if _is_scenario(each)]
    return not any(isinstance(each, DynoScenario) and each.target.image is not None for each in read)


def ready(place: Path) -> Path:
    """The file of a scenario that can be run as it is, where it has that name and no file has; else the place itself.

    Args:
        place: of a scenario, or its name.

    Raises:
        InputError: the scenario of that name needs files of the user's, or a program beside it.
    """
    name = str(place)
    if place.exists() or name not in shipped():
        return place
    path = FOLDER / f"{name}.yaml"
    if not complete(name) or any(each.suffix == ".py" for each in _beside(path)):
        remedy = f"`froude scenario new {name} -o {name}.yaml` writes it, with what it needs"
        raise InputError(
            "is not a file, and the scenario of that name needs files beside it", file=place, remedy=remedy
        )
    return path


def _beside(path: Path) -> Iterator[Path]:
    """What lies beside a scenario: what it varies, plays or runs."""
    scenario = read_scenario(path).scenario
    if isinstance(scenario, SweepScenario):
        yield scenario.base
        yield from _beside(scenario.base)
    if isinstance(scenario, KneeScenario | PlayScenario) and scenario.load.workload is not None:
        yield scenario.load.workload
    if isinstance(scenario, RecordScenario):
        yield Path(scenario.record.command[0])


def _is_scenario(path: Path) -> bool:
    return path.suffix == ".yaml" and not path.stem.endswith(_PARTS[1])


def _question(path: Path) -> str:
    first, _, _ = path.read_text(encoding="utf-8").partition("\n")
    return first.lstrip("# ")
