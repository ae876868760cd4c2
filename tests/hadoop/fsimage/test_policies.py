"""Storage types by storage policy."""

from __future__ import annotations

import pytest

from froude.hadoop.fsimage.policies import storage_choices

MIXED = ("DISK", "SSD", "ARCHIVE", "DISK")


@pytest.mark.parametrize(
    ("policy", "chosen"),
    [
        (7, [[0, 3], [0, 3], [0, 3]]),
        (0, [[0, 3], [0, 3], [0, 3]]),
        (99, [[0, 3], [0, 3], [0, 3]]),
        (12, [[1], [1], [1]]),
        (10, [[1], [0, 3], [0, 3]]),
        (5, [[0, 3], [2], [2]]),
        (2, [[2], [2], [2]]),
        (15, [[0, 3], [0, 3], [0, 3]]),
    ],
)
def test_a_node_with_several_types(policy: int, chosen: list[list[int]]) -> None:
    """Hot, none, unknown, all SSD, one SSD, warm, cold, and one whose type is not there."""
    assert [storage_choices(policy, replica, MIXED).tolist() for replica in range(3)] == chosen


def test_nothing_but_another_type() -> None:
    """Replicas lie there all the same."""
    assert storage_choices(12, 0, ("ARCHIVE",)).tolist() == [0]
