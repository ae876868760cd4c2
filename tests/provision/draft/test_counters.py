"""Counters of jobs: the history server's JSON and .jhist files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.draft.counters import Node, read_counters
from tests.support.provision.draft.counters import COUNTERS, history, read
from tests.support.provision.draft.damage import damaged

_DOCUMENT = {"a": [{"n": 4}, 5], "name": "x", "none": None}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def rest() -> dict[str, Any]:
    """As the history server answers."""
    keys = ("totalCounterValue", "mapCounterValue", "reduceCounterValue")
    groups = [
        {
            "counterGroupName": group,
            "counter": [{"name": n, **dict(zip(keys, v, strict=True))} for n, v in counters.items()],
        }
        for group, counters in COUNTERS.items()
    ]
    return {"jobCounters": {"id": "job_1_0001", "counterGroup": groups}}


@pytest.mark.parametrize("text", [json.dumps(rest()), history()], ids=["rest", "history"])
def test_both_forms_say_the_same(text: str, tmp_path: Path) -> None:
    """Tasks, bytes, seconds and memory of maps and reduces; a history has a name and times too."""
    job = read(tmp_path, text)
    assert (job.maps.tasks, job.maps.read, job.maps.written, job.maps.cpu_s, job.maps.memory) == (
        10,
        1000,
        0,
        4,
        2000,
    )
    assert (job.reduces.tasks, job.reduces.written, job.reduces.cpu_s) == (2, 300, 1)
    assert (job.shuffled, job.rack_local, job.job) == (500, 0.8, "job_1_0001")
    assert (job.name, job.submitted_s, job.finished_s) in {(None, None, None), ("sort 7", 100, 600)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found an empty file"),
        ("{}", "found JSON without jobCounters; allowed: JSON of /ws/v1"),
        ("[1]", "found a list; allowed: "),
        ("null", "found null; allowed: "),
        ("[" * 100_000, "job: "),
        ("counters", "job:1: holds no counters of a job; found a text that is not JSON (Expecting value)"),
        (
            json.dumps(rest(), indent=1) + "\nx",
            "(Extra data)",
        ),
        (
            '{"jobCounters": 5}',
            "job:jobCounters: ",
        ),
        ('{"jobCounters": {"id": "j", "counterGroup": []}}', "TOTAL_LAUNCHED_MAPS"),
        ('{"jobCounters": {"id": "j", "counterGroup": [{"counter": [{}]}]}}', "counter[0]: has no name"),
        (json.dumps(rest()).replace("NCHED", ""), "neither TOTAL_LAUNCHED_MAPS nor TOTAL_LAUNCHED_REDUCES"),
        (
            history().replace('"mapCounters"', '"maps"'),
            "JobFinished: has no mapCounters; found jobid, finishTime",
        ),
        (history()[:-30], "job:5: is no event of a job"),
        (history().replace("JOB_FINISHED", "JOB_FAILED"), "found JOB_FAILED: the job did not succeed"),
        (history().replace("JOB_FINISHED", "JOB_KILLED"), "found JOB_KILLED"),
        (
            history() + history(),
            "job:8.event: has a second job; found JOB_SUBMITTED. Give each job",
        ),
        (
            history().replace('"type": "JOB_FINISHED"', '"x": "JOB_FINISHED"'),
            "job:5: has no type; found x, event",
        ),
        (
            history().replace('"sort 7"', "NaN"),
            "job:3: ",
        ),
        (history().splitlines()[2], "found no JOB_FINISHED"),
        (
            "Avro-Binary\n",
            "job:1: is a .jhist file in binary form; found Avro-Binary; allowed: Avro-Json, or",
        ),
    ],
)
def test_other_files_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """With what is missing, and where."""
    with pytest.raises(InputError) as raised:
        read(tmp_path, text)
    assert said in str(raised.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """Refused as well."""
    path = tmp_path / "job"
    path.write_bytes(b"\xff\xfd")
    with pytest.raises(InputError, match="UTF-8"):
        read_counters(path)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("0.5", "0.5"),
        ("true", "true"),
        ("-10", "-10"),
        ("1e29", "1e+29"),
        ("1e400", "Infinity"),
        ("null", "null"),
        ('"10"', '"10"'),
        ("[1]", "a list"),
        (str(10**15 + 1), str(10**15 + 1)),
    ],
)
def test_tasks_that_cannot_be(value: str, found: str, tmp_path: Path) -> None:
    """No fraction, no word, nothing below 0 and nothing beyond what an application may say: in both forms."""
    said = f".*: is no count; found {re.escape(found)}; allowed: a whole number from 0 to 1e\\+15"
    named = r"\(TOTAL_LAUNCHED_MAPS\)\."
    text = re.sub(r'("TOTAL_LAUNCHED_MAPS", "totalCounterValue": )10', rf"\g<1>{value}", json.dumps(rest()))
    with pytest.raises(InputError, match=rf"job:jobCounters.counterGroup\[1\].* {named}totalC{said}"):
        read(tmp_path, text)
    text = re.sub(r'("displayName": "TOTAL_LAUNCHED_MAPS", "value": )10', rf"\g<1>{value}", history())
    with pytest.raises(InputError, match=rf"job:5.*\.groups\[1\].* {named}v{said}"):
        read(tmp_path, text)


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "9" * 400, "9" * 5000])
def test_counters_that_are_no_number(value: str, tmp_path: Path) -> None:
    """Said as they stand, however long."""
    for text in (json.dumps(rest()), history()):
        with pytest.raises(InputError, match=rf"a text that is not JSON \({value[:20]} is no number\)"):
            read(tmp_path, text.replace("1000,", f"{value},").replace("1000}", f"{value}}}"))


def test_a_counter_stands_once(tmp_path: Path) -> None:
    """Of two with one name nothing tells which holds."""
    document = rest()
    document["jobCounters"]["counterGroup"].append(document["jobCounters"]["counterGroup"][0])
    with pytest.raises(
        InputError, match=r"Group\[3\].counter\[0\]: is a counter again; found HDFS_BYTES_READ; allowed"
    ):
        read(tmp_path, json.dumps(document))


def test_a_job_s_own_counters_may_be_anything(tmp_path: Path) -> None:
    """Below 0, and of one name in two groups: they are not read."""
    document = rest()
    own = {"name": "LAG", **dict.fromkeys(("totalCounterValue", "mapCounterValue", "reduceCounterValue"), -5)}
    document["jobCounters"]["counterGroup"] += [{"counter": [own]}, {"counter": [own]}]
    assert read(tmp_path, json.dumps(document)) == read(tmp_path, json.dumps(rest()))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"finishTime": 600000',
            '"finishTime": 99999',
            "finishTime: is before the job was submitted; found 99999",
        ),
        ('"finishTime": 600000', '"finishTime": 1e400', "finishTime: is no count; found Infinity"),
        ('"finishTime": 600000', '"finishTime": null', "finishTime: .*found null"),
        ('"finishTime": 600000', '"end": 600000', "JobFinished: has no finishTime"),
        ('"submitTime": 100000', '"submitTime": -1', "submitTime: .*found -1"),
        ('"submitTime": 100000', '"submitTime": NaN', "job:3: "),
        ('"submitTime": 100000', '"submitTime": 100000.5', "submitTime: .*found 100000.5"),
        ('"sort 7"', "5", "job:3.*jobName: is no text; found 5; allowed: a text"),
        ('"sort 7"', '["x"]', "jobName: .*found a list"),
        ('"sort 7"', "{}", "jobName: .*found an object"),
    ],
)
def test_a_history_s_times_and_names(old: str, new: str, said: str, tmp_path: Path) -> None:
    """A job ends when it was submitted or later, in whole milliseconds; its name is a text."""
    with pytest.raises(InputError, match=said):
        read(tmp_path, history().replace(old, new))


def test_forms_that_are_read_as_well(tmp_path: Path) -> None:
    """A byte order mark, Windows' line ends, a history cut to its job's events; a name of any letters, or none."""
    whole = read(tmp_path, history())
    path = tmp_path / "job"
    for text in (
        f"\ufeff{history()}",
        history().replace("\n", "\r\n"),
        "\n".join(history().splitlines()[2:]),
    ):
        path.write_bytes(text.encode())
        assert read_counters(path) == whole
    path.write_bytes(f"\ufeff{json.dumps(rest())}".encode())
    assert read_counters(path) == read(tmp_path, json.dumps(rest()))
    assert read(tmp_path, history().replace("sort 7", "a\u2028b")).name == "a\u2028b"
    assert read(tmp_path, history().replace('"sort 7"', "null")).name is None


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damaged(history().encode(), json.dumps(rest()).encode(), json.dumps(rest(), indent=1).encode()))
@example(history().replace('"sort 7"', "5").encode())
@example(history().replace('"type": "JOB_F', '"x": "JOB_F').encode())
def test_damaged_files(tmp_path: Path, data: bytes) -> None:
    """Are read, or refused with one stated error that shows nothing of how they are read."""
    path = tmp_path / "job"
    path.write_bytes(data)
    try:
        job = read_counters(path)
    except InputError as error:
        assert error.file == str(path)
        assert "subscriptable" not in str(error)
    else:
        assert 0 < job.maps.tasks + job.reduces.tasks <= 2e15
        assert (
            job.submitted_s is None
            or job.finished_s is None
            or 0 <= job.submitted_s <= job.finished_s <= 1e12
        )


def node(value: Any) -> Node:
    """The whole of a document."""
    return Node(Path("job"), "", value)


def test_parts_know_their_places() -> None:
    """Fields and items, down to the value; what is absent or null may be optional."""
    first, second = node(_DOCUMENT).field("a").items()
    assert (first.place, second.place, first.field("n").place) == ("a[0]", "a[1]", "a[0].n")
    assert (first.field("n").whole(4), node(_DOCUMENT).field("name").text()) == (4, "x")
    assert node(_DOCUMENT).optional("none") is node(_DOCUMENT).optional("b") is None
    name = node(_DOCUMENT).optional("name")
    assert name is not None
    assert name.place == "name"


@pytest.mark.parametrize(
    ("take", "said"),
    [
        (lambda: node(_DOCUMENT).field("b"), "job: has no b; found a, name, none; allowed: b"),
        (lambda: node({}).field("b"), "job: has no b; found no field; allowed: b"),
        (lambda: node([]).optional("b"), "job: is no object; found a list; allowed: an object with b"),
        (
            lambda: list(node(_DOCUMENT).field("name").items()),
            'job:name: is no list; found "x"; allowed: a list',
        ),
        (lambda: node({}).text(), "job: is no text; found an object; allowed: a text"),
    ],
)
def test_other_kinds_are_refused(take: Callable[[], object], said: str) -> None:
    """With the place, what stands there and what may."""
    with pytest.raises(InputError) as raised:
        take()
    assert str(raised.value) == said


@given(_JSON)
def test_only_whole_numbers_in_range_count(value: Any) -> None:
    """Neither fractions nor `true`, which Python takes for 1."""
    if type(value) is int and 0 <= value <= 1000:
        assert node(value).whole(1000) == value
    else:
        with pytest.raises(
            InputError, match=r"is no count; found .*; allowed: a whole number from 0 to 1000"
        ):
            node(value).whole(1000)
