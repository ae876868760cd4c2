"""What an analysis found, as a notebook shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.render import Report
from froude.render.answer import Answer

CONTENT = {"vms": [{"vm": "a", "bytes": 3}], "policy": "equal", "found": {"cases": ({"factor": 2},)}}
ANSWER = Answer("split", CONTENT, lambda facts: Report("Two VMs", facts=facts))


def test_rows_are_an_arrow_table() -> None:
    """Other figures are not."""
    assert ANSWER.table("vms").to_pylist() == [{"vm": "a", "bytes": 3}]
    assert ANSWER.table("cases").to_pylist() == [{"factor": 2}]
    with pytest.raises(KeyError, match="policy is not one of: vms, cases"):
        ANSWER.table("policy")


def test_a_notebook_shows_the_page(tmp_path: Path) -> None:
    """In a frame of its own; in a terminal it is one line."""
    assert repr(ANSWER) == "<Answer split: Two VMs>"
    shown = ANSWER._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!')
    assert "Two VMs" in shown
    assert shown.count('"') == 8
    assert "Two VMs" in ANSWER.save(tmp_path / "page.html").read_text()


def test_a_page_is_not_written_over_what_is_not_a_page(tmp_path: Path) -> None:
    """Such as the document that it was worked out from."""
    meta = tmp_path / "meta.yaml"
    meta.write_text("kind: datacenter\n")
    with pytest.raises(InputError, match=r"ends in \.html"):
        ANSWER.save(meta)
    assert meta.read_text() == "kind: datacenter\n"
