"""The configuration of daemons: what each is told, and what is left to Hadoop."""

from __future__ import annotations

from froude.hadoop.settings import hdfs as settings


def test_only_the_namenode_is_told_where_it_listens() -> None:
    """A client that reads `dfs.namenode.rpc-address` would go round a capture proxy."""
    shared = settings.hdfs_site(replication=2, user="me", extra={})
    own = settings.namenode_site(rpc=("127.1.1.1", 1), http=("127.1.1.1", 2), folder="/x", extra={})
    assert not [key for key in shared if "address" in key]
    assert own["dfs.namenode.rpc-address"] == "127.1.1.1:1"


def test_further_properties_go_where_they_belong_and_win() -> None:
    """`dfs.*` to the one file, the rest to the other."""
    extra = {"dfs.replication": "7", "ipc.ping.interval": "1"}
    core = settings.core_site("hdfs://x:1", scratch="/s", user="me", extra=extra)
    hdfs = settings.hdfs_site(replication=2, user="me", extra=extra)
    assert core["ipc.ping.interval"] == "1"
    assert "dfs.replication" not in core
    assert hdfs["dfs.replication"] == "7"
    assert "ipc.ping.interval" not in hdfs


def test_hadoops_own_intervals_are_left_alone() -> None:
    """They shape behaviour: a scale model that beats faster than the ship tells nothing of it."""
    keys = {
        *settings.hdfs_site(replication=2, user="me", extra={}),
        *settings.datanode_site("127.1.1.10", ports=(1, 2, 3), folder="/x"),
    }
    assert not [key for key in keys if "interval" in key or "decommission" in key]


def test_the_audit_log_has_a_file_of_its_own() -> None:
    """And can be switched off."""
    assert "log4j.appender.AUDIT.File=/a.log" in settings.log4j(audit="/a.log")
    assert "audit=OFF" in settings.log4j()
    assert "AUDIT" not in settings.log4j()


def test_each_daemon_is_told_its_own_addresses_and_folder() -> None:
    """Folders are named as URLs, as Hadoop wants them."""
    namenode = settings.namenode_site(rpc=("127.1.1.1", 8), http=("127.1.1.1", 9), folder="/n", extra={})
    assert namenode["dfs.namenode.http-address"] == "127.1.1.1:9"
    assert namenode["dfs.namenode.rpc-bind-host"] == namenode["dfs.namenode.http-bind-host"] == "127.1.1.1"
    assert namenode["dfs.namenode.name.dir"] == "file:///n"
    assert settings.datanode_site("127.1.1.10", ports=(1, 2, 3), folder="/d") == {
        "dfs.datanode.hostname": "127.1.1.10",
        "dfs.datanode.address": "127.1.1.10:1",
        "dfs.datanode.http.address": "127.1.1.10:2",
        "dfs.datanode.ipc.address": "127.1.1.10:3",
        "dfs.datanode.data.dir": "file:///d",
    }


def test_the_user_may_act_for_others_and_is_the_superuser() -> None:
    """A play sends calls in the name of those that were recorded."""
    core = settings.core_site("hdfs://x:1", scratch="/s", user="me", extra={})
    assert (core["fs.defaultFS"], core["hadoop.tmp.dir"]) == ("hdfs://x:1", "/s")
    assert core["hadoop.proxyuser.me.hosts"] == core["hadoop.proxyuser.me.groups"] == "*"
    hdfs = settings.hdfs_site(replication=2, user="me", extra={})
    assert (hdfs["dfs.replication"], hdfs["dfs.permissions.superusergroup"]) == ("2", "me")


def test_clients_log_warnings_to_standard_error_and_daemons_to_their_file() -> None:
    """What a client program prints on standard output is its answer and nothing else."""
    daemon, client = settings.log4j().splitlines(), settings.shell_log4j().splitlines()
    assert "log4j.appender.F.File=${froude.log}" in daemon
    assert "log4j.appender.E.target=System.err" in client
    assert [line for line in (*daemon, *client) if "rootLogger" in line] == [
        "log4j.rootLogger=INFO,F",
        "log4j.rootLogger=WARN,E",
    ]


def test_metrics_are_fresh_and_tell_of_the_lock() -> None:
    """A play is sampled each second: values must not be ten seconds old, and the namespace lock must be among them."""
    namenode = settings.namenode_site(rpc=("127.1.1.1", 8), http=("127.1.1.1", 9), folder="/n", extra={})
    assert namenode["dfs.namenode.lock.detailed-metrics.enabled"] == "true"
    properties = dict(line.split("=") for line in settings.metrics2().splitlines())
    assert int(properties["*.periodMillis"]) == settings.METRICS_PERIOD_S * 1000 == 500
