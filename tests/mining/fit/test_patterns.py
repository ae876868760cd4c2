"""Values that follow from a call's place alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.units import Quantity
from froude.mining.fit.patterns import constant, counter, cycle, joined, same, scaled, text
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value, number_at
from froude.workload.scale import Count, Scale
from froude.workload.types import LETTERS, Absent, Constant, Counter, Cycle, Generated, Rule, Scaled, Template
from tests.support.mining.events import calls, event

UUIDS = ("0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7")


def at(*places: dict[str, int], runs: Sequence[int] = ()) -> list[Occurrence]:
    """Occurrences at these places: a node's number and iterations."""
    made = []
    for number, place in enumerate(places):
        run = runs[number] if runs else 0
        sender = Sender(run, str(place.get("node", 0)), Role("client"), [])
        loops = {name: index for name, index in place.items() if name != "node"}
        made.append(
            Occurrence(run, place.get("node", 0), sender, "c", calls(event(number, "m"))[0], loops, {})
        )
    return made


def no_slot(_occurrences: Sequence[Occurrence], _numbers: Sequence[int]) -> Rule | None:
    """Numbers of a text that only a counter explains."""
    return None


GRID = at(*({"node": node, "L1": n, "L2": m} for node in range(3) for n in range(3) for m in range(2)))


@pytest.mark.parametrize(("left", "right"), [(True, 1), (1, 1.0), (0, False), (b"a", "a")])
def test_equal_values_of_other_types_are_not_the_same(left: Value, right: Value) -> None:
    """A flag is no number, and bytes are no text."""
    assert same(left, left)
    assert not same(left, right)


def test_constants() -> None:
    """One value everywhere, or an argument that is never there; what nothing is known of is no constant."""
    assert constant([5, 5]) == Constant(5)
    assert constant([5, 6]) is None
    assert constant([True, 1]) is None
    assert constant([Special.ABSENT, Special.ABSENT]) == Absent()
    assert constant([Special.UNRESOLVED]) is None


@given(
    base=st.integers(-1000, 1000),
    steps=st.dictionaries(
        st.sampled_from(["node", "L1", "L2"]), st.integers(-50, 50).filter(bool), min_size=1
    ),
)
def test_every_line_over_the_place_is_found(base: int, steps: dict[str, int]) -> None:
    """With just the indices that matter."""
    place = [{"node": point.node, **point.indices} for point in GRID]
    values = [base + sum(step * where[name] for name, step in steps.items()) for where in place]
    assert counter(GRID, values) == Counter(base, steps)


def test_what_is_no_line_is_no_counter() -> None:
    """A bend, a flag, a single value, a constant, and numbers beyond what is exact."""
    loop = at({"L1": 0}, {"L1": 1}, {"L1": 2})
    assert counter(loop, [1, 2, 4]) is None
    assert counter(loop, [1, 2, True]) is None
    assert counter(loop[:1], [1]) is None
    assert counter(loop, [3, 3, 3]) is None
    assert counter(loop, [1 << 60, (1 << 60) + 1, (1 << 60) + 2]) is None


def test_a_counter_may_go_on_from_node_to_node() -> None:
    """Each node writes as many files as the Scale says, and the next goes on with the number after."""
    scales = [Scale.of(files=2), Scale.of(files=3)]
    places, runs, values = [], [], []
    for run, files in enumerate((2, 3)):
        for node in range(2):
            for n in range(files):
                places.append({"node": node, "L1": n})
                runs.append(run)
                values.append(node * files + n)
    occurrences = at(*places, runs=runs)
    assert counter(occurrences, values) is None
    assert counter(occurrences, values, scales) == Counter(0, {"files*node": 1, "L1": 1})


def test_a_size_with_a_unit_counts_nothing() -> None:
    """Bytes are no number of things that a node could go on from."""
    scales = [{"files": Quantity(2, "B")}, {"files": Quantity(3, "B")}]
    occurrences = at({"node": 0}, {"node": 1}, {"node": 0}, {"node": 1}, runs=[0, 0, 1, 1])
    assert counter(occurrences, [0, 2, 0, 3], scales) is None


def test_a_number_that_follows_from_the_scale_needs_three_scales() -> None:
    """Two points make any line; and it is one number in each run."""
    scales = [Scale.of(n=n) for n in (2, 3, 5)]
    three = at({}, {}, {}, runs=[0, 1, 2])
    (rule,) = scaled(three, [7, 10, 16], scales)
    assert rule is not None
    assert str(rule.count) == "3*n + 1"
    assert not scaled(three[:2], [7, 10], scales[:2])
    assert not scaled(at({}, {}, {}, {}, runs=[0, 0, 1, 2]), [7, 8, 10, 16], scales)
    assert not scaled(three, [7, 10, True], scales)
    assert not scaled(three, [7, 7, 7], scales)


def test_a_text_is_fixed_but_for_its_numbers() -> None:
    """Digits that count are a counter, padded as they were written."""
    loop = at(*({"L1": n} for n in range(11)))
    assert text(loop, [f"/a/f{n}" for n in range(11)], no_slot) == Template(("/a/f", Counter(0, {"L1": 1})))
    padded = text(loop, [f"/a/f{n:03}" for n in range(11)], no_slot)
    assert padded == Template(("/a/f", Counter(0, {"L1": 1}, 3)))
    assert text(loop, [f"/a/f{n * n}" for n in range(11)], no_slot) is None
    assert text(loop[:2], ["/a", "/b"], no_slot) is None
    assert text(loop[:2], ["/a1", 5], no_slot) is None


def test_other_rules_are_asked_for_numbers_that_do_not_count() -> None:
    """And are not believed where digits are padded, since they would be written otherwise."""
    loop = at(*({"L1": n} for n in range(3)))
    numbers = ("7", "19", "4")
    asked: list[Sequence[int]] = []

    def slot(_occurrences: Sequence[Occurrence], values: Sequence[int]) -> Rule | None:
        asked.append(values)
        return Constant(1)

    assert text(loop, [f"a{n}b" for n in numbers], slot) == Template(("a", Constant(1), "b"))
    assert asked == [[7, 19, 4]]
    assert text(loop, [f"a{n:>02}b" for n in numbers], slot) is None


def test_uuids_in_a_text_may_be_left_to_a_generator() -> None:
    """Only where that is asked for."""
    two = at({"L1": 0}, {"L1": 1})
    values = [f"/x/{uuid}" for uuid in UUIDS]
    assert text(two, values, no_slot) is None
    assert text(two, values, no_slot, random=True) == Template(("/x/", Generated("uuid")))


def test_neighbouring_texts_are_one() -> None:
    """Empty ones are left out."""
    assert joined(["a", "", "b", Constant(1), "", "c"]) == ("ab", Constant(1), "c")


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        (lambda i: i % 3, {"L1%3": 1}),
        (lambda i: 5 + 2 * (i // 4), {"L1//4": 2}),
        (lambda i: 100 * (i // 4) + i % 4, {"L1%4": 1, "L1//4": 100}),
    ],
)
def test_numbers_in_groups(value: Callable[[int], int], steps: dict[str, int]) -> None:
    """The place in a group, the group's number, or both; alone, and within a name."""
    where = at(*({"L1": n} for n in range(20)))
    rule = counter(where, [value(n) for n in range(20)])
    assert rule is not None
    assert rule.steps == steps
    named = text(where, [f"/in/d{value(n)}/f" for n in range(20)], no_slot)
    assert isinstance(named, Template)
    assert named.parts == ("/in/d", rule, "/f")


def test_groups_of_a_scale_variable() -> None:
    """Folders that are taken in turn: as many as there are at each Scale."""
    scales = [Scale.of(folders=n) for n in (2, 3, 5)]
    places = [(run, n) for run in range(3) for n in range(12)]
    where = at(*({"L1": n} for _, n in places), runs=[run for run, _ in places])
    numbers = [n % round(scales[run]["folders"].value) for run, n in places]
    assert counter(where, numbers, scales) == Counter(0, {"L1%folders": 1})


def test_groups_need_evidence() -> None:
    """Two groups at least, and thrice as many calls as numbers: a few values always fit some fold."""
    assert counter(at(*({"L1": n} for n in range(5))), [0, 1, 2, 0, 2]) is None
    assert counter(at(*({"L1": n} for n in range(4))), [0, 1, 2, 0]) is None


def test_letters_count() -> None:
    """Parts as `split` names them; a name of two forms is no accident's, three are."""
    letters = [f"/in/part-{first}{second}" for first in "ab" for second in "abcdefghijklmnopqrstuvwxyz"]
    loop = at(*({"L1": n} for n in range(len(letters))))
    assert text(loop, letters, no_slot) == Template(("/in/part-", Counter(0, {"L1": 1}, 2, LETTERS)))
    assert text(loop[:2], letters[:2], no_slot) is None
    assert text(loop[:4], ["/in/a", "/in/b", "/in/d", "/in/c"], no_slot) is None


def test_every_nth_thing_among_groups() -> None:
    """Each third log lies in the folder of its number, whatever the number of folders."""
    folders = (3, 2, 4, 5)
    places = [(run, n) for run in range(4) for n in range(5)]
    loop = at(*({"L1": n} for _, n in places), runs=[run for run, _ in places])
    scales = [Scale.of(folders=n) for n in folders]
    found = counter(loop, [3 * n % folders[run] for run, n in places], scales)
    assert found == Counter(0, {"(3*L1)%folders": 1})


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        (lambda i: (i + 3) % 4, {"(L1+3)%4": 1}),
        (lambda i: (i + 1) // 3, {"(L1+1)//3": 1}),
        (lambda i: 9 - 2 * ((i + 2) % 5), {"(L1+2)%5": -2}),
    ],
)
def test_a_loop_may_begin_in_the_middle_of_a_group(
    value: Callable[[int], int], steps: dict[str, int]
) -> None:
    """What began before it goes on in it; alone, and within a name."""
    where = at(*({"L1": n} for n in range(20)))
    rule = counter(where, [value(n) for n in range(20)])
    assert rule is not None
    assert rule.steps == steps
    named = text(where, [f"/in/d{value(n)}/f" for n in range(20)], no_slot)
    assert named == Template(("/in/d", rule, "/f"))


@given(st.integers(2, 6), st.data(), st.sampled_from(["%", "//"]))
def test_every_phase_within_a_group_is_found(size: int, data: st.DataObject, fold: str) -> None:
    """And goes on as it was far beyond what was seen."""
    plus = data.draw(st.integers(1, size - 1))

    def value(n: int) -> int:
        return (n + plus) % size if fold == "%" else (n + plus) // size

    rule = counter(at(*({"L1": n} for n in range(5 * size))), [value(n) for n in range(5 * size)])
    assert rule is not None
    assert [number_at(rule, {"L1": n}.__getitem__, {}) for n in range(90, 120)] == [
        value(n) for n in range(90, 120)
    ]


def test_a_phase_among_as_many_groups_as_the_scale_says() -> None:
    """Each client begins at the folder after the one that the step before ended with."""
    folders = (3, 4, 5)
    places = [(run, n) for run in range(3) for n in range(15)]
    loop = at(*({"L1": n} for _, n in places), runs=[run for run, _ in places])
    scales = [Scale.of(folders=n) for n in folders]
    found = counter(loop, [(n + 1) % folders[run] for run, n in places], scales)
    assert found == Counter(0, {"(L1+1)%folders": 1})


SIZES = [Scale.of(files=n) for n in (2, 3, 12)]


@pytest.mark.parametrize(("written", "width"), [("{:05}", 5), ("{}", 0), ("{:02}", 2)])
def test_numbers_of_the_scale_are_padded_as_they_were_written(written: str, width: int) -> None:
    """`part-00-of-00012`: the width is part of the rule, and plain digits have none."""
    where = at(*({"L1": n} for _ in range(3) for n in range(2)), runs=[0, 0, 1, 1, 2, 2])

    def slot(occurrences: Sequence[Occurrence], values: Sequence[int]) -> Rule | None:
        return next(iter(scaled(occurrences, values, SIZES)), None)

    texts = [f"of-{written.format(round(SIZES[each.run]['files'].value))}" for each in where]
    assert text(where, texts, slot) == Template(("of-", Scaled(Count.parse("files"), width)))


def test_numbers_that_are_padded_now_and_then_follow_no_rule() -> None:
    """With zeros, but not to one width."""
    where = at({}, {}, {}, runs=[0, 1, 2])

    def slot(occurrences: Sequence[Occurrence], values: Sequence[int]) -> Rule | None:
        return next(iter(scaled(occurrences, values, SIZES)), None)

    assert text(where, ["of-2", "of-03", "of-12"], slot) is None
    assert text(where, ["of-02", "of-003", "of-12"], slot) is None


def test_words_take_turns() -> None:
    """By the round, within a text whose number counts."""
    loop = at(*({"L1": n} for n in range(12)))
    shifts = ("day", "dusk", "night")
    rule = text(loop, [f"/log/{n}-{shifts[n % 3]}.log" for n in range(12)], no_slot)
    turn = Cycle(shifts, Counter(0, {"L1": 1}))
    assert rule == Template(("/log/", Counter(0, {"L1": 1}), "-", turn, ".log"))


def test_values_take_turns_over_nodes_and_rounds() -> None:
    """The sum of both says whose turn it is, where neither alone does."""
    places = [{"node": node, "L1": n} for node in range(3) for n in range(6)]
    values = [("/a", "/b/c")[(place["node"] + place["L1"]) % 2] for place in places]
    assert cycle(at(*places), values) == Cycle(("/a", "/b/c"), Counter(0, {"L1": 1, "node": 1}))


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b", "a"],
        ["a", "b", "a", "b", "b", "a", "a", "b", "a"],
        [Special.ABSENT, "b"] * 6,
        ["a"] * 12,
    ],
)
def test_no_turns_without_evidence(values: Sequence[Value]) -> None:
    """Too few, in no order, sometimes absent, or always the same."""
    assert cycle(at(*({"L1": n} for n in range(len(values)))), values) is None


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        (lambda files, n: files - n, {"files": 1, "L1": -1}),
        (lambda files, n: 4 * (files // 4) + n, {"files//4": 4, "L1": 1}),
    ],
)
def test_numbers_may_begin_where_the_scale_says(
    value: Callable[[int, int], int], steps: dict[str, int]
) -> None:
    """Down from the last one, or on after so many whole groups; not where two sizes alone were seen."""
    sizes = [9, 14, 7, 22]
    scales = [Scale.of(files=files, nodes=5 - at) for at, files in enumerate(sizes)]
    where = [(run, n) for run in range(len(sizes)) for n in range(3)]
    occurrences = at(*({"L1": n} for _, n in where), runs=[run for run, _ in where])
    numbers = [value(sizes[run], n) for run, n in where]
    rule = counter(occurrences, numbers, scales)
    assert rule == Counter(0, steps)
    assert number_at(rule, {"L1": 2}.__getitem__, Scale.of(files=30, nodes=9)) == value(30, 2)
    assert counter(occurrences[:6], numbers[:6], scales) is None


def test_turns_that_are_known_need_no_evidence() -> None:
    """Three hosts show each of three services once; where others showed more, that is enough."""
    hosts, services = at(*({"node": n} for n in range(3))), ("web", "auth", "mail")
    names = [f"/log/{services[n]}/h" for n in range(3)]
    known = Cycle(services, Counter(0, {"node": 1}))
    assert text(hosts, names, no_slot) is None
    assert text(hosts, names, no_slot, known=[known]) == Template(("/log/", known, "/h"))
    assert text(hosts, names[::-1], no_slot, known=[known]) is None


def test_folders_by_the_sum_of_two_loops() -> None:
    """What is swept goes round in folders, from where the last sweep ended."""
    places = [{"L1": n, "L2": m} for n in range(6) for m in range(4)]
    names = [f"/h{(place['L1'] + place['L2']) % 6}" for place in places]
    folders = Cycle(tuple("012345"), Counter(0, {"L1": 1, "L2": 1}))
    rule = text(at(*places), names, no_slot)
    assert isinstance(rule, Template)
    assert rule.parts[0] == "/h"
    assert isinstance(rule.parts[1], Cycle)
    assert (set(rule.parts[1].counter.steps), rule.parts[1].values) == ({"L1", "L2"}, folders.values)


@pytest.mark.parametrize(
    ("addresses", "believed"),
    [
        pytest.param(["127.194.7.5", "127.92.7.5"], False, id="not one apart"),
        pytest.param(["127.0.1.5", "127.0.2.6"], False, id="several numbers"),
        pytest.param(["10.0.0.5:50010", "10.0.0.6:41873"], False, id="a port by chance"),
        pytest.param(["10.0.0.5", "10.0.0.6"], True, id="one after the other"),
        pytest.param(["10.0.5.1", "10.0.7.1", "10.0.9.1"], True, id="three nodes on a line"),
        pytest.param(["/a-17/b-3", "/a-4/b-9"], True, id="no address"),
    ],
)
@pytest.mark.parametrize("random", [False, True])
def test_two_addresses_make_no_line(addresses: list[str], believed: bool, random: bool) -> None:
    """Any two numbers lie on one; those of two nodes' addresses were drawn."""
    occurrences = at(*({"node": node} for node in range(len(addresses))))
    assert (text(occurrences, addresses, no_slot, random=random) is not None) is believed
