"""Reports as a reader meets them: in a browser, at the width of a desk and of a telephone, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from froude.base.locks import in_turn
from froude.emulation.run.bottleneck import Load, Measured
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally
from froude.experiment.figures.head import Part
from froude.experiment.figures.image import image_report
from froude.experiment.figures.main_job import main_job_report
from froude.experiment.figures.page import page
from froude.render import save
from froude.workload.extrapolate import extrapolate
from froude.workload.types import Workload
from testbed.recorded import recorded
from tests.support.experiment.figures.image import image_summary
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.knees import two_plays
from tests.support.experiment.main_jobs import done

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ElementHandle, Page

LAYOUT = (Path(__file__).parent / "layout.js").read_text()
TOO_WIDE = (
    "[...document.querySelectorAll('.scroll,nav ul')].filter(each => each.scrollWidth > each.clientWidth + 1)"
    ".map(each => each.ariaLabel || each.tagName)"
)
SECONDS = 90
METHODS = {"addBlock": 0.004, "blockReceivedAndDeleted": 0.0006, "create": 0.002, "getFileInfo": 0.0003}
UNITS = {
    "Processor": "%",
    "Where a call's time goes": "[mµn]?s",
    "Calls waiting in the queue": "calls",
    "Time in the garbage collector": "%",
    "Memory": "[kMG]?B",
    "Answered calls": "calls/s",
    "Latency over time, from when calls were due": "[mµ]?s",
    "Service time at every percentile": "[mµ]?s",
    "Latency against load": "[mµ]?s",
    "Calls by method and scale": "calls",
}
"""The unit in which the tooltip of a chart says its value, as an expression."""


def a_run(load: int = 20) -> Run:
    """A minute and a half with a ramp, a stall and errors, and what a NameNode says of itself meanwhile."""
    tally = Tally()
    for second in range(1, SECONDS + 1):
        for method, typical in METHODS.items():
            series, slow = tally.of(method), 400 if 40 <= second < 44 else 1
            calls = load * min(second, 20) // 20
            series.sent += calls
            series.answered += calls
            series.actual += [typical * slow * (0.5 + i / load) for i in range(calls)]
            series.intended += [typical * slow * (0.6 + i / load) for i in range(calls)]
        tally.close_interval(float(second))
    tally.of("create").errors["org.apache.hadoop.hdfs.protocol.QuotaExceededException"] += 7
    metrics = [Measured(float(t), _inside(t)) for t in range(SECONDS)]
    loads = [Load(float(t), 0.3, 90 << 20, min(60, 3 * t), 2) for t in range(SECONDS)]
    nodes = {"datanode": 50, "client": 10}
    scale = {"datanodes": "50", "clients": "10", "files": "400"}
    return Run(
        tally, "127.0.0.1:8020", "CID-1", 1.79e9, float(SECONDS), scale, nodes, load=loads, metrics=metrics
    )


def _inside(t: int) -> dict[str, float]:
    return {
        "process.cpu_seconds": 2.0 + 0.4 * t,
        "process.rss_bytes": 3e8 + 1e6 * t,
        "RpcActivity.CallQueueLength": float(t % 7),
        "RpcActivity.RpcQueueTimeNumOps": 900.0 * t,
        "RpcActivity.RpcQueueTimeAvgTime": 0.2 + t % 3,
        "RpcActivity.RpcProcessingTimeNumOps": 900.0 * t,
        "RpcActivity.RpcProcessingTimeAvgTime": 0.5 + t % 2,
        "RpcActivity.ReceivedBytes": 4e5 * t,
        "FSNamesystem.FSNWriteLockOverallNanosNumOps": 300.0 * t,
        "FSNamesystem.FSNWriteLockOverallNanosAvgTime": 9e4 + t,
        "FSNamesystem.FSNWriteLockGetAdditionalBlockNanosNumOps": 100.0 * t,
        "FSNamesystem.FSNWriteLockGetAdditionalBlockNanosAvgTime": 2e5,
        "NameNodeActivity.SyncsNumOps": 40.0 * t,
        "NameNodeActivity.SyncsAvgTime": 0.3 + t % 2,
        "NameNodeActivity.TransactionsNumOps": 200.0 * t,
        "JvmMetrics.GcTimeMillis": 12.0 * (t // 9),
        "JvmMetrics.GcCount": float(t // 9),
        "JvmMetrics.MemHeapUsedM": 50.0 + (11 * t) % 200,
        "JvmMetrics.ThreadsRunnable": 6.0 + t % 3,
        "FSNamesystemState.FilesTotal": 20.0 * t,
        "FSNamesystemState.NumLiveDataNodes": float(min(50, 3 * t)),
    }


def parts(what: str, workload: Workload) -> tuple[Part, ...]:
    """What is shown: recordings of a real cluster, what was mined of them, and a run."""
    traces = tuple(recorded(name) for name in ("k2c", "k3", "k4"))
    if what == "traces":
        return traces
    if what == "run":
        return (a_run(),)
    if what == "workload":
        return (workload,)
    plan = extrapolate(workload, {**traces[-1].meta.scale})
    return (plan, PREDICTION, a_run(), a_run(60), two_plays())


WHAT = ("traces", "workload", "run", "everything", "demo", "static", "image")


@pytest.fixture(scope="session")
def pages(shared: Path, mined: Workload) -> Path:
    """A folder with every page, made once in a run."""
    folder = shared / "pages"
    with in_turn(shared / "pages.lock"):
        if not folder.exists():
            scratch = shared / "pages-unfinished"
            scratch.mkdir()
            _save_pages(scratch, mined)
            scratch.rename(folder)
    return folder


def _save_pages(folder: Path, workload: Workload) -> None:
    save(main_job_report(done(folder, run=a_run())), folder / "demo.html")
    page((a_run(),)).save(folder / "static.html", interactive=False)
    save(image_report(image_summary(), {}), folder / "image.html")
    for what in WHAT[:-3]:
        shown = parts(what, workload)
        names = [f"{type(part).__name__.lower()}-{number}" for number, part in enumerate(shown, 1)]
        page(shown, names=names).save(folder / f"{what}.html")


def opened(browser: Browser, path: Path, width: int, scheme: Literal["light", "dark"] = "light") -> Page:
    """A page, drawn."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    shown = context.new_page()
    errors: list[str] = []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    shown.goto(path.as_uri())
    shown.wait_for_function(
        "[...document.querySelectorAll('.slot')].every(slot => slot.querySelector('svg'))"
    )
    assert errors == []
    return shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("what", WHAT)
def test_all_text_can_be_read(
    browser: Browser, pages: Path, what: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    """Nothing is beyond the window, cut off, or under other text; wide tables scroll by themselves."""
    shown = opened(browser, pages / f"{what}.html", width, scheme)
    assert shown.evaluate(LAYOUT) == []
    if width == 1280:
        assert shown.evaluate(TOO_WIDE) == [], "tables that have to be scrolled at a desk"
    shown.context.close()


def test_the_first_screen_is_the_answer(browser: Browser, pages: Path) -> None:
    """Verdict, limit, Scale and latency, without scrolling."""
    shown = opened(browser, pages / "run.html", 1280)
    for selector, words in {
        "h1": "Play of datanodes=50, clients=10, files=400 against a server: p99",
        ".subtitle": "run-1 · datanodes=50, clients=10, files=400",
        ".lede": "limit",
        ".figures >> text=p99 latency": "p99 latency",
        ".figures >> text=limited by": "limited by",
    }.items():
        element = shown.locator(selector).first
        box = element.bounding_box()
        assert words in element.inner_text()
        assert box is not None
        assert box["y"] + box["height"] <= 800
    shown.context.close()


def test_tooltips_say_values_with_their_units(browser: Browser, pages: Path) -> None:
    """Every line, area, cloud of points and bar answers the pointer with words and numbers."""
    seen: dict[str, str] = {}
    for what in ("run", "traces"):
        shown = opened(browser, pages / f"{what}.html", 1280)
        for figure in shown.query_selector_all("figure.chart"):
            title = figure.query_selector("h3")
            assert title is not None
            for slot in figure.query_selector_all(".slot"):
                rows = list(tooltip(shown, slot))
                assert len(rows) >= 2, f"{title.inner_text()}: no tooltip"
                for name, value in rows:
                    assert name
                    assert value
                    assert not re.search("undefined|null|NaN|Infinity|object", f"{name} {value}")
                seen[title.inner_text()] = rows[-1][1]
        shown.context.close()
    for title, unit in UNITS.items():
        assert re.search(rf"(^0|\d\s?{unit})$", seen[title]), f"{title}: {seen[title]}"


def tooltip(shown: Page, slot: ElementHandle) -> Iterator[tuple[str, str]]:
    """What stands there when the pointer is over the middle of a chart, or over its first bar."""
    slot.scroll_into_view_if_needed()
    bar = slot.query_selector(".mark-rect path")
    box = (bar or slot).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    shown.mouse.move(x - 3, y)
    shown.mouse.move(x, y)
    cells = shown.query_selector_all("#vg-tooltip-element.visible tr")
    for row in cells:
        name, value = row.query_selector_all("td")
        yield name.inner_text(), value.inner_text()
