"""Scales and counts read as people write them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.workload.scale import Count, Scale, Term, at_node, size_of, term_of
from tests.support.workload.strategies import counts, names

NOT_A_COUNT = "not a count"


def test_scale_from_flags() -> None:
    """Variables come apart at commas or as separate flags, with units."""
    scale = Scale.parse(["datanodes=6,clients=5", "input=10 GB"])
    assert scale["input"] == Quantity(10**10, "B")
    assert str(scale) == "datanodes=6, clients=5, input=10 GB"


@pytest.mark.parametrize("text", ["datanodes", "=3", "a b=3", "a=", "a=x", "a=1,a=2", "a=\u0665"])
def test_refuses_other_scales(text: str) -> None:
    """Each slip is an error."""
    with pytest.raises(InputError):
        Scale.parse([text])


@given(counts)
def test_count_reads_back(count: Count) -> None:
    """The formula's text is the formula."""
    assert Count.parse(str(count)) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ("files", 8),
        ("2*files + 3", 19),
        ("min(3, datanodes)", 3),
        ("files - 1", 7),
        ("min(10, datanodes - 1)", 5),
    ],
)
def test_count_at_a_scale(text: str, expected: float) -> None:
    """Sums and ceilings."""
    assert Count.parse(text).at(Scale.of(files=8, datanodes=6)) == expected


@pytest.mark.parametrize(
    "text", ["", "a*b*c", "a*2", "max(1, a)", "2**a", "a/2", "min(a, 3)", "import os", "\u0665", "\u0665*a"]
)
def test_refuses_other_formulas(text: str) -> None:
    """Nothing but sums and one ceiling."""
    with pytest.raises(InputError, match=NOT_A_COUNT):
        Count.parse(text)


def test_a_variable_that_lacks_is_named() -> None:
    """The error says which variable the scale must give."""
    with pytest.raises(InputError, match="files"):
        Count.parse("files").at(Scale.of(datanodes=3))


@pytest.mark.parametrize(
    ("size", "blocks", "last"), [(1, 1, 1), (1048576, 1, 1048576), (1048577, 2, 1), (5 << 20, 5, 1048576)]
)
def test_pieces_of_a_size(size: int, blocks: int, last: int) -> None:
    """A file's blocks are its size over the block size, rounded up; the last one holds the rest."""
    scale = Scale.of(input=size)
    for text, expected in (("ceil((input) / 1048576)", blocks), ("rest((input) / 1048576)", last)):
        assert Count.parse(text).whole_at(scale) == expected
        assert str(Count.parse(text)) == text


def test_products_of_two_variables() -> None:
    """Two variables may be multiplied."""
    count = Count.parse("2*clients*files + 1")
    assert count.whole_at(Scale.of(clients=3, files=5)) == 31
    assert count.variables == {"clients", "files"}
    assert str(count) == "2*clients*files + 1"
    share = Count.parse("files/clients")
    assert share.whole_at(Scale.of(clients=3, files=12)) == 4
    with pytest.raises(InputError, match="among none"):
        share.at(Scale.of(clients=0, files=12))


@pytest.mark.parametrize("text", ["9" * 400 + "*files", "1e400", "min(1e400, files)", "ceil((1e999) / 3)"])
def test_a_count_beyond_any_size_is_refused(text: str) -> None:
    """Before a number that is none is worked with."""
    with pytest.raises(InputError, match=r"not a count|beyond any size"):
        Count.parse(text)


@pytest.mark.parametrize("name", ["container-launcher", "appmaster-2.p1", "client-10.L1", "a-b-c"])
def test_names_with_hyphens_stand_in_counts(name: str) -> None:
    """Node types have them; a difference of a variable and a number needs no space."""
    assert Count.parse(f"2*{name} - 3") == Count(-3.0, {name: 2.0})
    assert Count.parse(str(Count(1.0, {f"files*{name}": 1.0}))) == Count(1.0, {f"files*{name}": 1.0})
    assert Count.parse("files-1") == Count(-1.0, {"files": 1.0})


@pytest.mark.parametrize(
    ("text", "files", "value"),
    [("files//3", 8, 2), ("files%3 + 1", 8, 3), ("2*clients*files//5", 8, 6), ("files//clients", 9, 4)],
)
def test_groups(text: str, files: int, value: int) -> None:
    """Whole groups and the remainder, of a size or of a variable; the text reads back."""
    count = Count.parse(text)
    assert count.at(Scale.of(files=files, clients=2)) == value
    assert Count.parse(str(count)) == count


def test_groups_of_no_size() -> None:
    """Nothing can be put into them."""
    with pytest.raises(InputError, match="groups of no size"):
        Count.parse("files%clients").at(Scale.of(files=3, clients=0))
    assert Count.parse("files%clients").variables == {"files", "clients"}


def test_a_count_may_depend_on_the_number_of_the_node() -> None:
    """Seven files among three clients: three, two and two; the node is no variable of the Scale."""
    count = Count.parse("ceil((files - node) / clients)")
    assert str(count) == "ceil((files - node) / clients)"
    assert (count.of_node, count.variables) == (True, {"files", "clients"})
    scale = Scale.of(files=7, clients=3)
    assert [count.whole_at(at_node(scale, node)) for node in range(3)] == [3, 2, 2]
    with pytest.raises(InputError, match="no size"):
        count.at(at_node(Scale.of(files=7, clients=0), 0))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("days*ceil((files - node) / 2) - 1", [11, 7]),
        ("ceil((files - node) / 2) + 3", [6, 5]),
        ("min(9, days*ceil((files - node) / 2))", [9, 8]),
        ("days*ceil((files - 7) / 2) - 1", [0, 0]),
        ("days*ceil((files - 9) / 2)", [0, 0]),
        ("days*ceil((files - node - 5) / 2) - 1", [0, 0]),
    ],
)
def test_pieces_of_every_round_of_a_variable(text: str, made: list[int]) -> None:
    """Five files between two nodes on each of four days, with an offset; never below none."""
    count = Count.parse(text)
    assert (str(count), Count.parse(str(count))) == (text, count)
    scale = Scale.of(files=5, days=4)
    assert [count.whole_at(at_node(scale, node)) for node in range(2)] == made
    assert all(count.at(at_node(scale, node)) >= 0 for node in range(2))
    assert (
        size_of({**scale, "node": Quantity(1.0)})
        == size_of({"node": Quantity(1.0), **scale})
        == "days=4, files=5, node=1"
    )
    assert count.variables == set(re.findall("files|days", text))


def test_a_name_that_is_folded_may_be_multiplied_before() -> None:
    """Which is not the same as a multiple of its remainder."""
    scale = Scale.of(i=3, folders=4)
    assert Count.parse("(3*i)%folders").at(scale) == 1
    assert Count.parse("3*i%folders").at(scale) == 9
    with pytest.raises(InputError):
        Count.parse("(3*i)")


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("(i+3)%4", Term(("i",), False, "%", "4", 1, 3)),
        ("(i+1)//folders", Term(("i",), False, "//", "folders", 1, 1)),
        ("(3*i+2)%4", Term(("i",), False, "%", "4", 3, 2)),
        ("(3*i)%4", Term(("i",), False, "%", "4", 3, 0)),
        ("i%4", Term(("i",), False, "%", "4")),
    ],
)
def test_what_is_added_to_a_name_before_it_is_folded(text: str, term: Term) -> None:
    """A loop that begins in the middle of a group; the formula reads back."""
    assert term_of(text) == term
    assert Count.parse(f"2*{text} + 1") == Count(1.0, {text: 2.0})


@given(
    names,
    st.integers(1, 99),
    st.integers(0, 99),
    st.sampled_from(["//", "%"]),
    st.integers(1, 50),
    st.integers(0, 999),
)
def test_terms_with_plus_are_what_they_say(  # noqa: PLR0917
    name: str, factor: int, plus: int, fold: str, size: int, value: int
) -> None:
    """Multiplied, added to, and then folded: as Python works it out, in text, in a formula and for a whole index."""
    multiple = f"{factor}*{name}" if factor > 1 else name
    inner = f"{multiple}+{plus}" if plus else multiple
    text = f"({inner}){fold}{size}" if inner != name else f"{name}{fold}{size}"
    moved = factor * value + plus
    expected = moved // size if fold == "//" else moved % size
    assert Count.parse(text).at(Scale.from_mapping({name: value})) == expected
    assert term_of(text).folded(value, {}) == expected
    assert str(Count.parse(text)) == text


@pytest.mark.parametrize("text", ["(i+3)", "(i+3)*2", "(i-3)%4", "(i+k)%4", "(3+i)%4", "(i+3%4", "(i*k+3)%4"])
def test_only_a_number_is_added_and_only_where_it_is_folded(text: str) -> None:
    """Every other sum is written as a sum."""
    with pytest.raises(InputError, match=NOT_A_COUNT):
        Count.parse(text)
