"""Counts as functions of the Scale."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from froude.mining.counts import _distinct, every_fit, fit_count, fit_dealt, varied_in
from froude.workload.scale import Count, Scale, at_node

S = [Scale.of(datanodes=d, clients=c, files=f) for d, c, f in ((2, 1, 4), (3, 2, 6), (4, 3, 5))]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((7, 7, 7), "7"),
        ((1, 2, 3), "clients"),
        ((2, 3, 4), "datanodes"),
        ((8, 12, 10), "2*files"),
        ((5, 7, 6), "files + 1"),
        ((2, 3, 3), "min(3, datanodes)"),
    ],
)
def test_simplest_exact_fit(values: tuple[float, ...], text: str) -> None:
    """Constants go before lines, lines without an offset before others, ceilings after lines."""
    assert str(fit_count(list(zip(S, values, strict=True))).count) == text


def test_a_line_with_an_offset_below_a_ceiling() -> None:
    """It goes through the points below alone."""
    points = [(Scale.of(k=k), min(9.0, 2.0 * k + 1)) for k in (1, 2, 3, 6, 8)]
    assert str(fit_count(points).count) == "min(9, 2*k + 1)"


def test_several_variables_need_more_runs_than_coefficients() -> None:
    """A plane through as many points as coefficients says nothing; one more point makes it say something."""
    scales = [Scale.of(a=a, b=b) for a, b in ((1, 1), (2, 1), (1, 3), (4, 2))]
    points = [(scale, 2 * scale["a"].value + scale["b"].value) for scale in scales]
    assert str(fit_count(points).count) == "2*a + b"
    assert fit_count([(S[0], 3), (S[1], 17), (S[2], 4)]).count is None


def test_equals_are_told_and_names_decide() -> None:
    """Two variables that were always equal fit alike; the one that is called like the thing is taken."""
    scales = [Scale.of(clients=n, readers=n) for n in (1, 2, 3)]
    points = [(scale, scale["clients"].value) for scale in scales]
    assert str(fit_count(points, name="reader").count) == "readers"
    assert [str(c) for c in fit_count(points).others] == ["readers"]


def test_pieces_of_a_known_size() -> None:
    """With a block size that was asked for, a file's blocks and its last block's length follow from its bytes."""
    scales = [Scale.of(clients=c, input=size) for c, size in ((1, 1500), (2, 2500), (4, 4200))]
    blocks = list(zip(scales, (2.0, 3.0, 5.0), strict=True))
    assert str(fit_count(blocks, pieces=[1024]).count) == "ceil((input) / 1024)"
    rest = list(zip(scales, (476.0, 452.0, 104.0), strict=True))
    assert str(fit_count(rest, pieces=[1024]).count) == "rest((input) / 1024)"


def test_what_begins_at_some_size() -> None:
    """None at the smallest scale, then one more for each client."""
    scales = [Scale.of(clients=n) for n in (1, 3, 5)]
    assert str(fit_count(list(zip(scales, (0.0, 1.0, 3.0), strict=True))).count) == "clients - 2"


def test_products() -> None:
    """Things of each of several folders are counted by the product, seen at three scales at least."""
    scales = [Scale.of(dirs=d, files=f) for d, f in ((2, 4), (3, 6), (4, 5))]
    assert str(fit_count(list(zip(scales, (8, 18, 20), strict=True))).count) == "dirs*files"
    scales = [Scale.of(clients=c, files=f) for c, f in ((1, 4), (2, 12), (3, 9))]
    assert str(fit_count(list(zip(scales, (4, 6, 3), strict=True))).count) == "files/clients"


def test_large_numbers_fit_to_the_unit() -> None:
    """Milliseconds since 1970 of runs within half an hour are on no line, however near it is for their size."""
    scales = [Scale.of(nodes=n) for n in (2, 3, 4)]
    times = (1_795_219_607_557, 1_795_219_513_540, 1_795_219_419_524)
    assert fit_count(list(zip(scales, map(float, times), strict=True))).count is None
    line = [1_795_219_000_000.0 + 94_016 * n for n in (2, 3, 4)]
    assert str(fit_count(list(zip(scales, line, strict=True))).count) == "94016*nodes + 1795219000000"


def test_half_of_odd_sizes_is_asked_about() -> None:
    """At 3, 5 and 9 files there were 1, 2 and 4: whole pairs, or a line that at 4 files would be no number."""
    scales = [Scale.of(files=n) for n in (3, 5, 9)]
    fit = fit_count(list(zip(scales, (1.0, 2.0, 4.0), strict=True)))
    assert str(fit.count) == "files//2"
    assert [str(count) for count in fit.others] == ["0.5*files - 0.5"]


def test_groups_and_what_is_left_over() -> None:
    """Three sizes or more, at least two groups, and no line that fits."""
    scales = [Scale.of(files=n) for n in (4, 7, 8, 12)]
    fit = fit_count(list(zip(scales, (1.0, 2.0, 2.0, 4.0), strict=True)))
    assert (str(fit.count), fit.others) == ("files//3", ())
    fit = fit_count(list(zip(scales, (4.0, 2.0, 3.0, 2.0), strict=True)))
    assert str(fit.count) == "files%5"
    assert fit_count(list(zip(scales[:2], (1.0, 1.0), strict=True))).count is not None


def test_begun_groups_are_counted_and_what_fits_as_well_is_asked() -> None:
    """Each third file of some is a third of them, rounded up; another formula that fits the same sizes is named."""
    scales = [Scale.of(files=files) for files in (7, 12, 10, 15)]
    fit = fit_count([(scale, -(-scale["files"].value // 3)) for scale in scales])
    assert str(fit.count) == "ceil((files) / 3)"
    assert [str(other) for other in fit.others] == ["files//5 + 2"]
    assert fit.sure


def test_a_formula_of_as_many_numbers_as_sizes_is_not_sure() -> None:
    """Three counts are made into some remainder by nearly any group, slope and offset."""
    scales = [Scale.of(nodes=nodes) for nodes in (2, 3, 4)]
    fit = fit_count([(scale, count) for scale, count in zip(scales, (3.0, 2.0, 3.0), strict=True)])
    assert fit.count is not None
    assert not fit.sure


def test_what_is_the_same_at_any_size_is_asked_about_once() -> None:
    """Files in pairs, begun ones counted, is one formula however it is written."""
    scales = [Scale.of(files=files) for files in (3, 5, 8, 12, 17)]
    fit = fit_count([(scale, -(-scale["files"].value // 2)) for scale in scales])
    assert str(fit.count) == "ceil((files) / 2)"
    assert not fit.others


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(2, 6)), min_size=4, max_size=5, unique=True))
def test_shares_by_the_number_of_the_node_are_exact(sizes: list[tuple[int, int]]) -> None:
    """Files that clients share out, the first ones taking one more: what is found holds at every node."""
    points = [
        (at_node(Scale.of(files=files, clients=clients), node), float(-(-(files - node) // clients)))
        for files, clients in sizes
        for node in range(clients)
    ]
    fit = fit_count([(scale, max(0.0, value)) for scale, value in points])
    assert fit.count is not None
    for scale, value in points:
        assert fit.count.whole_at(scale) == max(0, value)


def test_each_node_may_do_more_than_the_one_before() -> None:
    """Client k writes k + 1 files of each of its folders."""
    points = [
        (at_node(Scale.of(folders=folders), node), folders * 1.0 + node)
        for folders in (2, 5)
        for node in range(3)
    ]
    assert str(fit_count(points).count) == "folders + node"


def test_runs_of_one_size_show_no_ceiling() -> None:
    """Four users twice are one size: the number may go on rising."""
    scales = [Scale.of(users=n, runs=m) for n, m in ((2, 1), (3, 2), (4, 3), (4, 4))]
    assert str(fit_count(list(zip(scales, (2.0, 3.0, 4.0, 4.0), strict=True))).count) == "users"
    flat = [*scales, Scale.of(users=5, runs=1)]
    assert str(fit_count(list(zip(flat, (2.0, 3.0, 4.0, 4.0, 4.0), strict=True))).count) == "min(4, users)"


@pytest.mark.parametrize(
    ("place", "text"), [(0, "ceil((users) / 3)"), (1, "ceil((users - 1) / 3)"), (2, "ceil((users - 2) / 3)")]
)
def test_shares_of_what_is_dealt_out(place: int, text: str) -> None:
    """The first of three teams has one more where users do not come out even."""
    scales = [Scale.of(users=n, files=2) for n in (5, 3, 8, 7)]
    shares = [float(len(range(place, int(scale["users"].value), 3))) for scale in scales]
    assert str(fit_dealt(list(zip(scales, shares, strict=True)), place, 3)) == text
    assert fit_dealt(list(zip(scales, shares, strict=True)), (place + 1) % 3, 3) is None
    assert fit_dealt(list(zip(scales, shares, strict=True))[:2], place, 3) is None


def test_all_files_but_the_first() -> None:
    """A product may have an offset, where four sizes show it."""
    scales = [Scale.of(users=u, files=f) for u, f in ((4, 2), (2, 7), (5, 5), (3, 4))]
    points = [(scale, scale["users"].value * scale["files"].value - 1) for scale in scales]
    assert str(fit_count(points).count) == "files*users - 1"
    assert str(fit_count(points[:3]).count) != "files*users - 1"


@pytest.mark.parametrize(("factor", "written"), [(2.0, "2*nodes*nodes"), (0.5, "None"), (1.5, "None")])
def test_a_square_is_of_whole_multiples(factor: float, written: str) -> None:
    """Every node with every node, so often; at odd sizes a fraction of it would be no number."""
    points = [(Scale.of(nodes=n), factor * n * n) for n in (2, 4, 6)]
    assert str(fit_count(points).count) == written


def test_every_form_that_is_exact() -> None:
    """A square and a product of two that were alike; no group of unknown size."""
    points = [(Scale.of(nodes=n, files=n, racks=1), float(n * n)) for n in (2, 3, 4)]
    assert varied_in(points) == ["files", "nodes"]
    assert [str(count) for count in every_fit(points, ())] == ["files*files", "files*nodes", "nodes*nodes"]


@pytest.mark.parametrize(
    ("values", "clients", "blocks", "first", "other"),
    [
        ((1, 3, 5), (2, 3, 4), (2, 5, 9), "2*clients - 3", "ceil((blocks) / 2)"),
        ((2, 6, 10), (2, 4, 6), (1, 2, 2), "2*clients - 2", None),
    ],
)
def test_a_line_with_an_offset_through_three_sizes_may_be_chance(
    values: tuple[int, ...], clients: tuple[int, ...], blocks: tuple[int, ...], first: str, other: str | None
) -> None:
    """What is made of fewer numbers and fits as well is asked about."""
    scales = [Scale.of(clients=c, blocks=b) for c, b in zip(clients, blocks, strict=True)]
    fit = fit_count(list(zip(scales, map(float, values), strict=True)))
    assert [str(fit.count), *map(str, fit.others)] == [each for each in (first, other) if each]


@pytest.mark.parametrize("values", [(2, 1, 1), (2, 1, 2)])
def test_a_count_that_changed_once_at_three_sizes_is_not_sure(values: tuple[int, ...]) -> None:
    """Groups of any size, or a ceiling, would say as well where one becomes the other."""
    scales = [Scale.of(clients=c, files=f, blocks=b) for c, f, b in ((3, 2, 4), (2, 1, 2), (1, 3, 5))]
    fit = fit_count(list(zip(scales, map(float, values), strict=True)))
    assert fit.count is not None
    assert not fit.sure


def test_counts_without_a_variable_are_one() -> None:
    """A constant is the same at every size."""
    assert _distinct([Count(3.0), Count(3.0)], [(Scale.of(k=2), 3.0)]) == [Count(3.0)]


def test_counts_are_compared_at_every_size_up_to_four_times_the_largest() -> None:
    """From one thing on; what differs at none, or farther away, is one count in two forms."""
    points = [(Scale.of(k=2), 2.0)]
    line = Count(0.0, {"k": 1.0})
    for cap, forms in ((7.0, 2), (8.0, 1), (9.0, 1)):
        assert len(_distinct([line, Count(0.0, {"k": 1.0}, cap)], points)) == forms
    assert _distinct([Count(1.0), Count(0.0, {"k": 1.0}, 1.0)], points) == [Count(1.0)]


@pytest.mark.parametrize(("sizes", "sure"), [((4, 7, 12), False), ((4, 7, 12, 20), True)])
def test_a_formula_of_two_numbers_wants_four_sizes(sizes: tuple[int, ...], *, sure: bool) -> None:
    """The size of a group and a slope: two for each group of three."""
    fit = fit_count([(Scale.of(files=size), 2.0 * (size // 3)) for size in sizes])
    assert (str(fit.count), fit.grouped, fit.sure) == ("2*files//3", True, sure)


def _planted(form: str, a: int, b: int, x: int) -> float:
    """A count at a size: lines, with a ceiling or from some size on, squares, and groups."""
    return {
        "line": a * x + b,
        "ceiling": min(a * b, a * x),
        "from": max(0, a * (x - b)),
        "whole groups": x // (b + 1),
        "left over": x % (b + 1),
        "begun groups": -(-x // (b + 1)),
    }[form]


@pytest.mark.parametrize("form", ["line", "ceiling", "from", "whole groups", "left over", "begun groups"])
@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 3))
def test_what_is_behind_counts_is_found_or_asked_about(form: str, a: int, b: int, first: int) -> None:
    """At nine sizes in a row, which show two of what is rare: what is found is exact, and the truth is among it."""
    seen = range(first + 1, first + 10)
    turn = b if form in {"ceiling", "from"} else first + 5
    assume(seen[2] <= turn <= seen[-3])
    assume(("groups" not in form and form != "left over") or 2 * (b + 1) <= seen[-1])
    fit = fit_count([(Scale.of(x=x), _planted(form, a, b, x)) for x in seen])
    assert fit.count is not None
    found = [[max(0.0, each.at(Scale.of(x=x))) for x in range(1, 19)] for each in (fit.count, *fit.others)]
    assert all(values[first : first + 9] == [_planted(form, a, b, x) for x in seen] for values in found)
    assert [_planted(form, a, b, x) for x in range(1, 19)] in found
