"""The picture is well-formed, says the same in words, and escapes what it is given."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from froude.render import Pattern, PatternArrow, PatternCall, PatternLane, PatternLoop, PatternPeriodic
from froude.render.pattern import ArrowKind, arrow_words
from froude.render.pattern_svg import lane_svgs

from .sample import large_pattern, pattern

SVG = "{http://www.w3.org/2000/svg}"


def drawn(pattern: Pattern) -> etree._Element:
    """The lanes of a picture, in one element."""
    return etree.fromstring(f"<lanes>{''.join(lane_svgs(pattern))}</lanes>".encode())


def texts(pattern: Pattern) -> list[str]:
    """All words of a picture."""
    return [element.text or "" for element in drawn(pattern).iter(f"{SVG}text")]


def test_shows_lanes_loops_and_counts() -> None:
    """Names, formulas with their values, and periods stand in the picture."""
    shown = texts(pattern())
    for words in (
        "client",
        "\u00d7 datanodes = 200",
        "\u00d7 files / clients",
        "= 400",
        "every 3 s",
        "caused by other nodes",
    ):
        assert words in shown


def test_both_ends_of_arrows_are_anchors() -> None:
    """A number at the source, words with the numbers at the target, and a sentence for each arrow on hover."""
    shown = texts(pattern())
    for words in ("1", "started by 1", "caused by 2, 4"):
        assert words in shown
    made = large_pattern()
    hints = {line for each in drawn(made).iter(f"{SVG}title") for line in (each.text or "").split("\n")}
    assert hints >= set(arrow_words(made).values())


def test_hostile_names_are_escaped() -> None:
    """A method or a node type cannot become markup."""
    bad = "</text><script>alert(1)</script>&\"'"
    lane = PatternLane(
        bad,
        bad,
        bad,
        (PatternLoop(bad, (PatternCall("a", bad, bad),), bad),),
        (PatternCall("b", bad),),
        (PatternPeriodic(PatternCall("c", bad), bad),),
    )
    made = Pattern(bad, (lane,), (PatternArrow("a", "b", ArrowKind.CAUSE, bad),))
    assert not list(drawn(made).iter(f"{SVG}script"))
    assert any(bad in (each.text or "") for each in drawn(made).iter(f"{SVG}title"))


@given(st.text())
def test_any_text_is_well_formed(text: str) -> None:
    """Control characters and lone surrogates, as paths may hold, do not break the file."""
    lane = PatternLane("n" + text, text, text, (PatternCall("a", text, text),))
    assert len(drawn(Pattern(text, (lane,)))) == 1


def test_empty() -> None:
    """A lane without steps is only its head."""
    assert lane_svgs(Pattern("p", ())) == []
    assert texts(Pattern("p", (PatternLane("idle"),))) == ["idle", ""]
