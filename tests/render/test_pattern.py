"""A pattern's values, and the picture in words."""

import pytest

from froude.render import (
    ArrowKind,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
    describe,
)


def test_words() -> None:
    """Everything that the picture shows is said in words too."""
    lane = PatternLane(
        "client",
        "clients",
        "at once",
        (PatternCall("a", "mkdirs", count=2), PatternLoop("files", (PatternCall("b", "create"),), "40")),
        periodic=(PatternPeriodic(PatternCall("c", "renewLease"), "30 s"),),
    )
    node = PatternLane("datanode", effects=(PatternCall("d", "blockReceivedAndDeleted"),))
    arrows = (
        PatternArrow("b", "d", ArrowKind.CAUSE, "block"),
        PatternArrow("datanode", "client", ArrowKind.START),
        PatternArrow("a", "b", ArrowKind.CAUSE),
    )
    assert describe(Pattern("p", (lane, node), arrows)).splitlines() == [
        "client (\u00d7 clients): mkdirs \u00d7 2, repeat files = 40 times [create].",
        "client starts at once.",
        "client calls renewLease every 30 s.",
        "datanode: no steps.",
        "datanode calls blockReceivedAndDeleted because of other nodes' calls.",
        "client create causes datanode blockReceivedAndDeleted (block).",
        "datanode starts client.",
        "client mkdirs causes client create.",
    ]


def test_ids_are_unique_and_known() -> None:
    """An id that stands twice, or an arrow to nowhere, is a mistake of the caller."""
    lane = PatternLane("a", steps=(PatternCall("x", "m"),))
    with pytest.raises(ValueError, match="'x' stands twice"):
        Pattern("p", (lane, PatternLane("b", steps=(PatternCall("x", "m"),))))
    with pytest.raises(ValueError, match="'y', which is no call"):
        Pattern("p", (lane,), (PatternArrow("x", "y", ArrowKind.CAUSE),))
    with pytest.raises(ValueError, match="at least 6"):
        Pattern("p", (lane,), fold_at=2)
