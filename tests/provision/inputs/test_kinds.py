"""An element is read, and its value written, by one table."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from froude.provision.inputs.kinds import FLAG, TEXT, WHOLE, Children, Kind, number
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from tests.support.provision.inputs.elements import element, messages


@dataclass(frozen=True)
class Shelf:
    """A value with a default of each sort."""

    name: str
    bandwidth: float = 5.0
    slots: int | None = None
    open: bool = False
    held: tuple[tuple[str, int], ...] = ()


HELD = Kind("held", tuple, {"unit": TEXT, "count": WHOLE})
SHELF = Kind(
    "shelf",
    Shelf,
    {"name": TEXT, "BW": number(Dimension.NUMBER, above_zero=True), "slots": WHOLE, "open": FLAG},
    (Children("held", (HELD,), by="unit"),),
)


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (element("shelf", name="a"), Shelf("a")),
        (element("shelf", name="a", BW="2", slots="3", open="1"), Shelf("a", 2.0, 3, open=True)),
        (element("shelf", element("held", unit="x", count="2"), name="a"), Shelf("a", held=(("x", 2),))),
    ],
)
def test_what_is_read_is_written_again(made: Element, value: Shelf) -> None:
    """Without what is the default."""
    flaws = Flaws()
    assert (SHELF.read(made, flaws), messages(flaws)) == (value, [])
    written = SHELF.write(value)
    assert {name: text.text for name, text in written.fields.items()} == {
        name: text.text for name, text in made.fields.items()
    }
    assert SHELF.read(written, flaws) == value


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (element("shelf"), "f:1: shelf: name is missing; allowed: a field name"),
        (
            element("shelf", name="a", BW="0"),
            "f:1: shelf a: BW: is out of range; found '0'; allowed: above 0",
        ),
        (element("shelf", element("x"), name="a"), "f:1: x: does not belong in shelf; allowed: held"),
    ],
)
def test_an_element_that_is_wrong_has_no_value(made: Element, message: str) -> None:
    """What is wrong is noted."""
    flaws = Flaws()
    assert (SHELF.read(made, flaws), messages(flaws)) == (None, [message])
