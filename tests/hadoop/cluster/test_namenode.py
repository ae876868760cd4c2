"""What a NameNode's process is told and asked; a stand-in answers, the real one is in `integration`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from froude.base.errors import InputError, TargetError
from froude.hadoop.cluster import namenode as namenode_module
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.metrics import jmx as metrics
from froude.hadoop.release import jvm
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.errors import RemoteException
from froude.hadoop.rpc.identity import Identity
from froude.hadoop.site import read_site

# Formats a name directory; otherwise listens where it was told, and answers /jmx with what it was asked.
_NAMENODE = """
import http.server, json, os, socket, sys, urllib.parse
import xml.etree.ElementTree as ElementTree

site = ElementTree.parse(os.environ["HADOOP_CONF_DIR"] + "/hdfs-site.xml").iter("property")
told = {each.findtext("name"): each.findtext("value") for each in site}
current = told["dfs.namenode.name.dir"].removeprefix("file://") + "/current"
if "-format" in sys.argv:
    os.makedirs(current)
    with open(current + "/VERSION", "w") as out:
        out.write("#Thu Jan 01\\nnamespaceID=77\\nblockpoolID=BP-1\\n")
        out.write("clusterID=" + sys.argv[sys.argv.index("-clusterId") + 1] + "\\n")
    sys.exit()

def address(name):
    host, port = told[name].split(":")
    return host, int(port)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        ((_, (name,)),) = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).items()
        bean = {"name": name.partition("::")[0].replace("*", "8020"), "NumLiveDataNodes": 3, "GetFileInfoNumOps": 5}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"beans": [bean]}).encode())

    def log_message(self, *_):
        pass

rpc = socket.create_server(address("dfs.namenode.rpc-address"))
http.server.HTTPServer(address("dfs.namenode.http-address"), Handler).serve_forever()
"""


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where scratch folders are made."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What calls are answered with, first to last: as by a NameNode whose port is open before it serves."""
    answers = ["org.apache.hadoop.ipc.RetriableException"]

    def asked(*_: object) -> Identity:
        if answers:
            raise RemoteException(answers.pop(0), "NameNode still not started")
        return Identity("CID-1")

    monkeypatch.setattr(namenode_module, "ask_identity", asked)
    monkeypatch.setattr(Hadoop, "schema", lambda _: None)
    return answers


def _hadoop(tmp_path: Path, script: str, major: int = 17) -> Hadoop:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Hadoop("3.5.0", [], jvm.Java(program, f"{major}.0.1", major, "JAVA_HOME"), "folder")


@pytest.fixture
def hadoop(tmp_path: Path) -> Hadoop:
    """A Hadoop whose NameNode is the stand-in."""
    (tmp_path / "namenode.py").write_text(_NAMENODE)
    return _hadoop(tmp_path, f'exec {sys.executable} -I -S {tmp_path}/namenode.py "$@"')


def test_it_is_formatted_answers_and_leaves_nothing(hadoop: Hadoop, scratch: Path, calls: list[str]) -> None:
    """It listens on an address of its own network, and tells its ids and counts, once it answers calls."""
    with NameNode(hadoop, prefix="127.91.7", replication=2) as namenode:
        assert not calls
        assert namenode.asked == {"retriableException": 1, "versionRequest": 1}
        assert (namenode.host, namenode.address) == ("127.91.7.1", ("127.91.7.1", namenode.port))
        assert namenode.uri == f"hdfs://127.91.7.1:{namenode.port}"
        assert namenode.http[0] == namenode.host
        assert namenode.http[1] != namenode.port
        assert namenode.cluster_id.startswith("CID-")
        assert (namenode.block_pool_id, namenode.namespace_id) == ("BP-1", 77)
        assert namenode.live_datanodes() == 3
        assert namenode.rpc_counts() == {"getFileInfo": 5}
        sample = namenode.sample()
        assert sample["FSNamesystemState.NumLiveDataNodes"] == 3
        assert 0 < sample["process.cpu_seconds"] <= namenode.cpu_seconds()
        assert sample["process.rss_bytes"] > 0
        assert namenode.cache_s < metrics.Web(namenode.http).cache_s
        properties = (namenode.folder / "conf" / "hadoop-metrics2.properties").read_text()
        assert f"periodMillis={namenode.cache_s * 1000:.0f}" in properties
        core, hdfs = namenode.site()
        assert (core["fs.defaultFS"], hdfs["dfs.replication"]) == (namenode.uri, "2")
        process = psutil.Process(namenode.pid)
        assert namenode.folder.is_relative_to(scratch)
    assert not process.is_running()
    assert list(scratch.iterdir()) == []
    namenode.stop()
    with pytest.raises(TargetError, match="was not started"):
        _ = namenode.folder


def test_what_was_not_started_says_so(hadoop: Hadoop) -> None:
    """Rather than fail somewhere inside; stopping it does no harm."""
    namenode = NameNode(hadoop)
    for ask in (lambda: namenode.pid, lambda: namenode.folder, lambda: namenode.cluster_id):
        with pytest.raises(TargetError, match="NameNode: was not started"):
            ask()
    namenode.stop()


def test_a_restart_keeps_addresses_and_ids(hadoop: Hadoop, tmp_path: Path) -> None:
    """Another process on the same data; a folder that was named stays in the end, and is not formatted again."""
    with NameNode(hadoop, folder=tmp_path / "run") as namenode:
        before = (namenode.address, namenode.http, namenode.cluster_id)
        process = psutil.Process(namenode.pid)
        namenode.restart()
        assert (namenode.address, namenode.http, namenode.cluster_id) == before
        assert not process.is_running()
        assert namenode.live_datanodes() == 3
    assert (tmp_path / "run" / "name" / "current" / "VERSION").is_file()
    with NameNode(hadoop, folder=tmp_path / "run") as again:
        assert again.cluster_id == before[2]


def test_an_image_gets_ids_of_its_own(hadoop: Hadoop, tmp_path: Path) -> None:
    """What refuses the source must not refuse the copy; the rest, and the source, stay as they are."""
    current = tmp_path / "image" / "current"
    current.mkdir(parents=True)
    version = "#Thu Jan 01\nnamespaceID=5\nclusterID=CID-prod\nblockpoolID=BP-prod\nlayoutVersion=-67\n"
    (current / "VERSION").write_text(version)
    (current / "fsimage_1").write_bytes(b"image")
    for image in (current.parent, current):
        with NameNode(hadoop, image=image) as namenode:
            assert namenode.namespace_id == 5
            assert namenode.cluster_id.startswith("CID-")
            assert namenode.cluster_id != "CID-prod"
            assert namenode.block_pool_id.endswith(f"-{namenode.host}-0")
            copied = namenode.folder / "name" / "current"
            assert (copied / "fsimage_1").read_bytes() == b"image"
            assert "layoutVersion=-67" in (copied / "VERSION").read_text().splitlines()
    assert (current / "VERSION").read_text() == version


def test_an_image_that_is_none_is_refused(hadoop: Hadoop, tmp_path: Path, scratch: Path) -> None:
    """Before anything runs, and nothing is left."""
    (tmp_path / "empty" / "current").mkdir(parents=True)
    with pytest.raises(InputError, match=r"empty: .*current/VERSION"):
        NameNode(hadoop, image=tmp_path / "empty").start()
    assert list(scratch.iterdir()) == []


def test_a_failed_start_leaves_its_log_for_the_reader(tmp_path: Path, scratch: Path) -> None:
    """The error names a file that is still there."""
    hadoop = _hadoop(tmp_path, "echo 'java.io.IOException: no such disk' >&2; exit 3")
    with pytest.raises(
        TargetError, match=r"exit code 3; found java\.io\.IOException: no such disk"
    ) as caught:
        NameNode(hadoop).start()
    (folder,) = scratch.iterdir()
    assert f"Its log is {folder}" in str(caught.value)


def test_an_error_within_the_block_leaves_the_folder_only_if_it_is_the_targets(
    hadoop: Hadoop, scratch: Path
) -> None:
    """The log explains what a NameNode did; it explains nothing of another error."""
    with pytest.raises(ZeroDivisionError), NameNode(hadoop):
        raise ZeroDivisionError
    assert list(scratch.iterdir()) == []
    with pytest.raises(TargetError), NameNode(hadoop) as namenode:
        raise TargetError("does not answer")
    assert list(scratch.iterdir()) == [namenode.folder]


@pytest.mark.parametrize(("audit", "name"), [(True, "audit.log"), (False, None)])
def test_the_configuration_is_what_was_asked_for(
    hadoop: Hadoop, tmp_path: Path, audit: bool, name: str | None
) -> None:
    """Properties in their files, flags on the command line, the audit log where it is wanted."""
    conf = {"dfs.namenode.handler.count": "17", "ipc.ping.interval": "9"}
    with NameNode(hadoop, folder=tmp_path / "run", audit_log=audit, conf=conf, flags=["-Dx=1"]) as namenode:
        assert namenode.audit_log == (namenode.folder / name if name else None)
        command = namenode.daemon.command()
        assert "-Dx=1" in command
        assert [part for part in command if "gc.log" in part]
        assert namenode.gc_log == namenode.folder / "gc.log"
    folder = tmp_path / "run" / "conf"
    assert read_site(folder / "hdfs-site.xml")["dfs.namenode.handler.count"] == "17"
    assert read_site(folder / "core-site.xml")["ipc.ping.interval"] == "9"
    assert ("audit=OFF" in (folder / "log4j.properties").read_text()) is not audit
