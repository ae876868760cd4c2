"""Choices under constraints."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from froude.harvest.place import distinct
from froude.harvest.place.distinct import choose_distinct
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import Attribute, Draw, Policy, constrained, preset
from testbed.placer import Placer, prepare_lists
from tests.support.harvest.place.layouts import layouts, nine

NAMES = [each.value for each in Attribute]


def broken(layout: Layout, servers: Sequence[int], attributes: Sequence[str]) -> list[str]:
    """Attributes in which some replicas agree though they may not: rows and columns within a round of three only.

    Args:
        layout: of the servers.
        servers: of a block's replicas, as placed.
        attributes: those that must differ.
    """
    columns = {
        "environment": layout.environment,
        "rack": layout.rack,
        "peak_row": layout.row,
        "reimage_column": layout.column,
    }
    found = []
    for name in attributes:
        values = [int(columns[name][server]) for server in servers]
        rounds = [values[at : at + 3] for at in range(0, len(values), 3)] if "_" in name else [values]
        if any(len(set(each)) < len(each) for each in rounds):
            found.append(name)
    return found


@given(
    layouts(),
    st.lists(st.sampled_from(NAMES), unique=True),
    st.sampled_from(Draw),
    st.integers(1, 7),
    st.integers(0, 99),
)
def test_hard_constraints_are_never_violated(
    layout: Layout, attributes: list[str], draw: Draw, replicas: int, seed: int
) -> None:
    """Until the servers are full: replicas differ in all that is asked, rows and columns in each round of three."""
    chance = random.Random(seed)
    capacity = np.full(layout.servers, 2, np.int32)
    placer = Placer(layout, constrained(attributes, draw=draw), capacity, replicas, chance)
    for _ in range(12):
        placed = placer.place(chance.randrange(layout.servers))
        if placed is not None:
            assert len(set(placed)) == replicas
            assert broken(layout, placed, attributes) == []
    assert set(placer.relaxed.values()) == {0}


@pytest.mark.parametrize("replicas", [4, 5, 6])
@pytest.mark.parametrize("attribute", ["peak_row", "reimage_column"])
def test_more_than_three_replicas_go_round_again(attribute: str, replicas: int) -> None:
    """Each row, or column, has its second replica only when all have their first."""
    layout = nine(2)
    chance = random.Random(3)
    placer = Placer(layout, constrained([attribute]), np.full(layout.servers, 50, np.int32), replicas, chance)
    for _ in range(50):
        placed = placer.place()
        assert placed is not None
        assert broken(layout, placed, [attribute]) == []


@given(layouts(), st.sampled_from(["history", "rows+environment"]), st.integers(0, 99))
def test_soft_constraints_are_broken_only_with_a_count(layout: Layout, name: str, seed: int) -> None:
    """Each block in which replicas agree adds to the counts, and nothing else does."""
    chance = random.Random(seed)
    policy = preset(name).softened()
    placer = Placer(layout, policy, np.full(layout.servers, 2, np.int32), 3, chance)
    wanted = [each.value for each in policy.constraints.distinct]
    for _ in range(12):
        before = dict(placer.relaxed)
        placed = placer.place(chance.randrange(layout.servers))
        if placed is None:
            continue
        counted = [each for each in wanted if placer.relaxed[each] > before[each]]
        assert counted == broken(layout, placed, wanted)


@given(layouts(), st.integers(0, 99))
def test_soft_placement_is_refused_only_for_want_of_servers(layout: Layout, seed: int) -> None:
    """Three servers with space are enough."""
    placer = Placer(layout, preset("history-soft"), np.ones(layout.servers, np.int32), 3, random.Random(seed))
    placed = 0
    while placer.place() is not None:
        placed += 1
    assert placed == layout.servers // 3


def counts(
    layout: Layout, policy: Policy, taken: list[int], capacity: np.ndarray | None = None
) -> Counter[int]:
    """How often each server is chosen in 6,000 draws."""
    space = np.full(layout.servers, 9, np.int32) if capacity is None else capacity
    targets, rules = prepare_lists(layout, policy, space, 3)
    chance = random.Random(1)
    return Counter(choose_distinct(targets, rules, taken, len(taken), chance) for _ in range(6000))


def assert_chances(found: Counter[int], chances: dict[int, float]) -> None:
    """The counts are such as the chances give, but for one time in a million."""
    assert set(found) == set(chances)
    expected = [found.total() * chance for chance in chances.values()]
    assert chisquare([found[server] for server in chances], expected).pvalue > 1e-6


def test_the_second_replica_goes_to_any_of_the_four_classes_left() -> None:
    """The writer is in row 0 and column 0: rows 1 and 2 with columns 1 and 2 are left, each as likely."""
    found = counts(nine(), preset("history"), [0])
    assert_chances(found, dict.fromkeys((8, 9, 10, 11, 14, 15, 16, 17), 1 / 8))


def test_the_third_replica_goes_to_the_one_class_left() -> None:
    """Rows 0 and 1 and columns 0 and 1 are taken: both servers of the last class."""
    assert_chances(counts(nine(), preset("history"), [0, 8]), {16: 0.5, 17: 0.5})


def test_a_tenant_is_drawn_before_its_server() -> None:
    """In one class, a tenant of one server gets as much as one of three; by space, a quarter of it all."""
    tenant = np.array([0, 1, 1, 1], np.int32)
    zero = np.zeros(4, np.int32)
    layout = Layout(tenant, tenant, tenant, zero, zero)
    by_tenant = constrained(["peak_row", "reimage_column"], draw=Draw.TENANT)
    assert_chances(counts(layout, by_tenant, []), {0: 1 / 2, 1: 1 / 6, 2: 1 / 6, 3: 1 / 6})
    by_space = constrained(["peak_row", "reimage_column"], draw=Draw.SPACE)
    assert_chances(counts(layout, by_space, []), dict.fromkeys(range(4), 1 / 4))


@pytest.mark.parametrize("draw", [Draw.TENANT, Draw.SPACE])
def test_looking_at_all_candidates_gives_the_chances_of_drawing(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any draw, what is left after a rack that is taken has the same chances."""
    tenant = np.array([0, 1, 1, 1, 2, 2], np.int32)
    rack = np.array([0, 0, 1, 2, 3, 3], np.int32)
    zero = np.zeros(6, np.int32)
    layout = Layout(tenant, zero, rack, zero, zero)
    policy = constrained(["rack"], draw=draw)
    drawn = counts(layout, policy, [0])
    monkeypatch.setattr(distinct, "TRIES", 0)
    # weights 1/3, 1/3 of tenant 1, 1/2 and 1/2 of tenant 2; by space all alike
    chances = {2: 0.2, 3: 0.2, 4: 0.3, 5: 0.3} if draw is Draw.TENANT else dict.fromkeys((2, 3, 4, 5), 0.25)
    assert_chances(drawn, chances)
    assert_chances(counts(layout, policy, [0]), chances)


def test_without_a_tenant_drawn_any_server_with_space_is_as_likely() -> None:
    """Rows are filtered, not drawn: the row of one server gets as much as that server is of all."""
    row = np.array([0, 1, 2, 2, 2], np.int32)
    each, zero = np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
    layout = Layout(each, each, each, row, zero)
    found = counts(layout, constrained(["peak_row"]), [0], np.array([1, 1, 1, 0, 1], np.int32))
    assert_chances(found, dict.fromkeys((1, 2, 4), 1 / 3))


def test_full_classes_are_passed_over() -> None:
    """Only the class in the middle has space; where none has, the replica is refused."""
    space = np.zeros(18, np.int32)
    assert set(counts(nine(), preset("history"), [0], space)) == {-1}
    space[8] = 1
    assert set(counts(nine(), preset("history"), [0], space)) == {8}


def test_the_fourth_replica_starts_a_new_round() -> None:
    """After three, all rows and columns are free again, environments are not."""
    assert set(counts(nine(), preset("history"), [0, 8, 16])) == set(range(18)) - {0, 1, 8, 9, 16, 17}
