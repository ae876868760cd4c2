"""The NameNode that is started for an experiment, and daemons that run already."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.experiment.play import execution
from froude.experiment.play.execution import (
    namenode_of,
    patches_of,
    properties_of,
    running_targets,
    started_for,
)
from froude.experiment.scenario.options import ANY, NameNodeTarget, Running
from froude.hadoop.site import write_site


def test_a_configuration_is_taken_without_its_cluster(tmp_path: Path) -> None:
    """Addresses and folders stay behind; properties of the scenario's own count more."""
    write_site(
        tmp_path / "core-site.xml", {"fs.defaultFS": "hdfs://prod:8020", "io.file.buffer.size": "4096"}
    )
    write_site(tmp_path / "hdfs-site.xml", {"dfs.namenode.name.dir": "/data", "dfs.replication": "2"})
    target = NameNodeTarget(conf=tmp_path, properties={"dfs.replication": "5"}, java_options=("-Xss1m",))
    assert properties_of(target) == {"io.file.buffer.size": "4096", "dfs.replication": "5"}
    hadoop: Any = None
    namenode = namenode_of(target, hadoop)
    assert (namenode._heap, namenode._flags, namenode._extra) == ("1 GB", ("-Xss1m",), properties_of(target))


def test_a_folder_without_a_configuration(tmp_path: Path) -> None:
    """Is an error that names it."""
    with pytest.raises(InputError, match="has no configuration"):
        properties_of(NameNodeTarget(conf=tmp_path))


def test_daemons_by_service() -> None:
    """The only one goes by no name."""
    one, other = Running(address="hdfs://h:1"), Running(address="hdfs://h:2")
    assert running_targets({ANY: one}) == {"": one}
    assert running_targets({"namenode": one, "resourcemanager": other}) == {
        "namenode": one,
        "resourcemanager": other,
    }


def test_only_what_is_called_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A NameNode alone goes by no service."""
    hadoop: Any = None
    started: list[str] = []

    @contextmanager
    def daemon(name: str) -> Iterator[None]:
        started.append(name)
        yield

    monkeypatch.setattr(execution, "ResourceManager", lambda *_, **__: daemon("resourcemanager"))
    monkeypatch.setattr(execution, "namenode_of", lambda *_: daemon("namenode"))
    for daemons in (["namenode"], ["resourcemanager"], ["namenode", "resourcemanager"]):
        started.clear()
        with started_for(daemons, NameNodeTarget(), hadoop) as called:
            assert started == daemons
            assert isinstance(called, dict) is (daemons != ["namenode"])
            assert not isinstance(called, dict) or list(called) == daemons


@pytest.mark.parametrize(
    ("name", "jar", "message"),
    [
        ("build", None, "build: is no folder"),
        ("build", b"text", "a.jar: is no jar"),
        ("build:2", b"PK\x05\x06" + bytes(18), "cannot be on a class path"),
    ],
)
def test_jars_that_could_not_be_loaded_are_refused(
    tmp_path: Path, name: str, jar: bytes | None, message: str
) -> None:
    """The JVM would pass over them, and two equal builds would be compared."""
    if jar is not None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.jar").write_bytes(jar)
    with pytest.raises(InputError, match=message):
        patches_of(NameNodeTarget(jars=tmp_path / name))


def test_jars_of_a_build(tmp_path: Path) -> None:
    """All of the folder, in the order of their names; a pipe among them is none."""
    for name in ("b.jar", "a.jar"):
        (tmp_path / name).write_bytes(b"PK\x05\x06" + bytes(18))
    assert [each.name for each in patches_of(NameNodeTarget(jars=tmp_path))] == ["a.jar", "b.jar"]
    os.mkfifo(tmp_path / "c.jar")
    with pytest.raises(InputError, match=r"c\.jar: is no jar"):
        patches_of(NameNodeTarget(jars=tmp_path))
    assert patches_of(NameNodeTarget()) == []
