"""The arms of a sweep and the order of their runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.documents.forms import FieldError
from froude.experiment.scenario.options import PlanLoad, WorkloadLoad
from froude.experiment.scenario.replay_options import ReplayLoad
from froude.experiment.scenario.scenario import DynoScenario, KneeScenario, PlayScenario, SweepScenario
from froude.experiment.sweep.sweep import arms_of, turns, varied

BASE = PlayScenario(load=PlanLoad(plan=Path("x/plan")))


def sweep(**more: Any) -> SweepScenario:
    """Of two heaps."""
    return SweepScenario(**{"base": Path("x/base.yaml"), "vary": {"target.heap": ("1 GB", "4 GB")}, **more})


def test_every_value_runs_with_every_other() -> None:
    """Each arm is a scenario of its own, and its name can be a folder's."""
    vary = {"target.heap": ("1 GB", "4 GB"), "load.speed": (1, 2.5), "target.java_options": ("", "-Xint")}
    arms = arms_of(sweep(vary=vary), BASE)
    assert len({arm.name for arm in arms}) == 8
    assert arms[-1].name == "heap=4GB,speed=2.5,java_options=-Xint"
    last = arms[-1].scenario
    assert isinstance(last, PlayScenario)
    assert (last.target.heap, last.load.speed, last.target.java_options) == ("4 GB", 2.5, ("-Xint",))
    assert arms[0].scenario.target.java_options == ()


@pytest.mark.parametrize(
    ("names", "new", "got"),
    [
        ("seed", 7, lambda s: s.seed == 7),
        ("load.duration", "5 min", lambda s: s.load.duration_s == 300),
        ("load.plan", "other", lambda s: s.load.plan == Path("x/other")),
        (
            "target.properties.dfs.namenode.handler.count",
            "64",
            lambda s: s.target.properties == {"dfs.namenode.handler.count": "64"},
        ),
        ("limits", "p99 < 1 s", lambda s: s.limits == ("p99 < 1 s",)),
    ],
)
def test_a_field_of_any_form_may_be_varied(names: str, new: object, got: Any) -> None:
    """A path is seen from the base's folder; names of properties have dots of their own."""
    assert got(varied(BASE, names, new, Path("x")))


@pytest.mark.parametrize(
    ("names", "new", "said"),
    [
        ("heap", "1 GB", "is not a field of the base"),
        ("target", "x", "is a section"),
        ("seed.x", 1, "has no such field"),
        ("target.heap", "much", "much"),
    ],
)
def test_what_cannot_be_varied(names: str, new: object, said: str) -> None:
    """With the name as it was written."""
    with pytest.raises(FieldError) as caught:
        arms_of(sweep(vary={names: (new,)}), BASE)
    assert said in str(caught.value)
    assert f"vary.{names}" in str(caught.value)


def test_only_what_makes_runs_is_swept() -> None:
    """And something must be varied, though not without end."""
    with pytest.raises(InputError, match="cannot be swept; found knee; allowed: play, dyno"):
        arms_of(sweep(), KneeScenario(load=WorkloadLoad(workload=Path("w"))))
    with pytest.raises(InputError, match="varies nothing"):
        arms_of(sweep(vary={}), BASE)
    with pytest.raises(InputError, match="too many combinations; found 1024"):
        arms_of(sweep(vary={"seed": tuple(range(32)), "load.speed": tuple(range(1, 33))}), BASE)
    dyno = DynoScenario(load=ReplayLoad(audit_log=(Path("a.log"),)))
    assert [arm.scenario.kind for arm in arms_of(sweep(), dyno)] == ["dyno", "dyno"]


def test_every_round_has_each_arm_once_in_an_order_of_its_own() -> None:
    """And one seed, which the next round has not; the same for the same seed of the sweep."""
    given = sweep(vary={"target.heap": ("1 GB", "2 GB", "4 GB")}, repeats=20)
    arms = arms_of(given, BASE)
    made = list(turns(given, arms))
    rounds = [made[at : at + 3] for at in range(0, 60, 3)]
    for number, each in enumerate(rounds, 1):
        assert {turn.round for turn in each} == {number}
        assert {turn.arm.name for turn in each} == {arm.name for arm in arms}
        assert len({turn.scenario.seed for turn in each}) == 1
    assert len({tuple(turn.arm.name for turn in each) for each in rounds}) > 2
    assert len({each[0].scenario.seed for each in rounds}) == 20
    assert list(turns(given, arms)) == made
    assert made[0].folder(Path("out")) == Path("out") / made[0].arm.name / "1"


def test_a_seed_that_is_varied_stays() -> None:
    """It is what the arms differ by."""
    given = sweep(vary={"seed": (3, 4)})
    arms = arms_of(given, BASE)
    assert {(turn.arm.name, turn.scenario.seed) for turn in turns(given, arms)} == {
        ("seed=3", 3),
        ("seed=4", 4),
    }


def test_a_field_with_one_value_names_no_arm() -> None:
    """It is set in all; the package of a class is left out of a name."""
    vary = {
        "target.heap": ("2 GB",),
        "target.properties.dfs.namenode.lock.model.provider.class": (
            "org.apache.hadoop.One",
            "org.apache.hadoop.Two",
        ),
    }
    arms = arms_of(sweep(vary=vary), BASE)
    assert [arm.name for arm in arms] == ["class=One", "class=Two"]
    assert {arm.scenario.target.heap for arm in arms} == {"2 GB"}
    assert [arm.name for arm in arms_of(sweep(vary={"target.heap": ("2 GB",)}), BASE)] == ["heap=2GB"]


def test_a_sweep_repeats_no_client_ids() -> None:
    """Its plays would get the answers of the first one."""
    with pytest.raises(InputError, match=r"replay_ids.*cannot be swept.*Leave it out"):
        arms_of(sweep(), BASE.replaced(replay_ids=Path("run")))
