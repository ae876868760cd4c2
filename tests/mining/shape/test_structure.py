"""Node types."""

from __future__ import annotations

import pytest

from froude.mining.read.events import Event, Recording
from froude.mining.read.senders import senders_of
from froude.mining.shape.structure import find_types
from froude.workload.scale import Scale
from tests.support.mining.events import event


def _recording(*senders: list[tuple[str, str]]) -> Recording:
    events: list[Event] = []
    for number, steps in enumerate(senders):
        events.extend(
            event(len(events) + at, m, {"src": s}, client=f"{number}") for at, (m, s) in enumerate(steps)
        )
    ordered = tuple(event(n, e.method, dict(e.request), client=e.client) for n, e in enumerate(events))
    return Recording(ordered, Scale.of(files=len(senders)))


def test_equal_sequences_of_other_wording_are_types_of_their_own() -> None:
    """Two commands of one form, always in this order, are two types; five workers that count are one."""
    two = [[("mkdirs", "/in")], [("mkdirs", "/stage")]]
    runs = [
        _recording(*two, *([("create", f"/in/f{n}"), ("complete", f"/in/f{n}")] for n in range(workers)))
        for workers in (2, 3)
    ]
    senders, _ = senders_of(runs)
    types, findings = find_types(senders, 2)
    assert [(node_type.name, len(node_type.senders)) for node_type in types] == [
        ("client", 2),
        ("client-2", 2),
        ("client-3", 5),
    ]
    assert findings == []


@pytest.mark.parametrize(
    ("context", "methods", "name"),
    [
        ("CLI", ("getFileInfo", "create", "addBlock", "complete", "rename"), "put"),
        ("CLI", ("getFileInfo", "rename"), "mv"),
        ("CLI", ("getBlockLocations", "create", "addBlock"), "cp"),
        ("CLI", ("getFileInfo", "mkdirs"), "mkdir"),
        ("CLI", ("getNewApplication", "create", "submitApplication"), "submit"),
        ("CLI", ("msync",), "shell"),
        ("ingest_2026-11-27:17", ("create", "addBlock"), "ingest"),
        ("map", ("create", "addBlock"), "client"),
        ("17", ("create", "addBlock"), "client"),
        (None, ("create", "addBlock"), "client"),
    ],
)
def test_types_are_named_by_what_they_do(context: str | None, methods: tuple[str, ...], name: str) -> None:
    """A shell by its command, another client by the program that its calls name."""
    events = tuple(event(n, method, {}, caller_context=context) for n, method in enumerate(methods))
    types, _ = find_types(senders_of([Recording(events, Scale.of(files=1))])[0], 1)
    assert [each.name for each in types] == [name]


def test_rounds_of_one_job_are_one_type() -> None:
    """An index is made, then groups are found in three rounds: two types, not four."""
    made = ["/index", "/groups-1", "/groups-2", "/groups-3"]
    run = _recording(*([("create", path), ("complete", path)] for path in made))
    types, _ = find_types(senders_of([run, run])[0], 2)
    assert [len(node_type.senders) for node_type in types] == [2, 6]


def test_sequences_without_a_common_pattern_are_told() -> None:
    """The commonest stands for all, and the finding says how many calls do not fit."""
    runs = [
        _recording([("a", "x"), ("b", "x"), ("c", "x"), ("d", "x")]),
        _recording([("a", "x"), ("c", "x"), ("b", "x"), ("d", "x")]),
    ]
    senders, _ = senders_of(runs)
    types, findings = find_types(senders, 2)
    assert len(types) == 1
    assert types[0].deviations == 2
    assert "fit no common pattern" in findings[0].what


def test_a_loop_of_constant_number_is_written_out() -> None:
    """Twice in every run is no loop: each call has rules of its own."""
    runs = [_recording(*([[("a", "x"), ("w", "1"), ("w", "2"), ("z", "x")]] * n)) for n in (1, 2)]
    senders, _ = senders_of(runs)
    types, _ = find_types(senders, 2)
    assert [token[1] for token in types[0].pattern if isinstance(token, tuple)] == ["a", "w", "w", "z"]


def test_a_type_may_be_absent_at_small_scales() -> None:
    """Readers that only the larger runs have are a type of their own, not deviants of the writers."""
    writer, reader = [("create", "x"), ("complete", "x")], [("getListing", "/"), ("getContentSummary", "/")]
    runs = [_recording(*[writer] * n, *[reader] * (n - 1)) for n in (1, 3, 4)]
    senders, _ = senders_of(runs)
    types, findings = find_types(senders, 3)
    assert [len(node_type.senders) for node_type in types] == [8, 5]
    assert findings == []


def test_a_first_command_about_something_else_is_a_type_of_its_own() -> None:
    """A script makes two folders first, and one each night: the first command is none of the nightly ones."""
    first = [("mkdirs", "/warehouse"), ("mkdirs", "/staging")]
    runs = [_recording(first, *([("mkdirs", f"/tmp/{n}")] for n in range(nights))) for nights in (9, 12)]
    senders, _ = senders_of(runs)
    types, _ = find_types(senders, 2)
    assert [len(mined.senders) for mined in types] == [2, 21]


def test_names_that_not_every_run_has_are_no_types() -> None:
    """Users have names; that there were others in another run makes them no other kind."""
    runs = [
        _recording(*([("mkdirs", f"/user/{name}")] for name in names)) for names in (("ann", "bob"), ("cy",))
    ]
    senders, _ = senders_of(runs)
    types, _ = find_types(senders, 2)
    assert [len(mined.senders) for mined in types] == [3]


def _store(*, lost: tuple[int, int] | None = None, more: str = "") -> list[Recording]:
    """Three runs of clients that open, put some keys and close; one call is lost, or one more is made."""
    runs = []
    for run, (keys, number) in enumerate(((3, 4), (5, 3), (4, 5))):
        clients = []
        for client in range(number):
            steps = [("open", "/s"), *(("put", f"/k{n}") for n in range(keys)), ("close", "/s")]
            if lost is not None and (run, client) == (0, 1):
                del steps[lost[0]]
            if more and (run, client) == (0, 1):
                steps.insert(1, (more, "/x"))
            clients.append(steps)
        runs.append(_recording(*clients))
    return runs


def test_a_sender_whose_first_call_was_lost_is_of_its_type() -> None:
    """It did nothing that the others did not; one that made a call of its own is asked about."""
    types, findings = find_types(senders_of(_store(lost=(0, 1)))[0], 3)
    assert [(node_type.name, len(node_type.senders)) for node_type in types] == [("client", 12)]
    assert [finding.what for finding in findings] == [
        "node type 'client': 1 of 70 calls fit no common pattern",
    ]
    types, _ = find_types(senders_of(_store(more="odd"))[0], 3)
    assert len(types) == 2


def test_processes_of_one_job_are_of_one_type_where_a_few_made_a_call_more() -> None:
    """And of another than those of another job that do the same."""
    stamp = 1795768550992
    name = "application_submission_context.application_name"
    number = "application_submission_context.application_id.id"
    runs = []
    for total in (2, 1):
        events: list[Event] = []
        for job in (1, 2):
            submitted = {name: "count" if job != total else "total", number: job}
            events.append(
                event(len(events), "submitApplication", submitted, client=f"c{job}", caller_context="CLI")
            )
            more = ["msync"] if (job, total) == (1, 2) else []
            for method in [*["mkdirs", "create", "complete"] * 9, *more]:
                of_job = f"mr_appmaster_{stamp}_{job:04}_000001"
                events.append(event(len(events), method, client=f"m{job}", caller_context=of_job))
        runs.append(Recording(events, Scale.of(files=total)))
    types, _ = find_types(senders_of(runs)[0], 2)
    masters = [each for each in types if each.role.name == "appmaster"]
    assert [[(sender.run, sender.key) for sender in each.senders] for each in masters] == [
        [(0, "m1"), (1, "m2")],
        [(0, "m2"), (1, "m1")],
    ]
