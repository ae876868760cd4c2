"""An audit log in numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.trace.audit import summary
from froude.trace.audit.summary import counts_in_words, summarise_audit
from froude.trace.importers.audit_log import import_audit
from testbed.audit_lines import calls, written


def test_what_is_counted(tmp_path: Path) -> None:
    """Lines over time, commands, users, addresses, clients, what was denied, folders and paths."""
    (tmp_path / "audit.log").write_text("".join(map(written, calls(80))))
    found = summarise_audit(import_audit([tmp_path / "audit.log"], tmp_path / "al"))
    assert (found.meta.lines, found.clients, found.denied, found.proxied) == (80, 15, 8, 80)
    assert (found.seconds, found.peak_per_s, found.concurrent_clients) == (19.75, 4, 4)
    assert [(each.name, each.lines, each.denied) for each in found.commands] == [
        ("create", 20, 4),
        ("delete", 20, 4),
        ("getfileinfo", 20, 0),
        ("open", 20, 0),
    ]
    assert sum(rate.lines for rate in found.rates) == 80
    assert {rate.per_s for rate in found.rates[1:-1]} == {4}
    assert found.users[0].name == "user0"
    assert found.folders[0].name.startswith("/user/user")
    assert len(found.paths) == 50
    assert found.paths_exact
    assert found.to_mapping()["meta"]["lines"] == 80


def test_more_paths_than_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is said; the frequent ones are still there."""
    monkeypatch.setattr(summary, "_KEPT_PATHS", 5)
    (tmp_path / "audit.log").write_text("".join(map(written, calls(80))))
    found = summarise_audit(import_audit([tmp_path / "audit.log"], tmp_path / "al"))
    assert not found.paths_exact
    assert len(found.paths) == 5


def test_long_logs_have_wider_steps(tmp_path: Path) -> None:
    """At most some hundreds of them, and a second that lies in two batches counts once."""
    (tmp_path / "audit.log").write_text("".join(map(written, calls(50, step_s=3600))))
    found = summarise_audit(import_audit([tmp_path / "audit.log"], tmp_path / "al"))
    assert len(found.rates) <= 301
    assert sum(rate.lines for rate in found.rates) == 50
    assert found.rates[-1].per_s <= 1


def test_counts_in_words() -> None:
    """Those that there are."""
    assert counts_in_words({"bad": 1200, "late": 0}) == "1,200 no audit lines"
