"""What a workload's values answer themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.scale import Count
from froude.workload.types import (
    LETTERS,
    Actor,
    CallTemplate,
    Counter,
    Effect,
    NodeType,
    Recorded,
    StartRule,
    Wait,
    Workload,
)


@pytest.mark.parametrize(
    ("width", "radix", "number", "digits"),
    [
        (0, 10, 7, "7"),
        (5, 10, 42, "00042"),
        (2, 10, 12345, "12345"),
        (0, 16, 255, "ff"),
        (4, 16, 255, "00ff"),
        (3, 10, -7, "-07"),
    ],
)
def test_digits_of_a_counter(width: int, radix: int, number: int, digits: str) -> None:
    """Padded with zeros behind the sign, never cut, in small letters where they are hexadecimal."""
    assert Counter(0, {}, width, radix).digits(number) == digits


@given(st.integers(-(10**9), 10**9), st.integers(0, 12), st.sampled_from([10, 16]))
def test_digits_read_back(number: int, width: int, radix: int) -> None:
    """Whatever the padding, they are the number; and at least as many characters as asked for."""
    text = Counter(0, {}, width, radix).digits(number)
    assert int(text, radix) == number
    assert len(text) >= width


def test_a_node_type_is_found_by_its_name() -> None:
    """One that is not there is an error of the caller."""
    first, second = (NodeType(name, Count(1), ()) for name in ("client", "datanode"))
    workload = Workload((first, second), Recorded((), ()))
    assert workload.node_type("datanode") is second
    with pytest.raises(KeyError, match="mapper"):
        workload.node_type("mapper")


def test_letters_are_digits_to_base_26() -> None:
    """As `split` names its parts, and further than the letters that were seen."""
    counter = Counter(0, {"L1": 1}, 2, LETTERS)
    assert [counter.digits(n) for n in (0, 1, 25, 26, 675, 676)] == ["aa", "ab", "az", "ba", "zz", "baa"]


@given(st.integers(1, 100_000), st.floats(0, 9), st.floats(0, 9), st.floats(0, 0.1))
def test_nodes_beside_each_other_start_within_the_recorded_time(
    nodes: int, spacing_s: float, within_s: float, least_s: float
) -> None:
    """However many, unless whoever starts them needs longer; few as they were recorded; never slower than recorded."""
    rule = StartRule(spacing_s=spacing_s, within_s=within_s)
    whole_s = rule.apart_s(nodes, least_s) * (nodes - 1)
    assert whole_s <= max(within_s, least_s * (nodes - 1)) * (1 + 1e-9) + 1e-300
    assert rule.apart_s(nodes, least_s) <= spacing_s
    if spacing_s * (nodes - 1) <= within_s:
        assert rule.apart_s(nodes, least_s) == pytest.approx(spacing_s)


@given(st.integers(1, 100_000), st.floats(0, 9), st.floats(0, 0.1))
def test_others_stay_as_far_apart_as_recorded(nodes: int, spacing_s: float, least_s: float) -> None:
    """As in files that say nothing else, whatever their number."""
    assert StartRule(spacing_s=spacing_s).apart_s(nodes, least_s) == spacing_s


@pytest.mark.parametrize(("up", "path"), [(0, "/in/day-1/part-0"), (1, "/in/day-1"), (2, "/in")])
def test_what_a_call_waits_for_is_its_path_or_a_folder_above(up: int, path: str) -> None:
    """So many levels up."""
    assert Wait("src", up, "rename", "dst", "producer").path("/in/day-1/part-0") == path


@given(st.lists(st.from_regex(r"[a-z0-9.-]{1,5}", fullmatch=True), min_size=1, max_size=6), st.data())
def test_the_folder_above_holds_what_is_below(names: list[str], data: st.DataObject) -> None:
    """With as many names less as it is levels up."""
    up = data.draw(st.integers(0, len(names)))
    path = Wait("src", up, "mkdirs", "src", "producer").path("/" + "/".join(names))
    assert path == "".join(f"/{name}" for name in names[: len(names) - up])


@pytest.mark.parametrize(
    ("each", "owner", "path"),
    [
        (None, "uuid", "uuid"),
        ("locs", "id.uuid", "locs[{each}].id.uuid"),
        ("ids", "", "ids[{each}]"),
        ("cmds[0].targets[].nodes", "uuid", "cmds[0].targets[{each}].nodes[{each}].uuid"),
    ],
)
def test_the_leaf_that_names_who_acts_has_a_place_for_every_number(
    each: str | None, owner: str, path: str
) -> None:
    """Of the element, and of those that its list stands in."""
    call = CallTemplate("d.e1", "p", "m", {})
    assert Effect(call, "c.c1", "c", each, Actor.OWNER, owner).owner_path == path
