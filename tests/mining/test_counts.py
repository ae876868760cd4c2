"""Counts as functions of the Scale."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from froude.mining.counts import Fit, _distinct, _groups, _rank, every_fit, fit_count, fit_dealt, varied_in
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


def scales(**sizes: tuple[float, ...]) -> list[Scale]:
    """A Scale of each run, by the sizes of each variable."""
    return [Scale.of(**dict(zip(sizes, each, strict=True))) for each in zip(*sizes.values(), strict=True)]


def at(values: Sequence[float], **sizes: tuple[float, ...]) -> list[tuple[Scale, float]]:
    """Counts that were seen at the sizes."""
    return list(zip(scales(**sizes), map(float, values), strict=True))


def found(fit: Fit) -> list[str]:
    """The formula of a fit, and those that are asked about."""
    return [str(each) for each in (fit.count, *fit.others)]


def test_a_single_run_shows_a_constant() -> None:
    """And no run shows nothing."""
    assert found(fit_count(at([5], k=(2,)))) == ["5"]
    assert fit_count([]).count is None


def test_no_more_than_four_others_are_asked_about() -> None:
    """Six variables that were always alike."""
    sizes = dict.fromkeys("abcdef", (1.0, 2.0, 4.0))
    assert found(fit_count(at([1, 2, 4], **sizes))) == ["a", "b", "c", "d", "e"]


def test_what_is_less_simple_is_not_asked_about() -> None:
    """Nor what is not named as the thing that is counted, where another one is."""
    assert found(fit_count(at([2, 3, 4], clients=(2, 3, 4), nodes=(1, 2, 3)))) == ["clients"]
    assert found(fit_count(at([2, 3, 4], clients=(2, 3, 4), nodes=(2, 3, 4)), name="node")) == ["nodes"]


@pytest.mark.parametrize(
    ("count", "rank"),
    [
        (Count(3.0), (0, 0, 1, 0, 0)),
        (Count(1.0), (0, 0, 1, 0, 0)),
        (Count(0.0, {"a": 1.0}), (1, 0, 0, 0, 0)),
        (Count(1.0, {"a": 1.0}), (1, 0, 1, 0, 0)),
        (Count(-1.0, {"a": 1.0}), (1, 0, 1, 0, 0)),
        (Count(0.0, {"a": 2.0}), (1, 0, 0, 0, 1)),
        (Count(0.0, {"a": 0.5}), (1, 1, 0, 0, 1)),
        (Count(0.0, {"a": -0.5}), (1, 1, 0, 1, 1)),
        (Count(0.0, {"a": -1.0}), (1, 0, 0, 1, 1)),
        (Count(0.0, {"a": -1.0, "b": 1.5}), (2, 1, 0, 1, 1)),
        (Count(0.0, {"a": 1e6 + 0.5}), (1, 0, 0, 0, 1)),
        (Count(0.0, {"a": 1e6 - 0.5}), (1, 1, 0, 0, 1)),
    ],
)
def test_how_simple_a_count_is(count: Count, rank: tuple[int, ...]) -> None:
    """Its variables, fractions of what is not large, an offset, a minus, and slopes other than one."""
    assert _rank(count) == rank


def test_every_formula_is_given_once() -> None:
    """Of lines and what is cut into pieces; a plane where it is asked for; a constant has none."""
    line = at([0, 1, 2], k=(1, 2, 3))
    assert [str(each) for each in every_fit(line, ())] == ["k - 1"]
    assert every_fit(at([7, 7, 7], k=(1, 2, 3)), ()) == []
    assert every_fit(at([0, 0, 0], k=(1, 2, 3)), ()) == []
    blocks = at([1, 2, 3], k=(10, 13, 21))
    assert [str(each) for each in every_fit(blocks, [10])] == ["ceil((k) / 10)"]
    assert [str(each) for each in every_fit(blocks, [21, 30])] == []
    plane = at([4, 5, 7, 13], a=(1, 2, 1, 4), b=(2, 1, 5, 5))
    assert [str(each) for each in every_fit(plane, ())] == []
    assert [str(each) for each in every_fit(plane, (), sums=True)] == ["2*a + b"]


def test_planes() -> None:
    """Of three sizes one may be chance; with an offset four are too few, and so are those on one line."""
    three = at([4, 5, 7], a=(1, 2, 1), b=(2, 1, 5))
    assert (found(fit_count(three)), fit_count(three).sure) == (["2*a + b"], False)
    four = at([4, 5, 7, 13], a=(1, 2, 1, 4), b=(2, 1, 5, 5))
    assert (found(fit_count(four)), fit_count(four).sure) == (["2*a + b"], True)
    sizes = {"a": (1, 2, 1, 4), "b": (2, 1, 5, 5), "c": (1, 1, 1, 1)}
    assert found(fit_count(at([14, 15, 17, 23], **sizes))) == ["2*a + b + 10"]
    assert fit_count(at([14, 15, 17], a=(1, 2, 1), b=(2, 1, 5))).count is None
    three_ways = at([6, 11, 8, 14, 18], a=(1, 2, 1, 3, 2), b=(1, 2, 2, 1, 5), c=(1, 1, 1, 3, 2))
    assert found(fit_count(three_ways)) == ["3*a + 2*b + c"]


def test_what_varied() -> None:
    """Two values are enough, in variables that all runs have."""
    points = [(Scale.of(a=1, b=1, c=1), 1.0), (Scale.of(a=2, b=1), 1.0)]
    assert varied_in(points) == ["a"]


def test_squares_are_of_three_sizes_of_what_has_no_unit() -> None:
    """None of nothing, and of no fraction."""
    assert [str(each) for each in every_fit(at([8, 18, 32], n=(2, 3, 4)), ())] == ["2*n*n"]
    assert [str(each) for each in every_fit(at([1, 4, 9], n=(1, 2, 3)), ())] == ["n*n"]
    assert [str(each) for each in every_fit(at([4, 9], n=(2, 3)), ())] == ["5*n - 6"]
    assert [str(each) for each in every_fit(at([0, 4, 9], n=(0, 2, 3)), ())] == ["5*n - 6"]
    sized = [(Scale.of(n=f"{n} B"), float(n * n)) for n in (2, 3, 4)]
    assert every_fit(sized, ()) == []


def test_products_are_of_what_is_there() -> None:
    """At three sizes; a variable that was 0 at some size gives none."""
    assert [str(each) for each in every_fit(at([6, 20], a=(2, 4), b=(3, 5)), ())] == ["7*a - 8", "7*b - 15"]
    assert not any("a*b" in str(each) for each in every_fit(at([0, 6, 20], a=(0, 2, 4), b=(1, 3, 5)), ()))
    assert [str(each) for each in every_fit(at([2, 6, 20], a=(2, 2, 4), b=(1, 3, 5)), ())] == ["a*b"]


def test_groups_of_every_size_that_was_seen_twice() -> None:
    """From two on, up to half of the largest size and to the largest group; of three sizes without a unit."""
    for largest, groups in ((9, range(2, 5)), (10, range(2, 6)), (127, range(2, 64)), (500, range(2, 65))):
        counts = [str(each) for each in _groups(at([1, 2, 4], k=(2, 3, largest)), ["k"])]
        assert [f"ceil((k) / {by})" for by in groups] == [each for each in counts if "ceil" in each]
    assert _groups(at([1, 2], k=(2, 90)), ["k"]) == []
    assert _groups(at([1, 2, 2.5], k=(2, 3, 90)), ["k"]) == []
    assert _groups([(Scale.of(k=f"{k} B"), 1.0 + k) for k in (2, 3, 90)], ["k"]) == []


def test_groups_of_one_number_are_sure_at_three_sizes() -> None:
    """Where each has a count of its own."""
    fit = fit_count(at([1, 2, 4], files=(4, 7, 12)))
    assert (found(fit)[0], fit.sure) == ("files//3", True)


def test_a_ceiling_is_seen_at_two_sizes_and_a_line_below_it_at_three() -> None:
    """Fewer show none."""
    assert fit_count(at([2, 3, 4], users=(2, 3, 5))).count is None
    assert fit_count(at([3, 5, 9, 9], k=(1, 2, 6, 8))).count is None
    fit = fit_count(at([2, 3, 4, 4], users=(2, 3, 5, 7)))
    assert (found(fit), fit.sure) == (["min(4, users)"], True)
    fit = fit_count(at([2, 3, 3], users=(2, 3, 4)))
    assert (found(fit), fit.sure) == (["min(3, users)"], False)
    assert found(fit_count(at([0, 2, 4, 4], users=(0, 1, 2, 3)))) == ["min(4, 2*users)"]
    assert fit_count(at([0, 4, 4], users=(0, 2, 3))).count is None


def test_what_begins_at_some_size_is_a_line_of_whole_numbers() -> None:
    """Of two sizes at least at which there is any."""
    assert found(fit_count(at([0, 0, 2, 6], k=(1, 2, 3, 5)))) == ["2*k - 4"]
    assert fit_count(at([0, 0, 3], k=(1, 2, 7))).count is None
    assert fit_count(at([0, 0, 1, 2], k=(1, 3, 5, 7))).count is None


@pytest.mark.parametrize("others", [{}, {"zero": 0}])
def test_what_is_shared_out_among_some_is_at_least_one(others: dict[str, float]) -> None:
    """A variable that was 0 shares nothing out; one node may have all."""
    sizes = [(7, 2), (5, 3), (4, 1), (9, 4)]
    points = [
        (
            at_node(Scale.of(files=files, clients=clients, **others), node),
            float(-(-(files - node) // clients)),
        )
        for files, clients in sizes
        for node in range(clients)
    ]
    assert found(fit_count(points))[0] == "ceil((files - node) / clients)"


@pytest.mark.parametrize(
    "text",
    [
        "ceil((files - node) / 2)",
        "days*ceil((files - node) / 2)",
        "days*ceil((files - node) / 2) - 1",
        "days*ceil((files - node) / clients) + 1",
    ],
)
def test_what_two_workers_share_out_each_day(text: str) -> None:
    """Among a number of nodes that never varied, or as many as a variable says; the first may be done otherwise."""
    sizes = [(5, 4, 2), (3, 6, 3), (8, 5, 5)]
    points = [
        (at_node(Scale.of(files=files, days=days, clients=clients), node), 0.0)
        for files, days, clients in sizes
        for node in range(2)
    ]
    fit = fit_count([(scale, Count.parse(text).at(scale)) for scale, _ in points])
    assert found(fit)[0] == text


def test_shares_of_every_day_want_a_size_more_than_plain_ones() -> None:
    """Three sizes show how things are shared out; with a factor or an offset fewer than four or five may be chance."""
    sizes = [(5, 4), (3, 6), (8, 5), (4, 7), (6, 3)]

    def sure(text: str, number: int) -> bool:
        points = [
            (at_node(Scale.of(files=f, days=d), node), 0.0) for f, d in sizes[:number] for node in range(2)
        ]
        return fit_count([(scale, Count.parse(text).at(scale)) for scale, _ in points]).sure

    assert sure("ceil((files - node) / 2)", 3)
    assert [sure("days*ceil((files - node) / 2)", number) for number in (3, 4)] == [False, True]
    assert [sure("days*ceil((files - node) / 2) - 1", number) for number in (4, 5)] == [False, True]


def test_sums_have_fractions_that_a_person_would_write() -> None:
    """Thirds are; twenty-two of eighty-one are what a plane through chance has."""
    points = [(Scale.of(a=a, b=b), 0.0) for a, b in ((1, 5), (2, 3), (4, 8), (7, 2), (5, 9), (9, 4))]

    def fit(slope: float) -> Count | None:
        return fit_count([(s, slope * s["a"].value + 0.25 * s["b"].value + 1) for s, _ in points]).count

    assert fit(1 / 3) is not None
    assert fit(22 / 81) is None


def test_no_number_of_nodes_that_varied_shares_anything_out() -> None:
    """Two nodes at one size and three at another: by which number is not known."""
    sizes = [(5, 2), (3, 3), (8, 2)]
    points = [
        (at_node(Scale.of(files=files), node), float(-(-(files - node) // 2)))
        for files, nodes in sizes
        for node in range(nodes)
    ]
    assert fit_count(points).count is None


def test_three_sizes_show_how_things_are_dealt_out() -> None:
    """Two do not, and sizes with a unit deal nothing out."""
    points = at([2, 1, 3], users=(5, 3, 8))
    assert str(fit_dealt(points, 1, 3)) == "ceil((users - 1) / 3)"
    assert fit_dealt([points[0], *points[:2]], 1, 3) is None
    sized = [(Scale.of(users=f"{scale['users'].value} B"), value) for scale, value in points]
    assert fit_dealt(sized, 1, 3) is None


def test_where_counts_are_compared() -> None:
    """From size one to a thousand, each variable for itself from the first scale on."""
    few = Count(0.0, {"k": 1.0}, 2.0)
    assert len(_distinct([few, Count(2.0)], at([2], k=(1,)))) == 2
    line = Count(0.0, {"k": 1.0})
    for cap, forms in ((999.0, 2), (1000.0, 1)):
        assert len(_distinct([line, Count(0.0, {"k": 1.0}, cap)], at([5], k=(500,)))) == forms
    product, plane = Count(0.0, {"a*b": 1.0}), Count(-6.0, {"a": 3.0, "b": 2.0})
    points = at([6, 20], a=(2, 4), b=(3, 5))
    assert [len(_distinct([product, plane], each)) for each in (points, points[::-1])] == [1, 2]


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=6, unique=True), st.integers(-3, 30), st.integers(1, 9)
)
def test_a_line_is_exact_at_every_size(sizes: list[int], intercept: int, slope: int) -> None:
    """Where it is above zero at all of them, whatever their order."""
    assume(all(intercept + slope * k > 0 for k in sizes))
    count = fit_count(at([intercept + slope * k for k in sizes], k=tuple(sizes))).count
    assert count == Count(float(intercept), {"k": float(slope)})


def test_begun_groups_but_two_are_counted() -> None:
    """Days that are dropped but for the last two, three files a day."""
    sizes = [(7, 1.0), (4, 0.0), (11, 2.0), (9, 1.0), (5, 0.0)]
    fit = fit_count([(Scale.of(files=files), dropped) for files, dropped in sizes])
    assert str(fit.count) == "ceil((files) / 3) - 2"
    assert not fit.sure  # many such formulas were tried


def test_groups_of_what_nodes_have_more_of_by_their_number() -> None:
    """Each agent has a batch more than the one before it, four to a file; five nodes alone would fit by chance."""
    points = [
        (at_node(Scale.of(agents=agents, batches=batches), node), float(-(-(batches + node) // 4) - 1))
        for agents, batches in ((3, 9), (1, 22), (5, 14), (2, 17))
        for node in range(agents)
    ]
    count = fit_count(points).count
    assert count is not None
    assert count.at(at_node(Scale.of(agents=10, batches=44), 9)) == 13.0
    assert fit_count(points[:5]).count is None or "node" not in str(fit_count(points[:5]).count)


def test_sizes_of_a_sum_are_those_of_its_own_variables() -> None:
    """Nodes of one size are one point of a plane over what they have in common."""
    sizes = [(1, 5, 9.0), (4, 8, 3.0), (7, 2, 6.0)]
    points = [(at_node(Scale.of(a=a, b=b), node), value) for a, b, value in sizes for node in range(3)]
    assert fit_count(points).count is None


def test_a_fraction_in_a_sum_needs_a_size_more() -> None:
    """Three numbers need four sizes, and the denominator of one of them a fifth."""
    sizes = [(1, 5), (2, 3), (4, 8), (7, 2), (9, 13)]
    points = [(Scale.of(a=a, b=b), a / 4 + b + 2) for a, b in sizes]
    assert str(fit_count(points).count) == "0.25*a + b + 2"
    assert fit_count(points[:4]).count is None
    whole = [(Scale.of(a=a, b=b), 3.0 * a + b + 2) for a, b in sizes[:4]]
    assert str(fit_count(whole).count) == "3*a + b + 2"


def test_groups_of_what_nodes_have_fewer_of_by_their_number() -> None:
    """The largest groups that are looked for have sixteen things."""
    points = [
        (at_node(Scale.of(users=users, files=files), node), float(max(0, -(-(files - node + 15) // 16))))
        for users, files in ((20, 40), (24, 71), (18, 55), (22, 90))
        for node in range(users)
    ]
    count = fit_count(points).count
    assert count is not None
    assert [count.at(at_node(Scale.of(users=30, files=200), node)) for node in (0, 7, 8)] == [
        14.0,
        13.0,
        13.0,
    ]
