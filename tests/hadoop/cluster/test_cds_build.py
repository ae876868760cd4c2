"""Making the archive of classes: which go in, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from froude.base.progress import Silent
from froude.hadoop.cluster import cds_build
from froude.hadoop.cluster.cds_build import listed_classes, prepare
from froude.hadoop.release import cds, jvm
from froude.hadoop.release.distribution import Hadoop

# A JVM whose archive is the list of classes that it was to hold, and its class path.
_ARCHIVES = """
for flag in "$@"; do case $flag in
    -XX:SharedClassListFile=*) names=${flag#*=} ;;
    -XX:SharedArchiveFile=*) made=${flag#*=} ;;
esac; done
cat "$names" > "$made"
"""


class _Cluster:
    """Stands in for a cluster: its daemons write down the classes they load."""

    started = 0

    def __init__(self, hadoop: Hadoop, *, flags: Sequence[str], **options: Any) -> None:
        (flag,) = flags
        self._lists = Path(flag.removeprefix("-XX:DumpLoadedClassList=")).parent

    def __enter__(self) -> Self:
        _Cluster.started += 1
        return self

    def __exit__(self, *_: object) -> None:
        (self._lists / "1.list").write_text("java/lang/Object id: 0\norg/x/NameNode id: 1\n")
        (self._lists / "2.list").write_text("java/lang/Object id: 0\norg/x/DataNode id: 1\n")

    def shell(self, *_: str) -> None:
        """The third program whose classes are wanted."""
        (self._lists / "3.list").write_text("org/x/FsShell id: 1\n")


def _hadoop(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Hadoop:
    """A release out of the cache, with such a JVM and such a cluster."""
    monkeypatch.setattr(cds_build, "Cluster", _Cluster)
    monkeypatch.setattr(_Cluster, "started", 0)
    java = folder / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return Hadoop("3.5.0", [Path("/a.jar")], jvm.Java(java, "17.0.1", 17, "PATH"), "Maven", cache=folder)


def test_every_class_of_every_program_goes_in_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, so that two archives of one release are alike; a second time nothing is started."""
    hadoop = _hadoop(tmp_path, _ARCHIVES, monkeypatch)
    place = prepare(hadoop, Silent())
    assert place is not None
    assert place == cds.archive(hadoop)
    assert place.read_text().split() == [
        "java/lang/Object",
        "org/x/DataNode",
        "org/x/FsShell",
        "org/x/NameNode",
    ]
    assert prepare(hadoop, Silent()) == place
    assert _Cluster.started == 1


def test_archives_of_other_jars_go_and_of_other_releases_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no start can use any more is removed, and no scratch is left."""
    folder = tmp_path / "classes"
    folder.mkdir()
    for name in ("3.5.0-java17-old.jsa", "3.5.0-java25-x.jsa", "3.4.2-java17-x.jsa"):
        (folder / name).write_bytes(b"")
    place = prepare(_hadoop(tmp_path, _ARCHIVES, monkeypatch), Silent())
    assert place is not None
    left = {each.name for each in folder.iterdir() if each.suffix != ".lock"}
    assert left == {place.name, "3.5.0-java25-x.jsa", "3.4.2-java17-x.jsa"}


@pytest.mark.parametrize("script", [f"{_ARCHIVES}exit 1", "exit 0"])
def test_a_jvm_that_cannot_costs_nothing_but_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """An archive that it gave up on is not used, and older ones stay."""
    folder = tmp_path / "classes"
    folder.mkdir()
    (folder / "3.5.0-java17-old.jsa").write_bytes(b"")
    assert prepare(_hadoop(tmp_path, script, monkeypatch), Silent()) is None
    assert [each.name for each in folder.iterdir() if each.suffix != ".lock"] == ["3.5.0-java17-old.jsa"]


def test_generated_classes_are_left_out() -> None:
    """They differ from run to run; the forms of Java 17 and of Java 25 are both read."""
    text = (
        "# a comment\n"
        "java/lang/Object id: 0\n"
        "org/apache/hadoop/hdfs/DFSUtil$1\n"
        "java/lang/invoke/LambdaForm$MH/0x1 id: 7\n"
        "org/apache/hadoop/A$$Lambda id: 9\n"
        "@lambda-proxy org/apache/hadoop/A run ()\n"
        "org/x/Loaded id: 4 super: 0 source: /tmp/x.jar\n"
    )
    assert listed_classes(text) == {
        "java/lang/Object",
        "org/apache/hadoop/hdfs/DFSUtil$1",
        "org/x/Loaded",
    }
