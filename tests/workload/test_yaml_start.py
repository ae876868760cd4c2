"""Start rules in a workload's file; that all of them are read as they were written is tested with whole files."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.documents.reading import parse_document
from froude.workload.start import StartRule
from froude.workload.yaml_start import read_start, start_fields

SECOND = "a second time"


def test_only_what_differs_is_written() -> None:
    """A rule that says nothing has no fields, and one of how many nodes no `every`."""
    assert start_fields(StartRule()) == {}
    rule = StartRule("map", every=False, share=0.05)
    assert start_fields(rule) == {"after": "map", "moment": "finished", "share": 0.05}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("after: map\nnth: 2\nshare: 0.5\n", SECOND),
        ("after: map\nevery: true\nnth: 2\n", SECOND),
        ("after: map\nnth: 0\n", "nth: .*found 0"),
        ("after: map\nshare: 1.5\n", "share: .*found 1.5"),
        ("pause_s: 1\nwithin_s: 2\n", "cannot be both"),
        ("follows: map\n", "nothing without a pause"),
    ],
)
def test_contradictions_are_refused(text: str, message: str) -> None:
    """With the field that is wrong."""
    with pytest.raises(InputError, match=message):
        read_start(parse_document(text.encode(), "w.yaml"))
