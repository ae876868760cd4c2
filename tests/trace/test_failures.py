"""Failed calls in groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.release.distribution import Hadoop
from froude.trace.failures import OTHERS, Failures, form_of, path_of

IO = "java.io.IOException"


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("File does not exist: /a/b-7.txt (inode 16390)", "File does not exist: PATH (inode N)"),
        ("hdfs://nn:8020/x is a directory", "PATH is a directory"),
        ("node 127.0.0.1:9866 is dead", "node N is dead"),
        ("lease of 01234567-89ab-cdef-0123-456789ABCDEF expired", "lease of ID expired"),
        ("Name node is in safe mode.", "Name node is in safe mode."),
    ],
)
def test_what_differs_between_calls_is_taken_out(line: str, form: str) -> None:
    """Paths, addresses, ids and numbers."""
    assert form_of(line) == form


def test_calls_that_failed_alike_are_one_group() -> None:
    """With number, first and last time and the first message; only the first line of a stack trace counts."""
    failures = Failures()
    first = failures.add("create", IO, "no /a\n\tat java", 2.0)
    assert failures.add("create", IO, "no /b\n\tat x", 5.0) is None
    assert failures.add("create", IO, "no /c", 1.0) is None
    failures.add("delete", IO, "no /a", 3.0)
    assert first is not None
    assert (first.message, first.count, first.first_s, first.last_s) == ("no PATH", 3, 1.0, 5.0)
    assert first.example == "no /a"
    assert [(group.method, group.count) for group in failures] == [("create", 3), ("delete", 1)]


def test_messages_beyond_measure_are_counted_together() -> None:
    """A peer that says something new each time takes no more memory than 200 groups of a method."""
    failures = Failures()
    for number in range(500):
        word = "".join(chr(97 + int(digit)) for digit in f"{number:03}")
        failures.add("create", IO, f"{word} is wrong", float(number))
    assert len(failures) == 201
    assert next(iter(failures)).message == OTHERS
    assert sum(group.count for group in failures) == 500


def test_the_example_of_merged_failures_is_the_first_ones() -> None:
    """Whichever of the two had it."""
    late, early = Failures(), Failures()
    for failures, time_s, path in ((late, 9.0, "/late"), (early, 1.0, "/early")):
        group = failures.add("create", IO, f"File does not exist: {path}", time_s)
        assert group is not None
        group.path = path
    for one, other in ((late, early), (early, late)):
        merged = Failures()
        merged.merge(one)
        merged.merge(other)
        (group,) = merged
        assert (group.count, group.first_s, group.last_s) == (2, 1.0, 9.0)
        assert (group.example, group.path) == ("File does not exist: /early", "/early")


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["no /x", "no /y", "busy 7"]), st.floats(0, 9)),
        max_size=12,
    ),
    st.integers(0, 12),
)
def test_merged_is_as_counted_at_once(calls: list[tuple[str, str, float]], cut: int) -> None:
    """Whatever was split between two players."""
    whole, left, right = Failures(), Failures(), Failures()
    for number, (method, message, time_s) in enumerate(calls):
        whole.add(method, IO, message, time_s)
        (left if number < cut else right).add(method, IO, message, time_s)
    left.merge(right)
    assert {key: (g.count, g.first_s, g.last_s) for key, g in left.groups.items()} == {
        key: (g.count, g.first_s, g.last_s) for key, g in whole.groups.items()
    }


def test_the_path_that_a_request_names(hadoop: Hadoop) -> None:
    """The first text that is one; a request without any has none."""
    protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
    rename = hadoop.schema().method(protocol, "rename").request(src="/a", dst="/b")
    assert path_of(rename) == "/a"
    assert path_of(hadoop.schema().method(protocol, "getServerDefaults").request()) is None
