"""The controller's memory on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import GuardError, InputError, MissingError
from froude.cache.control import journal
from froude.cache.control.journal import FileJournal
from froude.cache.control.types import Decision, Outcome, Record
from froude.cache.monitor.limits import Limits

_DECISION = Decision("exact", {"vm1": Limits(5, 6)}, {"vm1": "because"}, {"misses_per_s": 1.5}, ("a remark",))


def _record(number: int, outcome: Outcome = Outcome.APPLIED) -> Record:
    before, after = {"vm1": Limits(1)}, {"vm1": Limits(5, 6)}
    return Record(number, 1.7e9, "interval", outcome, _DECISION, before, after, ("h2: gone",), 0.5)


def test_it_remembers(tmp_path: Path) -> None:
    """Rounds and numbers, after a restart; a later word on a round takes the place of the earlier."""
    with FileJournal(tmp_path) as first:
        assert first.records() == ()
        assert list(first.numbers(3, above=0)) == [1, 2, 3]
        first.add(_record(1, Outcome.BEGUN))
        first.add(_record(1))
        first.add(_record(2))
    with FileJournal(tmp_path) as second:
        assert second.records() == (_record(1), _record(2))
        assert list(second.numbers(2, above=0)) == [4, 5]
        assert list(second.numbers(2, above=90)) == [91, 92]


def test_numbers_are_written_down_before_they_are_given(tmp_path: Path) -> None:
    """A controller that dies right after got them does not give them again."""
    first = FileJournal(tmp_path)
    first.numbers(10, above=0)
    first.close()
    with FileJournal(tmp_path) as second:
        assert second.numbers(1, above=0)[0] == 11


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a line is taken back, so that the next one can be read; nothing is given that is not written down."""
    with FileJournal(tmp_path) as first:
        first.add(_record(1))

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(journal.os, "fsync", full)
            with pytest.raises(MissingError, match="No space left"):
                first.numbers(5, above=0)
        first.add(_record(2))
    with FileJournal(tmp_path) as second:
        assert [each.number for each in second.records()] == [1, 2]
        assert second.numbers(1, above=0)[0] == 1


def test_a_pause_lasts(tmp_path: Path) -> None:
    """Beyond a restart, until it is ended."""
    for paused in (True, False):
        with FileJournal(tmp_path) as first:
            first.pause(paused)
        with FileJournal(tmp_path) as second:
            assert second.paused is paused


def test_a_line_that_was_cut_short(tmp_path: Path) -> None:
    """It is the last one, and passed over; the file is whole again then."""
    with FileJournal(tmp_path) as first:
        first.add(_record(1))
        first.numbers(5, above=0)
    path = tmp_path / "journal.jsonl"
    with path.open("ab") as file:
        file.write(b'{"round": {"number": 2, "made')
    with FileJournal(tmp_path) as second:
        assert [each.number for each in second.records()] == [1]
        assert second.numbers(1, above=0)[0] == 6
        second.add(_record(2))
    with FileJournal(tmp_path) as third:
        assert [each.number for each in third.records()] == [1, 2]


@pytest.mark.parametrize(
    ("number", "line", "why"),
    [
        (1, b'{"froude": "trace/1"}', "is no journal"),
        (1, b"", r"journal\.jsonl: "),
        (2, b"rubbish", "journal.jsonl:2"),
        (2, b'{"given": 1e400}', "journal.jsonl:2: is damaged"),
        (2, b'{"given": 99999999999999999999999}', "journal.jsonl:2: "),
        (2, b'{"given": "7"}', "journal.jsonl:2: "),
        (2, b'{"round": {"number": Infinity}}', "journal.jsonl:2: "),
        (2, b'{"round": {"number": 1, "reasons": 5}}', "journal.jsonl:2: "),
        (2, b'{"round": {"number": 1, "reasons": "abc"}}', "journal.jsonl:2: "),
    ],
)
def test_what_is_no_journal(tmp_path: Path, number: int, line: bytes, why: str) -> None:
    """Damage in the middle is an error, with its line: what it said is not guessed."""
    with FileJournal(tmp_path) as first:
        first.add(_record(1))
    path = tmp_path / "journal.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[number - 1] = line
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError, match=why):
        FileJournal(tmp_path)


def test_one_controller_at_a_time(tmp_path: Path) -> None:
    """A second one is refused, until the first has ended."""
    with FileJournal(tmp_path), pytest.raises(GuardError, match="another controller"):
        FileJournal(tmp_path)
    FileJournal(tmp_path).close()


def test_it_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old rounds are forgotten; the file is written anew now and then."""
    monkeypatch.setattr(journal, "KEPT", 10)
    with FileJournal(tmp_path) as first:
        for number in range(1, 101):
            first.add(replace(_record(1), number=number))
        assert [each.number for each in first.records()] == list(range(91, 101))
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert len(lines) <= 42
    assert json.loads(lines[0]) == {"froude": "cache-journal/1"}


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """As all that Froude keeps."""
    FileJournal(tmp_path / "state").close()
    assert (tmp_path / "state/journal.jsonl").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
