"""Fields of an element by name and dimension: what is wrong is noted, and reading goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.inputs.fields import Fields, at_least_one, at_most_one, distinct, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.types import Op
from tests.support.provision.inputs.elements import element, messages

SIZE, SHARE, COUNT = Dimension.SIZE, Dimension.SHARE, Dimension.COUNT
Read = Callable[[Fields], Any]


def _read(at: Element, read: Read) -> tuple[Any, list[str]]:
    flaws = Flaws()
    return read(Fields(at, flaws)), messages(flaws)


SOUND: dict[str, tuple[str, Read, Any]] = {
    "text": (" a b ", lambda f: f.text("x"), "a b"),
    "optional text": ("a", lambda f: f.optional_text("x"), "a"),
    "number": ("4KB", lambda f: f.number("x", SIZE), 4000.0),
    "share": ("1", lambda f: f.number("x", SHARE, above_zero=True), 1.0),
    "optional number": ("4KB", lambda f: f.optional_number("x", SIZE), 4000.0),
    "whole": ("40K", lambda f: f.whole("x"), 40_000),
    "optional whole": ("2", lambda f: f.optional_whole("x"), 2),
    "yes": (" True", lambda f: f.flag("x"), True),
    "no": ("no", lambda f: f.flag("x", True), False),
    "member": (" W ", lambda f: f.one_of("x", Op), Op.WRITE),
    "blank": (" blank ", lambda f: f.number("x", SIZE, 7.0), 7.0),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_value_is_read(name: str) -> None:
    """White space around it means nothing; a blank, which is noted elsewhere, is the fallback."""
    text, read, value = SOUND[name]
    assert _read(element("t", x=text), read) == (value, [])


ABSENT: dict[str, tuple[Read, Any]] = {
    "text": (lambda f: f.text("x", "d"), "d"),
    "optional text": (lambda f: f.optional_text("x"), None),
    "number": (lambda f: f.number("x", SIZE, 7.0), 7.0),
    "optional number": (lambda f: f.optional_number("x", SIZE), None),
    "whole": (lambda f: f.whole("x", 0), 0),
    "optional whole": (lambda f: f.optional_whole("x"), None),
    "flag": (lambda f: f.flag("x", True), True),
    "member": (lambda f: f.one_of("x", Op, Op.WRITE), Op.WRITE),
}


@pytest.mark.parametrize("name", ABSENT)
def test_a_default_stands_for_what_is_absent(name: str) -> None:
    """It is no error."""
    read, value = ABSENT[name]
    assert _read(element("t"), read) == (value, [])


REQUIRED: dict[str, Read] = {
    "text": lambda f: f.text("size"),
    "number": lambda f: f.number("size", SIZE),
    "whole": lambda f: f.whole("size"),
    "flag": lambda f: f.flag("size"),
    "member": lambda f: f.one_of("size", Op),
}


@pytest.mark.parametrize("name", REQUIRED)
def test_what_is_required_is_missed(name: str) -> None:
    """With the name that may have been meant."""
    _, flaws = _read(element("t", sizee="1"), REQUIRED[name])
    assert flaws == ["f:1: t: size is missing, did you mean sizee?; allowed: a field size"]


WRONG: dict[str, tuple[str, Read, Any, str]] = {
    "empty": (" ", lambda f: f.text("x"), "", "is empty; found ' '"),
    "no unit": ("4", lambda f: f.number("x", SIZE, 7.0), 7.0, "has no unit; found '4'"),
    "negative": (
        "-4",
        lambda f: f.number("x", COUNT),
        1.0,
        "is out of range; found '-4'; allowed: 0 or above",
    ),
    "zero": ("0B", lambda f: f.number("x", SIZE, above_zero=True), 1.0, "found '0B'; allowed: above 0"),
    "share": ("1.5", lambda f: f.number("x", SHARE, 0.5), 0.5, "allowed: from 0 to 1"),
    "no share": ("0", lambda f: f.number("x", SHARE, above_zero=True), 1.0, "allowed: above 0 and at most 1"),
    "part": ("1.5", lambda f: f.whole("x"), 1, "is not a whole number; found '1.5'; allowed: 0, 1, 2, …"),
    "optional": ("-4", lambda f: f.optional_whole("x"), 1, "is out of range"),
    "switch": ("on", lambda f: f.flag("x", True), False, "is not a switch; found 'on'; allowed: 1 or 0"),
    "member": (
        "r",
        lambda f: f.one_of("x", Op, Op.WRITE),
        Op.WRITE,
        "did you mean R?; found 'r'; allowed: R or W",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_that_is_wrong_is_noted_once(name: str) -> None:
    """With the field, what was found and what is allowed; it reads as its fallback."""
    text, read, value, message = WRONG[name]
    found, flaws = _read(element("t", x=text), read)
    assert found == value
    (flaw,) = flaws
    assert flaw.startswith("f:1: t: x: ")
    assert message in flaw


@given(st.text(max_size=20))
def test_any_text_is_read_or_noted(text: str) -> None:
    """A number that is no number is never an error of Python's."""
    for dimension in Dimension:
        value, flaws = _read(element("t", x=text), lambda f, d=dimension: f.number("x", d, 3.0))
        assert value >= 0
        assert not flaws or value == 3.0


def test_what_nobody_asks_for_is_refused() -> None:
    """Fields and children, with the nearest of those that were asked for; each hides the element's value."""
    flaws = Flaws()
    fields = Fields(element("t", element("cil", line=2), element("child", line=3), x="1", cout="2"), flaws)
    fields.number("x", COUNT)
    fields.number("count", COUNT, 0.0)
    fields.finish("child")
    assert messages(flaws) == [
        "f:1: t: cout: is not a field here, did you mean count?; found '2'; allowed: x, count",
        "f:2: cil: does not belong in t, did you mean child?; allowed: child",
    ]
    assert fields.make(lambda: 7) is None


@pytest.mark.parametrize("at", [element("t", x="1"), element("t", element("c"))])
def test_an_element_without_fields_or_children(at: Element) -> None:
    """What is there is wrong; what would be right is not said, for there is nothing."""
    flaws = Flaws()
    fields = Fields(at, flaws)
    fields.finish()
    assert "allowed" not in messages(flaws)[0]
    assert fields.make(lambda: 7) is None


def test_a_sound_element_is_made() -> None:
    """What its own type refuses is one more flaw of the element."""
    flaws = Flaws()
    fields = Fields(element("t", x="1"), flaws)
    assert fields.make(lambda: 7) == 7

    def refuse() -> int:
        raise ValueError("must be even")

    assert fields.make(refuse) is None
    assert messages(flaws) == ["f:1: t: must be even"]
    assert fields.make(lambda: 7) is None


def test_children_of_a_tag() -> None:
    """In their order; those that are wrong are left out of the values."""
    at = element("t", element("a", n="1"), element("b", n="2"), element("a", n="x"), element("a", n="3"))
    flaws = Flaws()
    fields = Fields(at, flaws)

    def read(child: Fields, _: Flaws) -> int | None:
        value = child.whole("n")
        return child.make(lambda: value)

    assert [child.fields["n"].text for child in fields.children("a", "b")] == ["1", "2", "x", "3"]
    assert every(fields, "a", read, flaws) == [1, 3]
    assert len(messages(flaws)) == 1


def test_so_many_children_of_a_tag() -> None:
    """At least one, at most one."""
    flaws = Flaws()
    fields = Fields(element("t", element("a"), element("a"), element("b")), flaws)
    at_least_one(fields, "a", "b", "c")
    at_most_one(fields, "a", "b", "c")
    assert messages(flaws) == [
        "f:1: t: has no c; allowed: at least one",
        "f:1: t: has 2 elements a; allowed: one",
    ]


def test_names_stand_once() -> None:
    """Of one tag, by the field that names them; those without one say nothing."""
    names = [element("a", line=line, name=name) for line, name in enumerate(("x", "y", " x "), 1)]
    more = [element("b", line=4, name="x"), element("a", line=5), element("a", line=6)]
    flaws = Flaws()
    distinct(Fields(element("t", *names, *more), flaws), flaws, "a", "b")
    assert messages(flaws) == ["f:3: a  x : name: stands on line 1 already; found 'x'"]
    written = Flaws()
    distinct(
        Fields(element("t", *(Element("a", "f", None, at.fields) for at in names)), written), written, "a"
    )
    assert "name: stands above already; found 'x'" in messages(written)[0]
    by = Flaws()
    both = (element("on", line=line, cpu="arm") for line in (1, 2))
    distinct(Fields(element("t", *both), by), by, "on", by="cpu")
    assert messages(by) == ["f:2: on: cpu: stands on line 1 already; found 'arm'"]
