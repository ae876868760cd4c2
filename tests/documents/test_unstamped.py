"""Forms that had no stamp."""

from __future__ import annotations

from typing import Any

import pytest

from froude.documents.recognise import kind_of
from froude.documents.unstamped import (
    PARTIAL_TRACE,
    REPORT,
    RUN,
    RUN_FIGURES,
    TRACE,
    Unstamped,
    unstamped_kind,
)
from tests.support.old_forms import OLD


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        (TRACE, {"format": 1, "kind": "trace"}),
        (PARTIAL_TRACE, {"format": 1, "kind": "partial trace"}),
        (RUN, {"froude": "run", "version": 1}),
        (RUN_FIGURES, {"format": 1, "series": {}}),
        (REPORT, {"format": "froude-report", "version": 1}),
    ],
)
def test_each_form_knows_its_own_documents(form: Unstamped, fields: dict[str, Any]) -> None:
    """And no other form takes them for its own."""
    forms = (TRACE, PARTIAL_TRACE, RUN, RUN_FIGURES, REPORT)
    assert [each.version_of(fields) for each in forms] == [1 if each is form else None for each in forms]


@pytest.mark.parametrize("fields", [{}, {"kind": ["trace"], "format": 1}, {"froude": "run/2", "version": 1}])
def test_other_documents_have_no_such_version(fields: dict[str, Any]) -> None:
    """Whatever stands in their fields."""
    assert [form.version_of(fields) for form in (TRACE, PARTIAL_TRACE, RUN, REPORT)] == [None] * 4


@pytest.mark.parametrize(
    ("path", "kind"),
    [("trace", "trace"), ("broken.partial", "partial-trace"), ("run", "run"), ("report.json", "report")],
)
def test_the_files_of_an_older_froude_are_recognised(path: str, kind: str) -> None:
    """By how they begin."""
    assert kind_of(OLD / path) == kind


@pytest.mark.parametrize(
    "head", [b"", b"kind: trace\n", b"# x\nformat: 1\nkind: trace\n", b"froude: running\n"]
)
def test_what_begins_in_another_way_is_none_of_them(head: bytes) -> None:
    """It is not replaced by mistake."""
    assert unstamped_kind(head) is None
