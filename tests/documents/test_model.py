"""Values that are declared once: checked in Python, read strictly from YAML, written so that they read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.documents.forms import Amount, FieldError, Number, Place, Seconds, Size
from froude.documents.model import Example, Flag, Model, declared, line_of, moved, read, read_fields
from froude.documents.plain import Fields, Items, dump_yaml, parse_yaml


class Colour(Enum):
    """Two words."""

    RED = "red"
    BLUE = "blue"


class Engine(Model):
    """What drives it."""

    power: Annotated[float, Number(0, 100)] = 10.0
    """Kilowatts."""
    fuel: Place | None = None
    """Where it is."""


class Ship(Model):
    """A ship."""

    name: str
    """What it is called."""
    engine: Engine = Engine()
    """What drives it."""
    raise_: Flag = False
    """Whether its sails are up."""
    rest_s: Annotated[float | None, Seconds(), Example("5 min")] = None
    """How long it
    rests."""
    hold_bytes: Annotated[int, Size()] = 1000
    """What it holds."""
    crew: Mapping[str, Engine] = {}
    """Who is on it."""

    def check(self) -> None:
        """A ship without a name does not rest.

        Raises:
            FieldError: it does.
        """
        if self.rest_s and not self.name:
            raise FieldError("needs a name", names=("rest",))


class Tug(Ship):
    """A ship that pulls."""

    pull: Flag = True
    """Whether it does."""


def read_ship(text: str) -> Ship:
    """A ship of a YAML text."""
    ship: Ship = read_fields(Ship, parse_yaml(text.encode(), "f"), "f")
    return ship


def test_a_document_becomes_a_value_and_back() -> None:
    """Names without units and underscores; what is empty is not written."""
    text = "name: Iris\nraise: true\nrest: 5 min\nengine:\n  power: 3\n  fuel: tank\nhold: 2 kB\n"
    ship = read_ship(text)
    engine = Engine(power=3.0, fuel=Path("tank"))
    assert ship == Ship(name="Iris", raise_=True, rest_s=300, engine=engine, hold_bytes=2000)
    assert read_ship(dump_yaml(ship.plain())) == ship
    assert read_ship("name: Iris\nengine:\nrest: null\n") == Ship(name="Iris")
    assert Ship(name="Iris").plain() == {
        "name": "Iris",
        "engine": {"power": 10.0},
        "raise": False,
        "hold": "1KB",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: a\n\nengin: 3\n", r"f:3: engin: is not a field here, did you mean engine\?"),
        (
            "name: a\nxyz: 3\n",
            "f:2: xyz: is not a field here; allowed: name, engine, raise, rest, hold, crew",
        ),
        ("name: a\nrest_s: 3\n", "f:2: rest_s: is not a field here"),
        ("name: a\nengine:\n  power: 200\n", r"f:3: engine\.power: is out of range"),
        (
            "name: a\nengine: 7\n",
            "f:2: engine: has the wrong type; found 7; allowed: fields with their values: power",
        ),
        ("engine: {}\n", "f:1: name is missing; allowed: a field name: a text"),
        ("name: 64\n", "f:1: name: has the wrong type; found 64; allowed: a text. Write it in quotes: '64'"),
        ("name: a\nraise: 1\n", "f:2: raise: has the wrong type; found 1; allowed: true or false"),
        ("name: ''\nhold: 3\nrest: 2 s\n", "f:3: rest: needs a name"),
        ("name: a\ncrew:\n  cook:\n    pwr: 3\n", r"f:4: crew\.cook\.pwr: "),
        (
            "name: a\ncrew: [cook]\n",
            "f:2: crew: has the wrong type; found a list; allowed: names, each with: fields",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, said: str) -> None:
    """And its sections; a field of Python's name is none of a document."""
    with pytest.raises(InputError, match=said):
        read_ship(text)


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (tuple[Flag, ...], "yes", r"a list of: true or false. Write one in brackets: \[yes\]"),
        (tuple[Flag, ...], {}, "found a mapping; allowed: a list of: true or false$"),
        (Annotated[tuple[Flag, ...], Field(min_length=1)], [], "too few items; found 0; allowed: 1 or more"),
        (Mapping[str, Flag], [True], "names, each with: true or false"),
        (Mapping[str, tuple[Amount, ...]], {"a": [1, [2]]}, r"a\[1\]: has the wrong type; found a list"),
        (Colour, "green", "none of the words that may stand here; found 'green'; allowed: red, blue"),
        (Colour, ["red"], "none of the words"),
        (
            dict[str, list[int]],
            {"rows": [1, "x" * 200]},
            r"rows\[1\]: has a wrong value; found 'x{79}; allowed: a valid integer",
        ),
        (dict[str, int], [], "has the wrong type; found a list; allowed: names, each with"),
        (tuple[int, int], [1], r"\[1\]: is missing"),
        (Literal["once"], "twice", "has a wrong value; found 'twice'; allowed: 'once'"),
    ],
)
def test_words_are_not_about_classes(hint: Any, value: object, said: str) -> None:
    """They name what was found and what is allowed."""
    with pytest.raises(FieldError, match=said):
        read(hint, value)


@dataclass(frozen=True)
class Position:
    """A value that is no model."""

    north: float
    east: float


def test_any_type_of_pydantic_is_read_alike() -> None:
    """With line and field."""
    assert read_fields(Position, parse_yaml(b"north: 1\neast: 2\n", "f"), "f") == Position(1.0, 2.0)
    with pytest.raises(InputError, match="f:2: east: has a wrong value; found 'x'"):
        read_fields(Position, parse_yaml(b"north: 1\neast: x\n", "f"), "f")


def test_the_line_of_a_field() -> None:
    """None where the document does not have it."""
    document = parse_yaml(b"a:\n  b:\n    - 1\n    - 2\n", "f")
    names = [(), ("a",), ("a", "b"), ("a", "b", "[1]"), ("a", "b", "[2]"), ("a", "c")]
    assert [line_of(document, each) for each in names] == [1, 1, 2, 4, None, None]


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
        Ship(name="a").replaced(rest_s=-1)


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


def test_only_paths_are_moved() -> None:
    """Wherever they stand."""
    assert moved({"a": (Path("b"), "c", None)}, lambda path: "x" / path) == {"a": (Path("x/b"), "c", None)}


@pytest.mark.parametrize(
    ("hint", "written", "value"),
    [
        (Flag, True, True),
        (Colour, "red", Colour.RED),
        (tuple[Annotated[int, Number(0, 9, whole=True)], ...], [1, 2], (1, 2)),
        (Mapping[str, Colour], {"a": "blue"}, {"a": Colour.BLUE}),
        (Flag | None, None, None),
        (Annotated[float | None, Seconds()], "5 min", 300.0),
        (Annotated[float | None, Seconds()], None, None),
        (Mapping[str, Amount], {"a": "10 GB"}, {"a": Quantity(10**10, "B")}),
    ],
)
def test_what_is_read_reads_as_itself(hint: Any, written: Any, value: Any) -> None:
    """From what YAML gives, and from the value."""
    assert read(hint, written) == value
    assert read(hint, value) == value


def test_an_empty_section_under_a_name_is_one_without_fields() -> None:
    """As in YAML that names something and wishes nothing of it."""

    class Wish(Model):
        floor: int = 0

    class Wishes(Model):
        vms: Mapping[str, Wish] = {}
        more: tuple[Wish, ...] = ()

    read_wishes = read(Wishes, Fields({"vms": Fields({"a": None}), "more": Items([None])}))
    assert read_wishes == Wishes(vms={"a": Wish()}, more=(Wish(),))
