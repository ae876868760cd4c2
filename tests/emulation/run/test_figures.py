"""A Run out of its figures: what they say, and what no figure can be."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.reading import parse_figures
from froude.emulation.run.bottleneck import Load, Measured
from froude.emulation.run.figures import PLAIN, read_figures
from froude.emulation.run.files import _figures
from froude.emulation.run.run import Difference, Run
from froude.emulation.run.tally import IntervalRow
from froude.emulation.run.verdict import LimitResult
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from froude.trace.failures import Failure

NOTHING: dict[str, Any] = {"max_us": 0, "counts": []}
FIGURES: dict[str, Any] = {
    "target": "nn:8020",
    "target_id": "CID-1",
    "begun_at_s": 1.7e9,
    "elapsed_s": 2,
    "scale": {"files": "3"},
    "nodes": {"client": 1},
    "record": "summary",
    "failure": None,
    "interrupted": False,
    "seed": -3,
    "nonce": "00c0ffee00c0ffee",
    "speed": 0.5,
    "pacing": "scheduled",
    "mode": "once",
    "cores": 4,
    "steady_from_s": 1.5,
    "steady": {
        "series": {
            "create": {
                "daemon": "namenode",
                "sent": 4,
                "resent": 1,
                "answered": 3,
                "errors": {"java.io.IOException": 2},
                "intended": {"max_us": 2500, "counts": [[1000, 2], [2048, 1]]},
                "actual": {"max_us": 900, "counts": [[900, 3]]},
                "held_up": [[5000, 1000, 2]],
            }
        },
        "lateness": {"max_us": 4, "counts": [[0, 3], [4, 1]]},
        "lag": NOTHING,
        "allocation": NOTHING,
    },
    "ramp": {"series": {}, "lateness": NOTHING, "lag": NOTHING, "allocation": NOTHING},
    "failures": [["create", "java.io.IOException", "no PATH", 2, 0.5, 1.5, "no /a", "/a"]],
    "limits": [["p99 < 1 s", 0.0025, "s", True]],
    "environment": {"cores": "2"},
    "notes": {"command ignored": 2},
    "rows": [[1.0, "create", 4, 3, 2, 1.0, 2.0, 2.5, -0.1]],
    "load": [[1.0, 0.25, 1000, 1, 0, 0.5, 0.2]],
    "metrics": [[-0.5, {"cpu": 1}]],
    "gc": {
        "pauses": [[0.5, "Remark", 0.002, True, 1e-6], [0.7, "ICBufferFull", 0.001, False, None]],
        "heap": [[0.5, 12, 5]],
        "collector": "G1",
        "lines": 9,
        "unread": 1,
    },
    "remarks": ["slow"],
    "differences": [["create", 4, -1]],
}


def read(figures: dict[str, Any]) -> Run:
    """The run of such figures."""
    return read_figures(parse_figures(json.dumps(figures).encode(), "run.json"))


def changed(path: str, value: object) -> dict[str, Any]:
    """The figures with another value at a path."""
    figures = copy.deepcopy(FIGURES)
    *above, last = path.split("/")
    at = figures
    for name in above:
        at = at[name]
    at[last] = value
    return figures


def test_every_figure_finds_its_place() -> None:
    """Nothing is turned into anything else on the way."""
    run = read(FIGURES)
    assert {name: getattr(run, name) for name in PLAIN} == {name: FIGURES[name] for name in PLAIN}
    assert run.counts == {"create": (4, 3)}
    create = run.tally.series["create"]
    assert (create.key, create.resent, create.errors) == ("create", 1, Counter({"java.io.IOException": 2}))
    assert run.daemons == ("namenode",)
    assert (create.from_intended.counts, create.from_intended.total) == (Counter({1000: 2, 2048: 1}), 3)
    assert (create.from_intended.max_us, create.from_actual.max_us) == (2500, 900)
    assert create.held_up == Counter({(5000, 1000): 2})
    assert (run.tally.lateness.total, run.tally.lag.total) == (4, 0)
    assert run.tally.notes == Counter({"command ignored": 2})
    assert run.tally.rows == [IntervalRow(1.0, "create", 4, 3, 2, 1.0, 2.0, 2.5, -0.1)]
    assert (run.load, run.remarks) == ([Load(1.0, 0.25, 1000, 1, 0, 0.5, 0.2)], ["slow"])
    assert run.metrics == [Measured(-0.5, {"cpu": 1})]
    assert run.differences == [Difference("create", 4, -1)]
    pauses = [Pause(0.5, "Remark", 0.002, True, 1e-6), Pause(0.7, "ICBufferFull", 0.001, False, None)]
    assert run.gc == GcLog(pauses, [HeapChange(0.5, 12, 5)], "G1", 9, 1)
    assert (run.steady_from_s, run.steady_s) == (1.5, 0.5)
    assert run.failures == (Failure("create", "java.io.IOException", "no PATH", 2, 0.5, 1.5, "no /a", "/a"),)
    assert run.limits == [LimitResult("p99 < 1 s", 0.0025, "s", True)]


def test_a_run_that_nobody_compared_has_no_differences() -> None:
    """Which is not the same as none."""
    assert read(changed("differences", None)).differences is None
    assert read(changed("differences", [])).differences == []


COUNTS = st.integers(0, 2**53)
NUMBERS = st.floats(-1e9, 1e9)
SECONDS = st.floats(0, 1e12)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
HISTOGRAMS = st.dictionaries(COUNTS, st.integers(0, 2**40), max_size=3).map(
    lambda counts: {
        "max_us": max(counts, default=0),
        "counts": [list(each) for each in sorted(counts.items())],
    }
)
SERIES = st.fixed_dictionaries(
    {
        "daemon": TEXTS,
        "sent": COUNTS,
        "resent": COUNTS,
        "answered": COUNTS,
        "errors": st.dictionaries(TEXTS, COUNTS, max_size=2),
        "intended": HISTOGRAMS,
        "actual": HISTOGRAMS,
        "held_up": st.dictionaries(st.tuples(COUNTS, st.integers(1, 99)), COUNTS, max_size=2).map(
            lambda held: [[*key, times] for key, times in sorted(held.items())]
        ),
    }
)


PHASES = st.fixed_dictionaries(
    {
        "series": st.dictionaries(TEXTS, SERIES, max_size=2),
        "lateness": HISTOGRAMS,
        "lag": HISTOGRAMS,
        "allocation": HISTOGRAMS,
    }
)
FAILURES = st.tuples(TEXTS, TEXTS, TEXTS, COUNTS, NUMBERS, NUMBERS, TEXTS, st.none() | TEXTS)


@given(
    st.fixed_dictionaries(
        {
            "begun_at_s": SECONDS,
            "elapsed_s": SECONDS,
            "speed": SECONDS,
            "scale": st.dictionaries(TEXTS, TEXTS, max_size=2),
            "nodes": st.dictionaries(TEXTS, COUNTS, max_size=2),
            "failure": st.none() | TEXTS,
            "interrupted": st.booleans(),
            "seed": st.integers(),
            "nonce": TEXTS,
            "steady_from_s": st.none() | SECONDS,
            "steady": PHASES,
            "ramp": PHASES,
            "environment": st.dictionaries(TEXTS, TEXTS, max_size=2),
            "limits": st.lists(
                st.tuples(TEXTS, st.none() | NUMBERS, TEXTS, st.booleans()).map(list), max_size=2
            ),
            "failures": st.lists(FAILURES.map(list), max_size=1),
            "notes": st.dictionaries(TEXTS, COUNTS, max_size=2),
            "rows": st.lists(st.tuples(NUMBERS, TEXTS, *[COUNTS] * 3, *[NUMBERS] * 4).map(list), max_size=2),
            "load": st.lists(
                st.tuples(NUMBERS, NUMBERS, *[COUNTS] * 3, *[st.none() | NUMBERS] * 2).map(list), max_size=2
            ),
            "metrics": st.lists(
                st.tuples(NUMBERS, st.dictionaries(TEXTS, NUMBERS, max_size=2)).map(list), max_size=2
            ),
            "gc": st.none()
            | st.fixed_dictionaries(
                {
                    "pauses": st.lists(
                        st.tuples(NUMBERS, TEXTS, SECONDS, st.booleans(), st.none() | NUMBERS).map(list),
                        max_size=2,
                    ),
                    "heap": st.lists(st.tuples(NUMBERS, COUNTS, COUNTS).map(list), max_size=2),
                    "collector": TEXTS,
                    "lines": COUNTS,
                    "unread": COUNTS,
                }
            ),
            "remarks": st.lists(TEXTS, max_size=2),
            "differences": st.none()
            | st.lists(st.tuples(TEXTS, COUNTS, st.integers(-9, 9)).map(list), max_size=2),
        }
    )
)
def test_what_is_read_is_what_would_be_written(figures: dict[str, Any]) -> None:
    """Whatever the figures are."""
    whole = FIGURES | figures
    assert json.loads(json.dumps(_figures(read(whole)))) == whole


@pytest.mark.parametrize(
    "name",
    [
        *(n for n in PLAIN if n not in ("scale", "nodes", "failure", "nonce")),
        "steady",
        "ramp",
        "steady_from_s",
        "differences",
        "gc",
    ],
)
def test_a_figure_that_is_missing_is_named(name: str) -> None:
    """Every one that has no usual value."""
    figures = {each: value for each, value in FIGURES.items() if each != name}
    with pytest.raises(InputError, match=rf"run\.json: {name} is missing"):
        read(figures)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("target", 3, "target"),
        ("elapsed_s", -1, "elapsed_s"),
        ("begun_at_s", "now", "begun_at_s"),
        ("speed", True, "speed"),
        ("seed", 0.5, "seed"),
        ("nonce", 7, "nonce"),
        ("cores", -1, "cores"),
        ("cores", 2**53 + 1, "cores"),
        ("cores", 1.0, "cores"),
        ("cores", True, "cores"),
        ("record", "all", "record"),
        ("pacing", "open", "pacing"),
        ("pacing", ["closed"], "pacing"),
        ("mode", "twice", "mode"),
        ("scale", {"files": 3}, "scale.files"),
        ("nodes", {"client": "1"}, "nodes.client"),
        ("notes", {"x": -1}, "notes.x"),
        ("steady/series", 3, "steady.series"),
        ("steady/more", 3, "steady.more"),
        ("steady_from_s", -1, "steady_from_s"),
        ("failures", [["create"]], "failures[0][1]"),
        ("failures", [["create", "E", "m", -1, 0, 0, "m", None]], "failures[0][3]"),
        ("limits", [["p99 < 1 s", "much", "s", True]], "limits[0][1]"),
        ("limits", [["p99 < 1 s", None, "s", 1]], "limits[0][3]"),
        ("steady/series/create/daemon", 4, "steady.series.create.daemon"),
        ("steady/series/create/sent", -4, "steady.series.create.sent"),
        ("steady/series/create/errors", {"x": None}, "steady.series.create.errors.x"),
        ("steady/series/create/more", 1, "steady.series.create.more"),
        ("steady/series/create/intended/counts", [[1]], "steady.series.create.intended.counts[0][1]"),
        ("steady/series/create/intended/counts", [[-1, 2]], "steady.series.create.intended.counts[0][0]"),
        ("steady/series/create/intended/more", 1, "steady.series.create.intended.more"),
        ("steady/series/create/held_up", [[5000, 0, 2]], "steady.series.create.held_up[0][1]"),
        ("steady/series/create/held_up", [[5000, 2]], "steady.series.create.held_up[0][2]"),
        ("steady/lateness", 3, "steady.lateness"),
        ("rows", [[1.0, "create"]], "rows[0][2]"),
        ("rows", [[1.0, "create", 4, 3, -2, 1, 2, 2.5, 0]], "rows[0][4]"),
        ("rows", [{}], "rows[0]"),
        ("load", [[1.0, None, 1000, 1, 0, None, None]], "load[0][1]"),
        ("metrics", [[1.0, [1]]], "metrics[0][1]"),
        ("metrics", [[1.0, {"cpu": "much"}]], "metrics[0][1].cpu"),
        ("remarks", [3], "remarks[0]"),
        ("differences", [["create", -4, 1]], "differences[0][1]"),
        ("differences", [["create", 4, 2.5]], "differences[0][2]"),
        ("differences", 3, "differences"),
        ("gc/pauses", [[0.5, "Remark", -1, True, None]], "gc.pauses[0][2]"),
        ("gc/pauses", [[0.5, "Remark", 1, True]], "gc.pauses[0][4]"),
        ("gc/heap", [[0.5, 1.5, 2]], "gc.heap[0][1]"),
        ("gc/more", 1, "gc.more"),
        ("gc", 3, "gc"),
        ("sreies", {}, "sreies"),
    ],
)
def test_what_no_figure_can_be_is_refused(path: str, value: object, place: str) -> None:
    """With the file and the field."""
    with pytest.raises(InputError) as caught:
        read(changed(path, value))
    assert (caught.value.file, caught.value.place) == ("run.json", place)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(word: str) -> None:
    """However it is written."""
    text = json.dumps(changed("speed", "?")).replace('"?"', word)
    with pytest.raises(InputError, match=r"run\.json"):
        read_figures(parse_figures(text.encode(), "run.json"))
