"""Elements and the flaws of them: collected, in order, each with its place, and raised together."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError, nearest
from froude.provision.inputs.tree import Element, Flaw, FlawedInputError, Flaws, Text
from tests.support.provision.inputs.elements import element, messages

DISK = Element("storage_unit", "hw.xml", 2, {"name": Text("disk", 2), "gapR": Text("8", 4)})


def test_a_flaw_says_element_and_field() -> None:
    """The name of the element, the line of the field, what was found and what is allowed."""
    flaws = Flaws()
    flaws.add(DISK, "has no unit", name="gapR", found="'8'", allowed="a time")
    (flaw,) = flaws.found()
    assert flaw == Flaw("hw.xml", 4, "storage_unit disk: gapR", "has no unit", "'8'", "a time")
    assert str(flaw) == "hw.xml:4: storage_unit disk: gapR: has no unit; found '8'; allowed: a time"


def test_a_flaw_of_a_field_that_is_not_there_stands_at_the_element() -> None:
    """As does one of the whole element; without a name the tag says which."""
    flaws = Flaws()
    flaws.add(DISK, "is missing", name="capacity")
    flaws.add(element("cpu", line=9), "has no price")
    assert messages(flaws) == ["f:9: cpu: has no price", "hw.xml:2: storage_unit disk: capacity: is missing"]


def test_numbers_are_said_as_text() -> None:
    """Whatever was found, and 0 is not nothing."""
    flaws = Flaws()
    flaws.add(DISK, "is owned", found=0, allowed=1)
    (flaw,) = flaws.found()
    assert (flaw.found, flaw.allowed) == ("0", "1")


def test_an_error_of_a_whole_file_is_one_of_them() -> None:
    """With its line where it has one; another place is none."""
    flaws = Flaws()
    flaws.note(InputError("is not XML", file="a.xml", place=3, found="<", allowed="XML"))
    flaws.note(InputError("is too large", file="b.xml", place="--file"))
    assert flaws.found() == (
        Flaw("a.xml", 3, "", "is not XML", "<", "XML"),
        Flaw("b.xml", None, "", "is too large"),
    )
    assert str(flaws.found()[0]) == "a.xml:3: is not XML; found <; allowed: XML"


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=12))
def test_flaws_are_in_the_order_of_their_places(places: list[tuple[str, int]]) -> None:
    """By file, then line, however they were found."""
    flaws = Flaws()
    for file, line in places:
        flaws.add(Element("t", file, line), "is wrong")
    assert [(flaw.file, flaw.line) for flaw in flaws.found()] == sorted(places)
    assert bool(flaws) == bool(places)


def test_a_file_of_another_kind_has_no_end_of_flaws() -> None:
    """The first so many are kept, and no more looked for."""
    flaws = Flaws()
    for line in range(Flaws.MOST):
        flaws.add(element("t", line=line), "is wrong")
    with pytest.raises(FlawedInputError, match="and 199 more"):
        flaws.add(element("t", line=Flaws.MOST), "is wrong")
    assert [flaw.line for flaw in flaws.found()] == list(range(Flaws.MOST))


def test_no_flaw_is_no_error() -> None:
    """Checking what is sound does nothing."""
    Flaws().check()


@pytest.mark.parametrize(("count", "more"), [(1, ""), (3, " (and 2 more)")])
def test_all_are_raised_together(count: int, more: str) -> None:
    """The first speaks for them; each is kept, also by way of another process."""
    flaws = Flaws()
    for line in range(count, 0, -1):
        flaws.add(element("t", line=line), "is wrong", found="x", allowed="y")
    with pytest.raises(FlawedInputError) as caught:
        flaws.check()
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.message, error.file, error.place) == (f"t: is wrong{more}", "f", "1")
    assert (error.found, error.allowed) == ("x", "y")
    assert error.flaws == flaws.found()
    assert len(error.flaws) == count


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("capasity", ", did you mean capacity?"),
        ("GAPR", ", did you mean gapR?"),
        ("gapr", ", did you mean gapR?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_the_nearest_name(name: str, hint: str) -> None:
    """A typing error, or another case, which is nearer than any letter."""
    assert nearest(name, iter(["gap", "gapR", "capacity"])) == hint
