"""The users of a replayed log, as a NameNode is told of them."""

from __future__ import annotations

from froude.emulation.programs.audit.lines import Client
from froude.experiment.replay.accounts import account_properties


def test_groups_proxies_and_superusers() -> None:
    """Everybody has a group of its own; what is known besides is added; a name that cannot be said is left out."""
    clients = [Client("alice", "oozie"), Client("bob"), Client("a;b")]
    properties = account_properties(clients, {"bob": {"staff"}, "carol": {"x,y", "ops"}}, ["hdfs"])
    assert properties == {
        "hadoop.user.group.static.mapping.overrides": (
            "alice=alice;bob=bob,staff;carol=carol,ops;hdfs=hdfs,supergroup"
        ),
        "dfs.permissions.superusergroup": "supergroup",
        "hadoop.proxyuser.oozie.hosts": "*",
        "hadoop.proxyuser.oozie.groups": "*",
    }
