"""Labels of calls of one method about different files."""

from __future__ import annotations

from types import SimpleNamespace

from froude.mining.read.events import Recording
from froude.mining.read.senders import Sender, senders_of
from froude.mining.shape.labels import Reading, label, labels_of, plain, spelled, worded
from froude.mining.shape.segments import Loop
from froude.mining.shape.structure import find_types
from froude.workload.scale import Scale
from tests.support.mining.events import PROTOCOL, event


def sender(*paths: str, method: str = "create") -> Sender:
    """One that calls a method about paths; what comes after a colon is the method instead."""
    calls = [(path.partition(":")[0], path.partition(":")[2] or method) for path in paths]
    events = tuple(event(at, name, {"src": path}) for at, (path, name) in enumerate(calls))
    (one,), _ = senders_of([Recording(events, Scale.of(n=1))])
    return one


def test_numbers_are_no_wording() -> None:
    """Digits, and what else a checksum is made of."""
    assert worded("/in/part-0007") == worded("/in/part-12") != worded("/in/parts-12")
    assert worded("/.hive_de8f45709328-1") == worded("/.hive_0a1b2c-17")


def test_a_method_has_labels_where_its_paths_have_a_few_wordings() -> None:
    """Not one, and not many."""
    few, many = sender("/in/1", "/out/2", "/in/3"), sender(*(f"/{letter}" for letter in "ghijklmn"))
    assert labels_of([few]) == {(PROTOCOL, "create"): [label("/in/[0-9a-z]+"), label("/out/[0-9a-z]+")]}
    assert labels_of([many]) == labels_of([sender("/a/1", "/a/2")]) == {}


def test_calls_are_spelled_by_the_first_label_that_matches() -> None:
    """What none matches, and other methods, keep their token."""
    labels = {(PROTOCOL, "create"): [label("/x/.*"), label("/[a-z]/[0-9]")]}
    kinds = [token[2] for token in spelled(sender("/x/1", "/y/1", "/zz/1", "/x/1:delete").own, labels)]
    assert kinds == [label("/x/.*"), label("/[a-z]/[0-9]"), "", ""]
    assert {plain(token) for token in spelled(sender("/x/1", "/zz/1").own, labels)} == {
        (PROTOCOL, "create", "")
    }


def test_a_pattern_with_labels_parses_by_paths_and_else_by_methods() -> None:
    """The lock that only some rounds have is no result."""
    lock, result = ((PROTOCOL, "create", label(f"/{name}/[0-9]+")) for name in ("lock", "result"))
    reading = Reading((Loop((Loop((lock,)), result)),))
    parse = reading.parse(sender("/result/1", "/lock/2", "/result/2"))
    assert parse is not None
    assert [(match.element, match.indices[0]) for match in parse.matches] == [(1, 0), (0, 1), (1, 1)]
    other = reading.parse(sender("/other/1", "/other/2"), exact=True)
    assert other is not None
    assert [match.element for match in other.matches] == [0, 1]


def test_types_have_labels_where_that_makes_them_shorter() -> None:
    """A worker that locks every third job that it does; the methods alone are rows of `create` and `delete`."""

    def worker(jobs: int) -> Recording:
        paths = []
        for job in range(jobs):
            locked = [f"/queue/locks/job-{job}"] if job * 7 % 5 < 2 else []
            paths += [
                *locked,
                f"/queue/results/job-{job}",
                f"/queue/done/job-{job}:rename",
                *(f"{p}:delete" for p in locked),
            ]
            paths += [f"/queue/logs/log-{job}"] if job * 3 % 4 == 1 else []
            paths += [f"/queue/new/job-{job}:delete"]
        made = sender(*paths)
        return SimpleNamespace(
            events=[call.event for call in made.own], scale=Scale.of(jobs=jobs), lowered={}
        )  # type: ignore[return-value]

    senders, _ = senders_of([worker(jobs) for jobs in (9, 14, 22)])
    (mined,), findings = find_types(senders, 3)
    assert (findings, mined.deviations) == ([], 0)
    (outer,) = mined.pattern
    assert isinstance(outer, Loop)
    assert sum(isinstance(item, Loop) for item in outer.body) == 3
