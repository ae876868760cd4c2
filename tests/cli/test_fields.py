"""A field that is declared is a flag with its name, range, unit, default and text."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from froude.base.errors import InputError
from froude.cli.fields import Fields, Given, with_fields
from froude.documents.forms import FieldError, Number, Place, Seconds
from froude.documents.model import Example, Flag, Model


class Colour(Enum):
    """A word."""

    RED = "red"
    BLUE = "blue"


class Walk(Model):
    """What is walked."""

    steps: Annotated[int, Number(1, 9, whole=True)] = 3
    """How many."""
    rest_s: Annotated[float, Seconds(zero=True)] = 60.0
    """How long it rests."""
    pause_s: Annotated[float | None, Seconds(), Example("5 min")] = None
    """How long it pauses."""
    colour: Colour = Colour.RED
    """Of the shoes."""
    limits: Annotated[tuple[str, ...], Example(["p99 < 1 s"])] = ()
    """What is kept."""
    names: Mapping[str, str] = {}
    """Of the stages."""
    place: Place | None = None
    """Where to."""
    slow_: Flag = False
    """Whether it is slow."""


SEEN: list[tuple[Walk, str]] = []
FIELDS = Fields(
    Walk,
    "steps rest_s pause_s colour limits names place slow_",
    flags={"limits": "--limit", "names": "--name"},
    more={"place": "Or home."},
)
app = typer.Typer(rich_markup_mode=None)


@app.command()
@with_fields
def walk(ctx: typer.Context, *, walk: Annotated[Given, FIELDS], way: str = "here") -> None:
    """Walk."""
    del ctx
    SEEN.append((Walk(**walk), way))


def walked(*words: str) -> Walk:
    """What the command made of its flags."""
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return SEEN.pop()[0]


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ((), {}),
        (("--steps", "9"), {"steps": 9}),
        (("--rest", "2 min"), {"rest_s": 120.0}),
        (("--rest", "90"), {"rest_s": 90.0}),
        (("--rest", "0"), {"rest_s": 0.0}),
        (("--pause", "10 s"), {"pause_s": 10.0}),
        (("--pause", "10"), {"pause_s": 10.0}),
        (("--colour", "blue"), {"colour": Colour.BLUE}),
        (("--limit", "a", "--limit", "b"), {"limits": ("a", "b")}),
        (("--name", "a=b=c"), {"names": {"a": "b=c"}}),
        (("--place", "there"), {"place": Path("there")}),
        (("--slow",), {"slow_": True}),
    ],
)
def test_the_value_of_the_flags(words: tuple[str, ...], given: dict[str, Any]) -> None:
    """Is the value that Python makes of the same fields."""
    assert walked(*words) == Walk(**given)


@pytest.mark.parametrize("words", ["--steps 0", "--steps 1.5", "--colour green", "--name a", "--rest-s 5"])
def test_what_cannot_be_a_value_is_wrong_usage(words: str) -> None:
    """With exit code 2."""
    assert CliRunner().invoke(app, words.split()).exit_code == 2


@pytest.mark.parametrize(
    ("words", "place"), [("--pause 0", "--pause"), ("--rest nan", "--rest"), ("--rest -1", "--rest")]
)
def test_an_error_about_a_field_names_its_flag(words: str, place: str) -> None:
    """Before the command reads anything."""
    with pytest.raises(InputError) as caught:
        walked(*words.split())
    assert caught.value.place == place


@pytest.mark.parametrize("number", ["100", "1e2", "+100", "100."])
def test_a_bare_number_in_any_form_is_seconds(number: str) -> None:
    """As Python reads it."""
    assert walked("--rest", number) == walked("--rest", "100 s")


def test_an_error_within_a_field_names_its_flag() -> None:
    """Items and names below it are of the value."""

    @with_fields
    def refusing(walk: Annotated[Given, FIELDS]) -> None:
        raise FieldError("is wrong", names=("walk", *walk["limits"]))

    for names, place in (
        (["limits", "[0]"], "--limit"),
        (["names", "north"], "--name"),
        (["far_off"], "--far-off"),
    ):
        with pytest.raises(FieldError) as caught:
            _raise(refusing, names)
        assert caught.value.place == place


def _raise(command: Any, names: list[str]) -> None:
    values: dict[str, Any] = {each.name: None for each in FIELDS.parameters}
    command(**{**values, "limits": names, "rest_s": "1 s"})


def test_help_is_the_text_of_the_field() -> None:
    """With its default, its range, and an example."""
    text = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output.split())
    for part in (
        "How many. [default: 3; 1<=x<=9]",
        "--rest TIME How long it rests. [default: 1 min]",
        "How long it pauses. Such as '5 min'.",
        "What is kept. Such as 'p99 < 1 s'. Repeatable.",
        "--name NAME=VALUE Of the stages. Repeatable.",
        "Where to. Or home.",
    ):
        assert part in text


def test_a_flag_that_is_optional_has_no_value_of_its_own() -> None:
    """So that it is known whether it was given; help shows what its field has by default."""
    optional = Fields(Walk, "steps rest_s slow_", optional=True)
    assert [each.default for each in optional.parameters] == [None] * 3
    assert optional.given({"steps": None, "rest_s": "1 min", "slow_": None}) == {"rest_s": 60.0}
    steps, rest, _ = (each.annotation.__metadata__[0].help for each in optional.parameters)
    assert (steps, rest) == ("How many. [3]", "How long it rests. [1 min]")
