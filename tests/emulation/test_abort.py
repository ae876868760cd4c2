"""Conditions that end a play early: what they say, and when they have held for their time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.emulation.abort import MEASURES, Watch, parse_condition
from froude.emulation.engine import Status
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import IntervalRow

_SHARES = st.lists(st.sampled_from([0, 2, 10]), min_size=1, max_size=40)
"""Failed calls of 100, second by second."""


def seconds(failed: Sequence[int], latency_ms: Sequence[float | None] = (), sent: int = 100) -> list[Status]:
    """What a player reports of seconds in which `create` is called.

    Args:
        failed: calls that failed in each.
        latency_ms: of its calls; None where none was answered, and the report has the rows of the second before.
        sent: calls in each.
    """
    statuses = [
        Status(Load(0.0, 0, 0, 1, 0, None), ramping=False, calls_per_s=0, p99_ms=0, slowest="", errors=0)
    ]
    rows: list[IntervalRow] = []
    for at, errors in enumerate(failed, 1):
        taken = latency_ms[at - 1] if latency_ms else 1.0
        if taken is not None:
            rows = [IntervalRow(float(at), "create", sent, sent, errors, *[taken] * 4)]
        total = sum(failed[:at])
        statuses.append(
            statuses[0]._replace(
                load=Load(float(at), 0, 0, 1, 0, None),
                counts={"create": (sent * at, sent * at)},
                failed={"create": total} if total else {},
                rows=rows,
                overall=rows[0]._replace(method="") if rows else None,
            )
        )
    return statuses


def ended(text: str, statuses: Sequence[Status]) -> tuple[int | None, str]:
    """The second in which a condition ends a play, and why."""
    watch = Watch([parse_condition(text)])
    looks = [watch.look(each) for each in statuses]
    return (looks.index(True) if True in looks else None), watch.reason


@pytest.mark.parametrize(
    ("text", "measure", "method", "bound", "for_s"),
    [
        ("error_rate > 5 % for 30 s", "error_rate", None, 0.05, 30.0),
        ("p99(addBlock)>=50 ms  for 2 min", "p99", "addBlock", 0.05, 120.0),
        ("calls_per_s < 10 for 1 s", "calls_per_s", None, 10.0, 1.0),
    ],
)
def test_what_a_condition_says(
    text: str, measure: str, method: str | None, bound: float, for_s: float
) -> None:
    """A limit, and the time for which it must hold."""
    found = parse_condition(text)
    assert (found.limit.measure, found.limit.method, found.for_s) == (measure, method, for_s)
    assert found.limit.bound == pytest.approx(bound)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "error_rate > 5 %",
            "--abort-when: is no condition; found error_rate > 5 %; allowed: a limit, and the time",
        ),
        ("error_rate > 5 % for", "is no condition"),
        ("error_rate > 5 % for ever", "--abort-when"),
        ("error_rate > 5 % for 10 ms", "is too short a time; found 10 ms; allowed: 1 s and more"),
        ("error_rate > 5 ms for 10 s", "--abort-when: is of another unit"),
        ("error_rate > 100 % for 10 s", "--abort-when: can never be kept or broken"),
        ("nosuch > 5 for 10 s", "--abort-when: is no measure"),
        (
            "datanodes_lost > 1 for 10 s",
            f"is not known while a play goes on; .*allowed: {', '.join(MEASURES)}",
        ),
    ],
)
def test_what_is_no_condition(text: str, message: str) -> None:
    """With what was found and what is allowed."""
    with pytest.raises(InputError, match=message):
        parse_condition(text)


def test_the_reason_names_condition_time_and_what_was_found() -> None:
    """The play ends in the first second in which the condition has held long enough, and stays so."""
    statuses = seconds([0, 0, 6, 9, 7, 0])
    assert ended("error_rate > 5 % for 3 s", statuses) == (
        5,
        "error_rate > 5 % for 3 s: it held from 2 s to 5 s of the play, with 6.000% to 9.000%",
    )
    watch = Watch([parse_condition("error_rate > 5 % for 3 s")])
    assert [watch.look(each) for each in statuses] == [False] * 5 + [True] * 2


def test_seconds_without_a_value_neither_count_nor_break() -> None:
    """A target that does not answer has no latency; the rows of an earlier second are not taken for it."""
    hanging = seconds([0] * 6, [90.0, None, None, 80.0, 1.0, 90.0])
    assert ended("p99 > 50 ms for 3 s", hanging)[0] == 4
    assert ended("max(create) > 50 ms for 5 s", hanging)[0] is None
    assert ended("p99 > 50 ms for 1 s", seconds([0] * 3, [1.0, None, None]))[0] is None
    assert ended("p99(rename) > 1 ms for 1 s", hanging)[0] is None
    assert ended("error_rate < 1 % for 1 s", seconds([0] * 3, sent=0))[0] is None


def test_calls_that_stay_away_are_seen() -> None:
    """A second without a call has none, whatever the rows of an earlier one show."""
    assert ended("calls_per_s < 1 for 2 s", seconds([0] * 3, sent=0))[0] == 2
    assert ended("calls_per_s(create) >= 100 for 2 s", seconds([0] * 3))[0] == 2
    assert ended("calls_per_s > 100 for 1 s", seconds([0] * 3))[0] is None


def test_calls_that_were_sent_before_may_fail_now() -> None:
    """All that is known of such a second has failed; a share is never above one."""
    first, second = seconds([0, 0])[1:]
    lost = second._replace(counts=first.counts, failed={"create": 7})
    assert ended("error_rate > 99 % for 1 s", [first, lost])[1].endswith("with 100.000%")


def test_a_report_that_is_no_later_is_left_alone() -> None:
    """Players report once a second; nothing is divided by no time."""
    first, second = seconds([0, 9])[1:]
    assert ended("error_rate > 5 % for 1 s", [first, first, second])[0] == 2


@given(_SHARES, st.integers(1, 10))
def test_a_play_ends_when_the_condition_has_held_and_not_before(failed: list[int], for_s: int) -> None:
    """In the first second at the end of so many in a row that meet it."""
    runs = [at for at in range(for_s, len(failed) + 1) if all(each > 5 for each in failed[at - for_s : at])]
    assert ended(f"error_rate > 5 % for {for_s} s", seconds(failed))[0] == (runs[0] if runs else None)


@given(_SHARES, st.integers(1, 10))
def test_a_longer_time_ends_a_play_no_sooner(failed: list[int], for_s: int) -> None:
    """And what has held longer has held shorter."""
    statuses = seconds(failed)
    shorter, longer = (ended(f"error_rate > 5 % for {each} s", statuses)[0] for each in (for_s, for_s + 1))
    assert longer is None or (shorter is not None and shorter <= longer)
