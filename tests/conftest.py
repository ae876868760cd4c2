"""Fixtures that any test may use. What starts a JVM lives in `integration/conftest.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.hadoop.distribution import Hadoop


@pytest.fixture(scope="session")
def hadoop() -> Hadoop:
    """The default Hadoop release, out of the cache (fetched once where it is cold)."""
    return Hadoop.find()


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with nothing in it, and no Froude, Hadoop, Java or Maven named in the environment."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("FROUDE_CACHE", "FROUDE_MAVEN", "HADOOP_HOME", "JAVA_HOME", "M2_REPO", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home
