"""The page of an audit log."""

from __future__ import annotations

from pathlib import Path

from froude.experiment.figures.audit import audit_report
from froude.experiment.figures.page import page
from froude.render import Table, Tone
from froude.trace.audit.summary import AuditSummary, summarise_audit
from froude.trace.importers.audit_log import import_audit
from testbed.audit_lines import calls, written


def summary(folder: Path, more: str = "") -> AuditSummary:
    """Of forty lines."""
    (folder / "audit.log").write_text("".join(map(written, calls(40))) + more)
    return summarise_audit(import_audit([folder / "audit.log"], folder / "al"))


def tables(of: AuditSummary) -> dict[str, Table]:
    """All of them, by caption."""
    blocks = [block for section in audit_report(of).sections for block in section.blocks]
    return {block.caption: block for block in blocks if isinstance(block, Table)}


def test_what_it_says(tmp_path: Path) -> None:
    """How busy, with what, for whom, where."""
    of = summary(tmp_path)
    report = audit_report(of)
    assert report.lede.startswith(
        "**40 lines** in 9.75 s, 4 a second and at most 4; 15 clients, 4 calls denied."
    )
    assert report.tone is Tone.NEUTRAL
    shown = tables(of)
    assert shown["Commands"].rows[0] == ("create", 10, 0.25, 2)
    assert {row[0] for row in shown["Users with the most lines"].rows} == {"user0", "user1", "user2"}
    assert shown["Logs, in the order of their times"].rows == [("audit.log", 40, 0)]
    assert ("Time zone of its dates", "UTC") in shown["How it was read"].rows


def test_bad_lines_are_in_the_first_sentence(tmp_path: Path) -> None:
    """With the places of the first of them below."""
    of = summary(tmp_path, "other\n")
    assert audit_report(of).tone is Tone.WARNING
    assert "1 line left out" in audit_report(of).lede
    rows = dict(tables(of)["How it was read"].rows)
    assert rows["Left out"] == "1 line left out: not an audit line, first at audit.log:41 ('other')"
    assert rows["Counted"] == "1 no audit lines"


def test_beside_others(tmp_path: Path) -> None:
    """It has its place on a page of several parts."""
    report = page([summary(tmp_path)]).report
    assert report.title == "Audit log al"
    assert [section.title for section in report.sections][:2] == ["Over time", "Commands"]
