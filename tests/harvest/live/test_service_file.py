"""What a daemon knows, as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import ChangedError
from froude.harvest.live.choosing import LastRun
from froude.harvest.live.classes import Classes, KnownClass
from froude.harvest.live.service_file import Known, known_json, read_known
from froude.harvest.telemetry.profiles import Pattern

KNOWN = Known(
    ("7", "8"),
    frozenset({"a:1", "b:1"}),
    Classes((KnownClass("periodic-01", Pattern.PERIODIC, 0.25, 0.5),), {"a": "periodic-01"}),
    1e9,
    {"b": LastRun(2.0, 3.0), "a": LastRun(1.5, 1.0)},
)


def test_it_reads_back(tmp_path: Path) -> None:
    """Jobs in the order in which they ran."""
    for known in (KNOWN, Known()):
        (tmp_path / "s.json").write_text(known_json(known))
        read = read_known(tmp_path / "s.json")
        assert read == known
        assert list(read.last) == list(known.last)
    assert (KNOWN.id, Known().id) == ("8", "")


def test_an_edited_file_is_refused(tmp_path: Path) -> None:
    """Whose cluster it is must be what was seen."""
    (tmp_path / "s.json").write_text(known_json(KNOWN).replace('"8"', '"9"'))
    with pytest.raises(ChangedError):
        read_known(tmp_path / "s.json")
