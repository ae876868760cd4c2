"""`kind: sweep`: the arms of a sweep, and the order in which they are run.

Every arm is run once in each round, in an order that is drawn anew for each, so that a drift of the machine is shared by
all (a randomised block design). In a round all arms have one seed, which the next round has not: runs of a round differ
by their arms alone, and the spread between rounds holds the chance of the load.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.documents.forms import FieldError, below
from froude.documents.model import Model, declared, moved
from froude.experiment.scenario.scenario import DynoScenario, PlayScenario, Scenario, SweepScenario

SEED = "seed"
MOST_ARMS = 1000
_LONGEST_NAME = 80
_PACKAGE = re.compile(r"^(?:[a-z]\w*\.){2,}(?=[A-Z]\w*$)")
"""Of a Java class."""
_SEEDS = 1 << 31
"""Seeds of rounds are below it: short enough to be typed again."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One combination of values."""

    name: str
    """Of its folder, such as `heap=1GB`."""
    values: Mapping[str, Any]
    """By the field that is varied."""
    scenario: PlayScenario | DynoScenario
    """The base with these values, its paths as seen from here."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of a sweep."""

    arm: Arm
    round: int
    """From 1."""
    scenario: PlayScenario | DynoScenario
    """That of the arm, with the seed of the round."""

    def folder(self, output: Path) -> Path:
        """Where its run is kept."""
        return output / self.arm.name / str(self.round)


def arms_of(sweep: SweepScenario, base: Scenario) -> list[Arm]:
    """Every combination of the values that are varied.

    Args:
        sweep: what is varied, with paths as seen from here.
        base: the scenario of its `base`.

    Raises:
        InputError: a base that cannot be swept, a field that it has not, or a value that may not stand there.
    """
    if not isinstance(base, (PlayScenario, DynoScenario)):
        raise InputError(
            "cannot be swept", file=sweep.base, place="kind", found=base.kind, allowed="play, dyno"
        )
    if base.replay_ids is not None:
        remedy = "Leave it out: several plays with the ids of one would get its answers"
        raise InputError("cannot be swept", file=sweep.base, place="replay_ids", remedy=remedy)
    if not sweep.vary:
        raise InputError("varies nothing", place="vary", allowed="a field of the base, with its values")
    number = 1
    for each in sweep.vary.values():
        number *= len(each)
    if number > MOST_ARMS:
        raise InputError(
            "has too many combinations", place="vary", found=number, allowed=f"at most {MOST_ARMS}"
        )
    arms: list[Arm] = []
    for combination in product(*sweep.vary.values()):
        values = dict(zip(sweep.vary, combination, strict=True))
        scenario = base
        for names, value in values.items():
            with below("vary"), below(names):
                scenario = varied(scenario, names, value, sweep.base.parent)
        differing = {names: values[names] for names in sweep.varied or values}
        arms.append(Arm(_name(differing, {arm.name for arm in arms}), values, scenario))
    return arms


def varied(value: Model, names: str, new: Any, folder: Path) -> Any:
    """A value with one of its fields changed.

    Args:
        value: a scenario or a section of one.
        names: of the field, sections before a dot; of a field with names of its own, one of these behind it.
        new: what it shall be; for a list, its only item, and an empty text for an empty list.
        folder: from which a path is seen.

    Raises:
        FieldError: there is no such field, or it may not be so.
    """
    first, _, rest = names.partition(".")
    each = next((each for each in declared(type(value)) if each.key == first), None)
    if each is None:
        allowed = [each.key for each in declared(type(value))]
        raise FieldError("is not a field of the base", found=first, allowed=allowed)
    inner, shape = getattr(value, each.name), each.shape
    if shape.section is not None and rest:
        return value.replaced(**{each.name: varied(inner, rest, new, folder)})
    if shape.named and rest:
        new = {**inner, rest: new}
    elif rest or shape.section is not None:
        message = "has no such field" if rest else "is a section"
        raise FieldError(message, found=names, allowed="a field with a single value")
    elif shape.many:
        new = [] if new == "" else [new]
    read = each.read(new)
    return value.replaced(**{each.name: read if shape.named else moved(read, lambda path: folder / path)})


def turns(sweep: SweepScenario, arms: Sequence[Arm]) -> Iterator[Turn]:
    """Every run, in the order in which they are made."""
    seeds = Seeds(sweep.seed).child("sweep")
    for number in range(1, sweep.repeats + 1):
        node = seeds.child(number)
        order = list(arms)
        node.child("order").random().shuffle(order)
        seed = node.child("load").value % _SEEDS
        for arm in order:
            scenario = arm.scenario if SEED in arm.values else arm.scenario.replaced(seed=seed)
            yield Turn(arm, number, scenario)


def _name(values: Mapping[str, Any], taken: set[str]) -> str:
    """Of an arm's folder: the last part of each field and its value, as far as they can stand in a name."""
    parts = [f"{names.rpartition('.')[2]}={_PACKAGE.sub('', str(value))}" for names, value in values.items()]
    name = re.sub(r"[^A-Za-z0-9._=,+-]+", "", ",".join(parts))
    if name in taken or not name or len(name) > _LONGEST_NAME:
        return f"arm-{len(taken) + 1}"
    return name
