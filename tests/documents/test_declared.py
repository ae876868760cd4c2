"""Values that are declared once: checked in Python, read strictly from YAML, written so that they read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pytest

from froude.base.errors import InputError
from froude.documents.declared import Declared, Example, declared, form_of, from_plain
from froude.documents.forms import FieldError, Number, Seconds, Size
from froude.documents.plain import parse_yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine(Declared):
    """What drives it."""

    power: Annotated[float, Number(0, 100)] = 10.0
    """Kilowatts."""
    fuel: Path | None = None
    """Where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ship(Declared):
    """A ship."""

    name: str
    """What it is called."""
    engine: Engine = Engine()
    """What drives it."""
    raise_: bool = False
    """Whether its sails are up."""
    rest_s: Annotated[float | None, Seconds(), Example("5 min")] = None
    """How long it
    rests."""
    hold_bytes: Annotated[int, Size()] = 1000
    """What it holds."""
    crew: Mapping[str, Engine] = field(default_factory=dict)
    """Who is on it."""

    def check(self) -> None:
        """A ship without a name does not rest.

        Raises:
            FieldError: it does.
        """
        if self.rest_s and not self.name:
            raise FieldError("needs a name", names=("rest",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tug(Ship):
    """A ship that pulls."""

    pull: bool = True
    """Whether it does."""


def read(text: str) -> Ship:
    """A ship of a YAML text."""
    return from_plain(Ship, parse_yaml(text.encode(), "f"))


def test_a_document_becomes_a_value_and_back() -> None:
    """Names without units and underscores; what is empty is not written."""
    text = "name: Iris\nraise: true\nrest: 5 min\nengine:\n  power: 3\n  fuel: tank\nhold: 2 kB\n"
    ship = read(text)
    engine = Engine(power=3.0, fuel=Path("tank"))
    assert ship == Ship(name="Iris", raise_=True, rest_s=300, engine=engine, hold_bytes=2000)
    assert from_plain(Ship, ship.plain()) == ship
    assert read("name: Iris\nengine:\nrest: null\n") == Ship(name="Iris")
    assert Ship(name="Iris").plain() == {
        "name": "Iris",
        "engine": {"power": 10.0},
        "raise": False,
        "hold": "1KB",
    }


@pytest.mark.parametrize(
    ("text", "names", "line", "said"),
    [
        ("name: a\n\nengin: 3\n", "engin", 3, r"engin: .*engine\?"),
        ("name: a\nxyz: 3\n", "xyz", 2, "is not a field here"),
        ("name: a\nengine:\n  power: 200\n", "engine.power", 3, r"engine\.power: "),
        ("name: a\nengine: 7\n", "engine", 2, "wrong type; found 7; allowed: fields with their values: "),
        ("engine: {}\n", None, 1, "name is missing"),
        ("name: ''\nhold: 3\nrest: 2 s\n", "rest", 3, "needs a name"),
        ("name: a\ncrew:\n  cook:\n    pwr: 3\n", "crew.cook.pwr", 4, r"crew\.cook\.pwr: "),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, names: str | None, line: int, said: str) -> None:
    """And its sections."""
    with pytest.raises(FieldError, match=said) as stated:
        read(text)
    assert (stated.value.place, stated.value.line) == (names, line)


@pytest.mark.parametrize(
    ("options", "place"),
    [({"name": 3}, "name"), ({"name": "", "rest_s": 2}, "rest"), ({"raise_": 2}, "raise")],
)
def test_a_value_of_python_is_held_to_the_same(options: dict[str, Any], place: str) -> None:
    """With the field's name."""
    with pytest.raises(InputError) as stated:
        Ship(**{"name": "a", **options})
    assert stated.value.place == place
    with pytest.raises(InputError):
        replace(Ship(name="a"), rest_s=-1)


def test_own_fields_stand_before_those_that_are_inherited() -> None:
    """With the texts under them."""
    fields = declared(Tug)
    assert [each.key for each in fields] == ["pull", "name", "engine", "raise", "rest", "hold", "crew"]
    assert [each.about for each in fields][:2] == ["Whether it does.", "What it is called."]
    rest = fields[4]
    assert (rest.about, rest.example, rest.required) == ("How long it rests.", Example("5 min"), False)


def test_paths_are_moved() -> None:
    """Also those of sections."""
    ship = Ship(name="a", engine=Engine(fuel=Path("tank")), crew={"cook": Engine(fuel=Path("oil"))})
    moved = ship.moved(lambda path: "x" / path)
    assert (moved.engine.fuel, moved.crew["cook"].fuel) == (Path("x/tank"), Path("x/oil"))


def test_a_type_without_a_form_is_a_mistake_of_ours() -> None:
    """A number says its range."""
    with pytest.raises(TypeError, match="float"):
        form_of(float)
