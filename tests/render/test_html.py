"""The page: whole, offline, safe, and its owner's alone."""

import base64
import hashlib
import json
import re
import stat
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree, html

from froude.base.errors import MissingError
from froude.render import (
    Axis,
    Callout,
    Chart,
    Column,
    KeyFigure,
    Mark,
    Pattern,
    PatternCall,
    PatternLane,
    Report,
    Section,
    Series,
    Table,
    Text,
    ValueKind,
    literal,
    report_html,
    save,
)
from froude.render.html import panel_svg
from froude.render.prepare import prepare

from .sample import report

BAD = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--\u2028`*"


@pytest.fixture(scope="module", params=[True, False], ids=["interactive", "static"])
def page(request: pytest.FixtureRequest) -> str:
    """The sample's page, both ways."""
    return report_html(report(), interactive=request.param)


def tree(page: str) -> html.HtmlElement:
    """The page, parsed."""
    return html.document_fromstring(page)


def test_offline(page: str) -> None:
    """Nothing is fetched: no source, link, import or url() names anything outside the file."""
    root = tree(page)
    for element in root.iter("link", "iframe", "object", "embed", "base", "form", "img", "audio", "video"):
        raise AssertionError(f"the page has a <{element.tag}>")
    for element in root.iter():
        for name in ("src", "href", "srcset", "action", "{http://www.w3.org/1999/xlink}href"):
            assert not element.get(name) or element.get(name, "").startswith("#")
    assert "@import" not in page
    assert re.findall(r"url\((?!#)", "".join(style.text or "" for style in root.iter("style"))) == []
    hosts = set(re.findall(r"https?://([^/\"'\s`)]+)", page))
    assert hosts <= {"www.w3.org", "vega.github.io", "github.com"}, "names of formats, and Vega's own words"


def test_policy_allows_our_scripts_only(page: str) -> None:
    """The page's own policy names the hash of each script in it and allows no connection."""
    root = tree(page)
    policy = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert bool(scripts) == ("unsafe-eval" in policy)


def test_structure(page: str) -> None:
    """One h1, headings that skip no level, tables with scopes and captions, pictures with words."""
    root = tree(page)
    levels = [int(element.tag[1]) for element in root.iter("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(th.get("scope") for th in root.iter("th"))
    assert all(table.find("caption") is not None for table in root.iter("table"))
    ids = root.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert root.get("lang") == "en"
    assert root.xpath("//div[@class='lanes'][@role='group']/@aria-label")


def test_answer_comes_first(page: str) -> None:
    """Title, verdict and key figures stand in the head, before any section."""
    head = tree(page).find(".//header").text_content()
    for words in ("Can this NameNode", "Yes, with room to spare:", "98.7", "missed", "6.12"):
        assert words in head


def hostile() -> Report:
    """A report that is hostile in every string it has."""
    chart = Chart(
        BAD,
        Axis(BAD, ValueKind.DURATION),
        Axis(BAD, unit=BAD),
        (Series(BAD, [0.0, 1.0], [1.0, 2.0], panel=BAD), Series("b", [0.0, 1.0], [1.0, 2.0], panel=BAD)),
        marks=(Mark(0.5, BAD), Mark(1.5, BAD, on="y")),
        caption=BAD,
    )
    blocks = (
        Text(BAD),
        Text(literal(BAD)),
        Callout(BAD, BAD),
        Table((Column(BAD, ValueKind.CODE, BAD),), [(BAD,)], BAD, BAD, BAD),
        Table((Column(BAD),), [], BAD, BAD, BAD),
        chart,
    )
    figures = (KeyFigure(BAD, BAD, unit=BAD, note=BAD),)
    return Report(BAD, BAD, BAD, figures=figures, sections=(Section(BAD, blocks, BAD),), facts={BAD: BAD})


@pytest.mark.parametrize("interactive", [True, False])
def test_hostile_strings_are_shown_not_run(interactive: bool) -> None:
    """Whatever stands in a path or an exception's text, no element and no script comes of it."""
    page = report_html(hostile(), interactive=interactive)
    root = tree(page)
    assert len(list(root.iter("script"))) == (3 if interactive else 0)
    assert not list(root.iter("img"))
    assert not [e for e in root.iter() if any(name.startswith("on") for name in e.attrib)]
    assert "alert(1)" in root.find(".//h1").text_content()


def test_empty_report() -> None:
    """Nothing to show is a page that says so, and carries no scripts for charts it does not have."""
    page = report_html(Report("Nothing"))
    assert "This report has no sections" in page
    assert len(page) < 30_000
    empty = Chart("t", Axis("x", unit="s"), Axis("y", unit="s"), ())
    sections = (Section("s", (Table((Column("a"),), []), empty)),)
    assert "There is no point to draw." in report_html(Report("Empty", sections=sections))


@pytest.mark.parametrize("interactive", [True, False])
def test_names_that_are_no_unicode(tmp_path: Path, interactive: bool) -> None:
    """A path that is not UTF-8, or holds control characters, is shown as well as can be."""
    bad = "/in/\udcff\x00\x1b[31m"
    chart = Chart(
        bad, Axis(bad, ValueKind.DURATION), Axis(bad, unit=bad), (Series(bad, [0.0, 1.0], [1.0, 2.0]),)
    )
    pattern = Pattern(bad, (PatternLane(bad, bad, steps=(PatternCall("a", bad, bad),)),))
    table = Table((Column(bad, ValueKind.CODE),), [(bad,)], bad)
    page, data = save(
        Report(bad, sections=(Section(bad, (chart, pattern, table)),)),
        tmp_path / "r.html",
        interactive=interactive,
    )
    assert "/in/" in page.read_text()
    assert json.loads(data.read_text())["froude"] == "report/2"


def test_save(tmp_path: Path) -> None:
    """The page and its JSON, readable by their owner only."""
    page, data = save(Report("t"), tmp_path / "r" / "report.html")
    assert data.name == "report.json"
    for path in (page, data):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(MissingError):
        save(Report("t"), page / "under-a-file.html")


def test_a_warning_is_no_limit() -> None:
    """The word beside it says how to take it: a limit is something that is kept or not."""
    text = report_html(Report("t", sections=(Section("s", (Callout("Mining noticed", "one value"),)),)))
    assert '<span class="chip warning">Caution</span> Mining noticed' in text


CHART = Chart(
    "t",
    Axis("time", ValueKind.DURATION),
    Axis("heap", ValueKind.BYTES),
    (Series("a", [0.0, 9.0], [1e6, 4e6]),),
)


def test_a_panel_is_well_formed() -> None:
    """With the page's colours, and ids that no other drawing of the page has."""
    shown = prepare(CHART)
    svg = panel_svg(CHART, shown, shown.panels[0], width=300, height=150, prefix="v1")
    root = etree.fromstring(svg.encode())
    assert root.tag.endswith("svg")
    assert "var(--c1)" in svg
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert all(each.startswith("v1") for each in ids)


def test_a_lede_may_be_a_list() -> None:
    """The answer is a paragraph, and what follows an item each."""
    shown = tree(report_html(Report("t", lede="**Yes.**\n\n- one\n- `two`")))
    lede = shown.find(".//header//div[@class='lede neutral']")
    assert lede is not None
    assert [element.text_content() for element in lede.iter("p", "li")] == ["Yes.", "one", "two"]


def test_a_key_figure_that_missed_its_aim_does_not_look_like_it() -> None:
    """It has as many digits as show the difference."""
    figures = (KeyFigure("arguments predicted", 0.98996, ValueKind.SHARE, aim=0.99),)
    page = tree(report_html(Report("t", "t", "t", figures=figures, sections=(), facts={})))
    assert "98.996" in page.text_content()
