"""Ways to daemons: who listens where, for whom, and from where calls go on."""

from __future__ import annotations

from froude.hadoop.rpc.target import Target
from froude.hadoop.settings.routes import Masters, ways_of_nodes, ways_to_nodemanagers

MASTERS = Masters(Target("namenode", "127.1.1.1:9000", "CID-1"), "127.1.1.2", "1795")
IDENTITY = "1795@127.1.1.2:8032"


def test_clients_find_all_masters_at_one_address() -> None:
    """Each server of the ResourceManager is a target of its own, with the id of the one daemon."""
    ways = MASTERS.ways("127.1.1.4")
    assert [(way.listen, way.target) for way in ways] == [
        (("127.1.1.4", 9000), MASTERS.namenode),
        (("127.1.1.4", 8030), Target("resourcemanager-scheduler", "127.1.1.2:8030", IDENTITY)),
        (("127.1.1.4", 8031), Target("resourcemanager-tracker", "127.1.1.2:8031", IDENTITY)),
        (("127.1.1.4", 8032), Target("resourcemanager", "127.1.1.2:8032", IDENTITY)),
        (("127.1.1.4", 8033), Target("resourcemanager-admin", "127.1.1.2:8033", IDENTITY)),
    ]
    assert {(way.source, way.onward) for way in ways} == {(None, None)}


def test_a_resourcemanager_that_was_not_asked_has_no_id() -> None:
    """As behind plain relays."""
    masters = Masters(MASTERS.namenode, "127.1.1.2")
    assert {target.id for target in masters.targets()} == {"CID-1", ""}


def test_nodes_are_seen_to_come_from_their_own_address() -> None:
    """A node with a DataNode alone, and the JobHistoryServer, find the NameNode alone; no address stands twice."""
    nodes = {"nodemanagers": ["127.1.1.10"], "datanodes": ["127.1.1.10", "127.1.1.11"]}
    ways = ways_of_nodes(MASTERS, jobhistory="127.1.1.3", **nodes)
    assert [way.listen for way in ways] == [
        *(("127.1.1.10", port) for port in (9000, 8030, 8031, 8032, 8033)),
        ("127.1.1.11", 9000),
        ("127.1.1.3", 9000),
    ]
    assert all(way.source == way.listen[0] for way in ways)


def test_a_nodemanager_is_called_where_it_is_known() -> None:
    """And listens elsewhere."""
    (way,) = ways_to_nodemanagers(["127.1.1.10"], ["127.9.9.10"])
    assert way.listen == ("127.1.1.10", 8041)
    assert way.target == Target("nodemanager", "127.1.1.10:8041", "")
    assert (way.source, way.onward) == (None, ("127.9.9.10", 8041))
