"""A history of comparisons: its lines, and what is asked and answered about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.experiment.compare.compare import compare
from froude.experiment.compare.history import Line, Question, line_of, lines_text, read_lines
from tests.support.experiment import comparisons

_PATH = Path("runs.csv")
_NAMES = st.sampled_from(["p99", "p99(addBlock)", "throughput", "errors"])
_LINES = st.lists(
    st.fixed_dictionaries(
        {
            "time": st.datetimes().map(lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")),
            "commit": st.text('ab1," ', max_size=5),
        }
    ).flatmap(
        lambda head: st.dictionaries(_NAMES, st.floats(0, 1e9).map(str)).map(lambda own: {**head, **own})
    ),
    max_size=6,
)


def days(values: list[float], name: str = "p99") -> list[Line]:
    """A line a day, each with a commit of its own."""
    return [
        {"time": f"2026-01-{day:02}T03:00:00Z", "commit": f"c{day}", name: str(value)}
        for day, value in enumerate(values, 1)
    ]


def test_a_line_has_every_measure_that_decides() -> None:
    """The candidate's mean, and its ratio to the baseline but for errors; at the time it was measured."""
    found = compare(**comparisons.arms(4, 1.3))
    line = line_of(found, 90.4, "abc")
    assert (line["time"], line["commit"]) == ("1970-01-01T00:01:30Z", "abc")
    for row in found.deciding:
        assert float(line[row.measure]) == pytest.approx(row.means[1], rel=1e-5)
        assert (f"{row.measure} / baseline" in line) is not row.by_difference
    assert float(line["mean / baseline"]) == pytest.approx(1.3, rel=0.1)
    with pytest.raises(InputError, match="--tag: has characters that cannot be printed"):
        line_of(found, 0, "a\nb")


@given(_LINES)
def test_what_is_written_is_read_again(lines: list[Line]) -> None:
    """Oldest first; a measure that a line does not have is left out of it."""
    ordered = sorted(lines, key=lambda line: line["time"])
    assert read_lines(lines_text(lines), _PATH) == ordered


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "runs.csv:line 1: is no history; found a,b; allowed: columns time, commit"),
        ("time,commit,p99,p99\n", "is no history"),
        ("time,commit,p99\n2026-01-01T00:00:00Z,a\n", "runs.csv:line 2: is no line of a history"),
        ("time,commit,p99\nyesterday,a,1\n", "is no line of a history; found yesterday,a,1"),
        ("time,commit,p99\n2026-01-01T00:00:00Z,a,nan\n", "is no line of a history"),
        ("time,commit,p99\n2026-01-01T00:00:00Z,a\rb,1\n", "is no history: not CSV"),
        (f"time,commit,p99\n2026-01-01T00:00:00Z,{'a' * 140_000},1\n", "is no history: not CSV"),
    ],
)
def test_what_is_no_history(text: str, message: str) -> None:
    """With line, what was found and what is allowed."""
    with pytest.raises(InputError, match=message):
        read_lines(text, _PATH)


def test_each_measure_is_asked_about_with_the_lines_that_have_it(tmp_path: Path) -> None:
    """So that a method that came later, or a day with too few calls, is no gap; of few lines nothing is asked."""
    lines = [*days([1.0] * 5), *days([2.0] * 4, "p99(create)"), *days([3.0] * 3, "errors")]
    question = Question.of(lines)
    assert [(name, len(having)) for name, having in question.tests.values()] == [
        ("p99", 5),
        ("p99(create)", 4),
    ]
    files = question.files(tmp_path)
    assert files[tmp_path / "m1.csv"].splitlines()[:2] == ["time,commit,value", "2026-01-01T03:00:00Z,c1,2.0"]
    assert set(json.loads(files[tmp_path / "otava.yaml"])["tests"]) == {"m0", "m1"}


@pytest.mark.parametrize(("name", "word"), [("p99", "worse"), ("throughput / baseline", "better")])
def test_change_points_are_named(name: str, word: str) -> None:
    """Measure, commit, and the means up to the change points around it; more throughput is better."""
    question = Question.of(days([1, 1, 2, 2, 4], name))
    changes = [{"changes": [{"index": 4}]}, {"changes": [{"index": 2}]}]
    second, third = question.answered(f"INFO: x\n{json.dumps({'m0': changes})}\n")
    assert (second.commit, second.before, second.after) == ("c3", 1.0, 2.0)
    assert third.text == f"{name} is {word} from c5 (2026-01-05T03:00:00Z) on: 2 before, 4 since (+100.0 %)"
    zero = Question.of(days([0, 0, 1, 1], "errors")).answered('{"m0": [{"changes": [{"index": 2}]}]}')[0]
    assert zero.text.endswith("on: 0 before, 1 since")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("", "no answer on p99"),
        ("{", "Expecting property name"),
        ('{"m0": 3}', "an answer of another form on p99"),
        ('{"m0": [{}]}', "an answer of another form on p99"),
        ('{"m0": [{"changes": [{"index": 9}]}]}', "change points outside of the history of p99"),
        ('{"m1": []}', "no answer on p99"),
    ],
)
def test_an_answer_of_another_form_is_refused(output: str, message: str) -> None:
    """Never a change point where there is none."""
    with pytest.raises(ValueError, match=message):
        Question.of(days([1, 1, 2, 2])).answered(output)
