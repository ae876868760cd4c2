"""What each daemon of YARN and each client is told, written and not started."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.hadoop.cluster.yarn_daemons import YarnDaemons
from froude.hadoop.release import jvm
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.yarn_jars import YarnJars
from froude.hadoop.settings.yarn import Containers
from froude.hadoop.site import read_site


@pytest.fixture
def daemons(tmp_path: Path) -> YarnDaemons:
    """On a cluster that is stood in for."""
    jar = tmp_path / "a.jar"
    jar.touch()
    hadoop = Hadoop("3.5.0", [jar], jvm.Java(tmp_path / "java", "17.0.1", 17, "PATH"), "folder", tmp_path)
    namenode = SimpleNamespace(
        host="127.1.1.1", port=9000, http=("127.1.1.1", 9870), site=lambda: ({"a": "b"}, {})
    )
    hdfs: Any = SimpleNamespace(network="127.1.1", folder=tmp_path / "run", namenode=namenode)
    hdfs.folder.mkdir()
    conf = {"yarn.x": "1", "mapreduce.y": "2"}
    return YarnDaemons(YarnJars(hadoop, {"examples": jar}), hdfs, Containers(), conf, ("-Dz=3",), True)


def _hosts(folder: Path) -> dict[str, str]:
    lines = (folder / "conf" / "hosts").read_text().splitlines()
    return {name: line.split()[0] for line in lines for name in line.split()[1:]}


def test_who_finds_whom_where(daemons: YarnDaemons, tmp_path: Path) -> None:
    """A node and the JobHistoryServer at their own address, the ResourceManager without a way between."""
    daemons.resourcemanager()
    daemons.jobhistory()
    daemons.nodemanager(0, "127.1.1.10", behind="127.9.9.10")
    run = tmp_path / "run"
    assert _hosts(run / "resourcemanager")["namenode"] == "127.1.1.1"
    history, node = _hosts(run / "jobhistory"), _hosts(run / "nodemanager-0")
    assert (history["namenode"], history["resourcemanager"]) == ("127.1.1.3", "127.1.1.2")
    assert (node["namenode"], node["resourcemanager"]) == ("127.1.1.10", "127.1.1.10")
    site = read_site(run / "nodemanager-0" / "conf" / "yarn-site.xml")
    assert (site["yarn.nodemanager.bind-host"], site["yarn.x"]) == ("127.9.9.10", "1")


def test_clients_find_the_masters_or_what_records_them(daemons: YarnDaemons, tmp_path: Path) -> None:
    """The same configuration either way: it becomes a job's."""
    home = daemons.client_home()
    assert _hosts(home)["resourcemanager"] == "127.1.1.2"
    core = read_site(home / "conf" / "core-site.xml")
    daemons.client_home("127.1.1.4")
    hosts = _hosts(home)
    assert (hosts["namenode"], hosts["resourcemanager"]) == ("127.1.1.4", "127.1.1.4")
    assert read_site(home / "conf" / "core-site.xml") == core
    assert core["fs.defaultFS"] == "hdfs://namenode:9000"
    assert read_site(home / "conf" / "mapred-site.xml")["mapreduce.y"] == "2"
    assert "-Dz=3" in (home / "bin" / "yarn").read_text()


def test_all_jars_lie_in_one_folder(daemons: YarnDaemons, tmp_path: Path) -> None:
    """In the order of the class path; a second time changes nothing."""
    daemons.link_jars()
    daemons.link_jars()
    assert [path.name for path in (tmp_path / "run" / "lib").iterdir()] == ["000-a.jar"]
