"""The picture is well-formed, says the same in words, and escapes what it is given."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from froude.render import Pattern, PatternArrow, PatternCall, PatternLane, PatternLoop, PatternPeriodic
from froude.render.pattern import ArrowKind
from froude.render.pattern_svg import pattern_svg
from froude.render.theme import LIGHT, Palette

from .sample import large_pattern, pattern

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """All words of a picture."""
    return [element.text or "" for element in etree.fromstring(svg.encode()).iter(f"{SVG}text")]


def test_shows_lanes_loops_and_counts() -> None:
    """Names, formulas with their values, and periods stand in the picture."""
    shown = texts(pattern_svg(pattern()))
    for words in (
        "client",
        "\u00d7 datanodes = 200",
        "\u00d7 files / clients",
        "= 400",
        "every 3 s",
        "caused by other nodes",
    ):
        assert words in shown


def test_every_arrow_is_drawn_and_named() -> None:
    """As many arrows as the pattern has, each with its meaning on hover."""
    root = etree.fromstring(pattern_svg(large_pattern()).encode())
    routes = [group for group in root.iter(f"{SVG}g") if group.get("class") == "route"]
    assert len(routes) == len(large_pattern().arrows)
    meanings = {group.findtext(f"{SVG}title") for group in routes}
    assert "job client submitApplication starts ApplicationMaster" in meanings


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
    svg = pattern_svg(Pattern(bad, (lane,), (PatternArrow("a", "b", ArrowKind.FLOW, bad),)))
    assert not list(etree.fromstring(svg.encode()).iter(f"{SVG}script"))
    assert bad in (etree.fromstring(svg.encode()).findtext(f"{SVG}title") or "")


@given(st.text())
def test_any_text_is_well_formed(text: str) -> None:
    """Control characters and lone surrogates, as paths may hold, do not break the file."""
    lane = PatternLane("n" + text, text, text, (PatternCall("a", text, text),))
    assert etree.fromstring(pattern_svg(Pattern(text, (lane,))).encode()) is not None


def test_empty() -> None:
    """No lanes: a line says so. A lane without steps is only its head."""
    assert texts(pattern_svg(Pattern("p", ()))) == ["No node types were found."]
    assert "idle" in texts(pattern_svg(Pattern("p", (PatternLane("idle"),))))


def test_literal_colours_for_files() -> None:
    """A picture of its own has no variable of a page in it."""
    assert "var(" not in pattern_svg(pattern(), palette=Palette(LIGHT))
    assert LIGHT["ink"] not in pattern_svg(pattern())
