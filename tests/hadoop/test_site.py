"""Hadoop configuration files: what is read, written, stripped and refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop import site

_PLAIN = (
    st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1).map(str.strip).filter(bool)
)


@given(st.dictionaries(_PLAIN, _PLAIN, max_size=8))
def test_what_is_written_is_read_again(properties: dict[str, str]) -> None:
    """Any names and values survive the round trip, markup included."""
    assert site.parse_site(site.format_site(properties).encode()) == properties


def test_the_later_of_two_counts_unless_the_first_is_final() -> None:
    """As in Hadoop's own Configuration."""

    def one(name: str, value: str, more: str = "") -> str:
        return f"<property><name>{name}</name><value>{value}</value>{more}</property>"

    text = one("a", "1") + one("a", "2") + one("b", "1", "<final>true</final>") + one("b", "2")
    assert site.parse_site(f"<configuration>{text}</configuration>".encode()) == {"a": "2", "b": "1"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no XML"),
        ("<configuration><property>", r"core-site\.xml:1: "),
        ("<html/>", "is no Hadoop configuration"),
        ("<configuration><property><value>1</value></property></configuration>", "has no name"),
        (
            '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><configuration>&x;</configuration>',
            "document type",
        ),
        ('<!DOCTYPE c SYSTEM "http://127.0.0.1/x.dtd"><configuration/>', r"core-site\.xml: "),
    ],
)
def test_what_is_no_configuration_is_refused(text: str, said: str) -> None:
    """One error that names the file; entities and outside documents are never followed."""
    with pytest.raises(InputError, match=said) as caught:
        site.parse_site(text.encode(), name="core-site.xml")
    assert "core-site.xml" in str(caught.value)


def test_entities_that_grow_without_bound_are_refused() -> None:
    """The billion laughs stay untold."""
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    text = f'<!DOCTYPE c [<!ENTITY l0 "ha">{levels}]><configuration>&l9;</configuration>'
    with pytest.raises(InputError):
        site.parse_site(text.encode())


def test_a_file_is_read_and_a_missing_one_refused(tmp_path: Path) -> None:
    """The file forms of the same."""
    place = tmp_path / "conf" / "hdfs-site.xml"
    site.write_site(place, {"dfs.replication": "2"})
    assert site.read_site(place) == {"dfs.replication": "2"}
    with pytest.raises(InputError, match="absent"):
        site.read_site(tmp_path / "absent")


@pytest.mark.parametrize(
    "name",
    [
        "fs.defaultFS",
        "fs.default.name",
        "dfs.nameservices",
        "dfs.ha.namenodes.prod",
        "dfs.ha.automatic-failover.enabled",
        "dfs.namenode.shared.edits.dir",
        "dfs.namenode.shared.edits.dir.prod.nn1",
        "dfs.namenode.keytab.file",
        "dfs.datanode.kerberos.principal",
        "dfs.hosts",
        "dfs.hosts.exclude",
        "yarn.resourcemanager.nodes.include-path",
        "dfs.namenode.rpc-address.prod.nn1",
        "dfs.namenode.http-address",
        "yarn.resourcemanager.hostname",
        "ha.zookeeper.quorum",
        "hadoop.zk.address",
        "dfs.namenode.name.dir",
        "dfs.datanode.data.dir",
        "hadoop.tmp.dir",
        "hadoop.security.authentication",
        "hadoop.security.credential.provider.path",
        "dfs.encryption.key.provider.uri",
        "dfs.http.policy",
        "net.topology.script.file.name",
        "dfs.journalnode.edits.dir",
    ],
)
def test_what_points_at_production_is_taken_out(name: str) -> None:
    """Addresses, name services, credentials, host lists and folders do not reach a scale model."""
    kept, removed = site.strip_production({name: "x"})
    assert (kept, removed) == ({}, {name: "x"})


@pytest.mark.parametrize(
    "name",
    [
        "dfs.namenode.handler.count",
        "dfs.replication",
        "dfs.blocksize",
        "dfs.heartbeat.interval",
        "dfs.blockreport.intervalMsec",
        "ipc.server.read.threadpool.size",
        "dfs.namenode.fslock.fair",
        "io.file.buffer.size",
    ],
)
def test_what_shapes_behaviour_stays(name: str) -> None:
    """Intervals, sizes, handler counts are why a production configuration is worth reading."""
    assert site.strip_production({name: "1"}) == ({name: "1"}, {})


TWICE = b"""<configuration>
  <!-- ours -->
  <property><name>a</name><value>1</value><final>true</final></property>
  <property><name>a</name><value>2</value></property>
  <property><name>b</name><value>3</value></property>
</configuration>"""


def test_some_properties_are_edited_and_the_rest_stays() -> None:
    """One that is there changes where it counts, one that is not is added, one may go; comments stay."""
    out = site.edited(TWICE, {"a": "5", "b": None, "c": "<6>"})
    assert site.parse_site(out) == {"a": "5", "c": "<6>"}
    assert b"<!-- ours -->" in out
    assert b"<final>true</final>" in out
    assert site.parse_site(site.edited(out, {"a": "1", "b": "3", "c": None})) == {"a": "1", "b": "3"}


def test_an_empty_file_is_begun() -> None:
    """What goes was never there; what is no configuration is refused."""
    assert site.parse_site(site.edited(b"", {"a": "1", "b": None})) == {"a": "1"}
    with pytest.raises(InputError, match="found <x>"):
        site.edited(b"<x/>", {"a": "1"})
