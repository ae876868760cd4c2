"""Where YARN's jars come from: beside HDFS's in a folder, or by Maven coordinates."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.hadoop.release import distribution, jvm
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.maven import Coordinate, Repository
from froude.hadoop.release.yarn_jars import JOBS, YARN, YarnJars, needed_for_jobs

_JAVA = jvm.Java(Path("/java/bin/java"), "17.0.1", 17, "JAVA_HOME")


def _touch(folder: Path, *names: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return [folder / name for name in names]


def test_a_distributions_jars_come_after_hdfss(tmp_path: Path) -> None:
    """Jobs are kept apart; tests' jars are left out."""
    share = tmp_path / "share" / "hadoop"
    hdfs = _touch(share / "hdfs", "hadoop-hdfs-3.4.2.jar")
    yarn = _touch(share / "yarn", "hadoop-yarn-server-resourcemanager-3.4.2.jar", "hadoop-yarn-x-tests.jar")
    jobs = _touch(share / "mapreduce", "hadoop-mapreduce-examples-3.4.2.jar")
    jobs += _touch(share / "tools" / "lib", "hadoop-streaming-3.4.2.jar", "hadoop-distcp-3.4.2.jar")
    _touch(share / "tools" / "lib", "bundle-2.jar")
    found = YarnJars.find(Hadoop("3.4.2", hdfs, _JAVA, "folder", tmp_path))
    assert found.hadoop.jars == hdfs
    assert found.hadoop.beside == (yarn[0],)
    assert found.hadoop.classpath.endswith(f"{hdfs[0]}:{yarn[0]}")
    assert dict(found.jobs) == dict(zip(JOBS, jobs, strict=True))


def test_a_plain_folder_holds_both(tmp_path: Path) -> None:
    """The jobs among its jars leave the class path."""
    names = ("hadoop-common-3.4.2.jar", "hadoop-mapreduce-examples-3.4.2.jar")
    jars = _touch(tmp_path, *names, "hadoop-yarn-server-resourcemanager-3.4.2.jar")
    found = YarnJars.find(Hadoop("3.4.2", jars, _JAVA, "folder", tmp_path))
    assert found.hadoop.jars == [jars[0], jars[2]]
    assert found.jobs == {"examples": jars[1]}


def test_a_folder_without_yarn_is_refused(tmp_path: Path) -> None:
    """It is named, and where YARN would be."""
    jars = _touch(tmp_path, "hadoop-common-3.4.2.jar")
    with pytest.raises(InputError, match="holds no YARN; allowed: share/hadoop/yarn"):
        YarnJars.find(Hadoop("3.4.2", jars, _JAVA, "folder", tmp_path))


@pytest.mark.parametrize(("release", "java", "allowed"), [("2.7.3", 17, "3.3 or"), ("3.4.2", 8, "Java 9")])
def test_what_is_too_old_is_refused(release: str, java: int, allowed: str, tmp_path: Path) -> None:
    """Names by process need Java 9; nobody has tried older releases."""
    old = jvm.Java(_JAVA.path, str(java), java, "PATH")
    with pytest.raises(InputError, match=allowed):
        YarnJars.find(Hadoop(release, [], old, "folder", tmp_path))


class _Repository(Repository):
    """Knows what needs what, and which jobs are published."""

    def closure(self, roots: list[Coordinate]) -> list[Coordinate]:
        """HDFS's roots need a library; YARN's one more, a jar of another system, and a double for tests."""
        found = [*roots, Coordinate("g", "commons-io", "2.0")]
        if any("yarn" in root.artifact for root in roots):
            found += [Coordinate("g", "guice", "5"), Coordinate("g", "mockito-core", "4")]
            found += [Coordinate("g", "netty", "4", "osx-x86_64")]
        return found

    def fetch(self, coordinate: Coordinate, *, sha256: str | None = None) -> Path:
        """As in Maven Central: 3.5.0 has a DistCp and neither examples nor streaming."""
        if coordinate.artifact != "hadoop-distcp":
            raise MissingError("the repository does not give it", file=str(coordinate))
        return Path()


def test_jobs_that_a_release_lacks_come_from_another(tmp_path: Path) -> None:
    """What HDFS has already is not asked for again, and what nothing loads is not asked for at all."""
    wanted = needed_for_jobs("3.5.0", _Repository(tmp_path, remote="http://127.0.0.1:1"))
    versions = {each.artifact: each.version for each in wanted}
    assert "hadoop-yarn-server-resourcemanager" in versions
    assert "guice" in versions
    assert not versions.keys() & {"commons-io", "mockito-core", "netty", "hadoop-hdfs"}
    jobs = {artifact: versions[artifact] for artifact in JOBS.values()}
    assert jobs == {
        "hadoop-mapreduce-examples": "3.4.2",
        "hadoop-streaming": "3.4.2",
        "hadoop-distcp": "3.5.0",
    }


@pytest.mark.parametrize("release", ["3.4.2", "3.5.0"])
def test_the_lists_that_ship_go_together(release: str) -> None:
    """No jar stands in both, the same library has one version, and every job is there."""
    hdfs = {each.coordinate.artifact for each in distribution.pinned(release)}
    yarn = {each.coordinate.artifact for each in distribution.pinned(release, YARN)}
    assert hdfs
    assert not hdfs & yarn
    assert {"hadoop-yarn-server-nodemanager", *JOBS.values()} <= yarn
