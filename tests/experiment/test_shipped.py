"""Scenarios that are shipped: each is valid, and each arm of each is another NameNode or another load."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.experiment.scenario import DynoScenario, SweepScenario, read_scenario
from froude.experiment.shipped import files_of, shipped
from froude.experiment.sweep import arms_of

SWEEPS = [name for name in shipped() if name != "replay"]


def test_each_says_what_it_asks() -> None:
    """In its first line."""
    assert set(SWEEPS) == {
        "fair-lock",
        "fine-grained-lock",
        "garbage-collectors",
        "queue-wait",
        "two-releases",
    }
    assert all(question.endswith("?") for name, question in shipped().items() if name in SWEEPS)


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_comes_with_what_it_varies(name: str, tmp_path: Path) -> None:
    """Where it is put, under the names that it has there."""
    for path, text in files_of(name, tmp_path / "mine.yaml").items():
        path.write_text(text)
    sweep = read_scenario(tmp_path / "mine.yaml").scenario
    assert isinstance(sweep, SweepScenario)
    base = read_scenario(sweep.base).scenario
    assert isinstance(base, DynoScenario)
    arms = arms_of(sweep, base)
    assert len({str(arm.scenario) for arm in arms}) == len(arms) > 1
    assert all("arm-" not in arm.name for arm in arms)
