"""Changes of a NameNode's files and settings, and back."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import GuardError, InputError, TargetError
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.site import parse_site
from froude.harvest.live.hdfs.changes import SITE, HdfsChanges, make, remembered, restore
from froude.harvest.live.hdfs.namenode import NameNodeCalls
from froude.harvest.live.hdfs.plugin import PACKAGE, POLICY
from testbed.virtual_clock import VirtualClock
from tests.support.harvest.live.hdfs.namenodes import namenode

BEFORE = """<configuration>
  <!-- ours -->
  <property><name>a</name><value>1</value></property>
</configuration>
"""


def changes(folder: Path) -> HdfsChanges:
    """A map, a class, a setting that was there and one that was not, and a DataNode in maintenance."""
    (folder / SITE).write_text(BEFORE)
    (folder / SITE).chmod(0o640)
    (folder / "hosts").write_text(json.dumps([{"hostName": "s0"}]))
    away = [{"hostName": "s0", "adminState": "IN_MAINTENANCE", "maintenanceExpireTimeInMS": 1}]
    files = {folder / "map": b"m", folder.joinpath(*PACKAGE, "C.class"): b"\xca\xfe"}
    return HdfsChanges(
        files,
        {"a": "2", "b": "3"},
        folder,
        hosts=folder / "hosts",
        hosts_text=json.dumps(away),
        marked=("10.0.0.0:9866",),
    )


def test_all_of_it_and_back(hadoop: Hadoop, tmp_path: Path) -> None:
    """Comments, rights and other settings stay; nothing of ours is left."""
    wanted = changes(tmp_path)
    with namenode(hadoop.schema()) as (host, port, calls):
        asked = NameNodeCalls(host, port, hadoop.schema(), user="root")
        prior = remembered(asked, "CID-1", wanted)
        assert prior.properties == {"a": "1", "b": None}
        make(asked, wanted, VirtualClock())
        assert parse_site((tmp_path / SITE).read_bytes()) == {"a": "2", "b": "3"}
        assert (tmp_path / "map").stat().st_mode & 0o777 == 0o644
        assert "IN_MAINTENANCE" in (tmp_path / "hosts").read_text()
        assert calls == ["refreshNodes", "startReconfiguration", "getReconfigurationStatus"]
        restore(asked, prior, VirtualClock())
    assert parse_site((tmp_path / SITE).read_bytes()) == {"a": "1"}
    assert b"<!-- ours -->" in (tmp_path / SITE).read_bytes()
    assert (tmp_path / SITE).stat().st_mode & 0o777 == 0o640
    assert json.loads((tmp_path / "hosts").read_text()) == [{"hostName": "s0"}]
    assert sorted(path.name for path in tmp_path.iterdir()) == [SITE, "hosts"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a file to somebody else")
def test_files_stay_with_who_has_them(
    hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The NameNode may read them by owner and group alone; nobody but root can keep those of somebody else."""
    wanted = changes(tmp_path)
    for name in (SITE, "hosts"):
        os.chown(tmp_path / name, 65534, 65533)
    with namenode(hadoop.schema()) as (host, port, _):
        asked = NameNodeCalls(host, port, hadoop.schema(), user="root")
        with monkeypatch.context() as patched:
            patched.setattr(os, "geteuid", lambda: 1000)
            with pytest.raises(InputError, match="belongs to somebody else"):
                make(asked, wanted, VirtualClock())
        make(asked, wanted, VirtualClock())
    for name in (SITE, "hosts"):
        status = (tmp_path / name).stat()
        assert (status.st_uid, status.st_gid) == (65534, 65533)
    assert (tmp_path / SITE).stat().st_mode & 0o777 == 0o640


def test_a_setting_that_is_not_taken_up(hadoop: Hadoop, tmp_path: Path) -> None:
    """Is an error with the NameNode's reason; one that is not ours, such as a map's, is not."""
    wanted = changes(tmp_path)
    with namenode(hadoop.schema(), refused={"z": "x", "a": "no class"}) as (host, port, _):
        asked = NameNodeCalls(host, port, hadoop.schema())
        with pytest.raises(TargetError, match="a: does not take up a setting; found no class"):
            make(asked, wanted, VirtualClock())


def test_what_waits_for_a_start(hadoop: Hadoop, tmp_path: Path) -> None:
    """A topology is read only then: nothing is asked to read it."""
    wanted = HdfsChanges(properties={"b": "3"}, conf=tmp_path, reread=False)
    (tmp_path / SITE).write_text("")
    with namenode(hadoop.schema()) as (host, port, calls):
        asked = NameNodeCalls(host, port, hadoop.schema())
        make(asked, wanted, VirtualClock())
        assert parse_site((tmp_path / SITE).read_bytes()) == {"b": "3"}
        assert calls == []


def test_a_folder_that_the_namenode_does_not_read_is_left_as_it_was(hadoop: Hadoop, tmp_path: Path) -> None:
    """The NameNode finds nothing changed: it is another one's configuration."""
    wanted = replace(changes(tmp_path), properties={POLICY: "org.example.Policy"})
    with namenode(hadoop.schema(), reports=()) as (host, port, _):
        asked = NameNodeCalls(host, port, hadoop.schema(), user="root")
        with pytest.raises(GuardError, match="is not what the NameNode reads: it found nothing changed"):
            make(asked, wanted, VirtualClock())
    assert (tmp_path / SITE).read_text() == BEFORE
