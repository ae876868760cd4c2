"""Policies as numbers."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import Kind, Policy, constrained, preset
from froude.harvest.place.rules import COLUMN, ENVIRONMENT, ROW
from testbed.placer import prepare_lists

EACH = np.arange(9, dtype=np.int32)
NINE = Layout(EACH, EACH, EACH // 3, EACH // 3, EACH % 3)
"""Nine tenants of a server each, one in each class; a rack a row."""
SPACE = np.full(9, 4, np.int32)


def test_classes_are_what_constrained_rows_and_columns_make() -> None:
    """Nine with both, three with one, one with none."""
    for distinct, cells in ((["peak_row", "reimage_column"], 9), (["peak_row"], 3), (["environment"], 1)):
        targets, _ = prepare_lists(NINE, constrained(distinct), SPACE, 3)
        assert len(targets.cell_open) == cells


def test_soft_constraints_give_way_one_after_the_other() -> None:
    """The last named goes first; a hard one stays."""
    _, rules = prepare_lists(NINE, preset("history-soft"), SPACE, 3)
    assert rules.masks == [ENVIRONMENT | ROW | COLUMN, ENVIRONMENT | ROW, ENVIRONMENT, 0]
    _, rules = prepare_lists(NINE, constrained(["environment", "peak_row"], ["environment"]), SPACE, 3)
    assert rules.masks == [ENVIRONMENT | ROW, ROW]


def test_copysets_come_of_enough_permutations() -> None:
    """A scatter width of four at three replicas needs two; each holds every server once."""
    _, rules = prepare_lists(NINE, Policy("c", Kind.COPYSET, scatter=4), SPACE, 3, seed=5)
    assert len(rules.permuted) == 18
    assert sorted(rules.permuted[:9]) == sorted(rules.permuted[9:]) == list(range(9))  # type: ignore[index]
    assert all(rules.places[rules.permuted[place]] == place for place in range(9))


def test_servers_of_a_rack_form_a_group_for_stock() -> None:
    """A rack may hold two of three replicas, as HDFS reckons."""
    targets, rules = prepare_lists(NINE, preset("stock"), SPACE, 3)
    assert targets.group_open == [3, 3, 3]
    assert rules.per_rack == 2


def test_what_does_not_go_together_is_refused() -> None:
    """A capacity for each server."""
    with pytest.raises(ValueError, match="a capacity for each server"):
        prepare_lists(NINE, preset("random"), SPACE[:3], 3)
