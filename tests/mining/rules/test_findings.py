"""What is said of a workload beside its pattern."""

from __future__ import annotations

from collections import Counter

import pytest

from froude.mining.history.placement import Placement
from froude.mining.history.timeline import Timeline
from froude.mining.read.events import Recording
from froude.mining.rules.findings import found, lost
from froude.workload.scale import Scale
from tests.support.mining.events import event


def said(*scales: Scale, **more: object) -> list[tuple[str, bool]]:
    """Of recordings at these Scales."""
    recordings = [Recording((), scale, **more) for scale in scales]  # type: ignore[arg-type]
    return [(finding.what, finding.fatal) for finding in found(recordings, [])]


@pytest.mark.parametrize(
    ("scales", "what", "fatal"),
    [
        ([Scale.of(n=2), Scale.of(n=2)], "n was 2 in every run", True),
        ([Scale.of(n=2), Scale.of(n=3)], "n took only two values", False),
        ([Scale.of(n=2), Scale.of()], "n is in the Scale of 1 of 2 recordings", True),
    ],
)
def test_variables_that_say_too_little(scales: list[Scale], what: str, fatal: bool) -> None:
    """One value, two, or none in some runs."""
    ((text, is_fatal),) = said(*scales)
    assert text.startswith(what)
    assert is_fatal is fatal


def test_three_sizes_are_enough() -> None:
    """And calls that no schema knows are counted."""
    sizes = [Scale.of(n=n) for n in (2, 3, 4)]
    assert said(*sizes) == []
    assert said(*sizes, unknown=Counter({"spell": 2})) == [
        ("6 calls left out, whose methods the schema does not know: spell", False)
    ]
    stopped = event(0, "stopContainers", caller_context="mr_appmaster_1795768550992_0001_000001")
    ((what, fatal),) = (
        (each.what, each.fatal) for each in found([Recording([stopped], size) for size in sizes], [])
    )
    assert (what, fatal) == ("3 calls left out, on which time alone decides: stopContainers", False)


def test_effects_whose_causes_follow_no_pattern() -> None:
    """Are counted by type."""
    placement = Placement({}, {}, {}, Timeline([]), Counter({"datanode": 3}), [])
    assert [finding.what for finding in lost(placement)] == [
        "node type 'datanode': the causes of 3 effects follow no pattern"
    ]
