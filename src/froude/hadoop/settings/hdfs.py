"""The configuration of the daemons that Froude starts: plain mappings, nothing is read or written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Site = dict[str, str]
"""Properties of one `*-site.xml`."""

METRICS_PERIOD_S = 0.5
"""How old what a NameNode of ours says of itself may be; half of the interval in which it is asked."""
_LAYOUT = "%d{ISO8601} %p %c{2}: %m%n"


def core_site(default_fs: str, *, scratch: str, user: str, extra: Mapping[str, str]) -> Site:
    """What every daemon and client of a cluster shares.

    Args:
        default_fs: the NameNode, as `hdfs://host:port`.
        user: who may act for others: the player sends calls in the name of recorded users.
    """
    return {
        "fs.defaultFS": default_fs,
        "hadoop.tmp.dir": scratch,
        "hadoop.caller.context.enabled": "true",
        f"hadoop.proxyuser.{user}.hosts": "*",
        f"hadoop.proxyuser.{user}.groups": "*",
        "hadoop.security.token.service.use_ip": "true",
        **{key: value for key, value in extra.items() if not key.startswith("dfs.")},
    }


def hdfs_site(*, replication: int, user: str, extra: Mapping[str, str]) -> Site:
    """What the HDFS daemons and clients of a cluster share.

    Blocks are small, so that small files show what large ones do; monitors of replication and decommission
    keep Hadoop's own intervals, for these shape behaviour.

    Args:
        replication: copies of each block.
        user: the superuser; permissions are checked as in production.
    """
    return {
        "dfs.replication": str(replication),
        "dfs.blocksize": str(1 << 20),
        "dfs.namenode.fs-limits.min-block-size": "1024",
        "dfs.permissions.superusergroup": user,
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.namenode.safemode.extension": "0",
        **{key: value for key, value in extra.items() if key.startswith("dfs.")},
    }


def namenode_site(
    *, rpc: tuple[str, int], http: tuple[str, int], folder: str, extra: Mapping[str, str]
) -> Site:
    """What only the NameNode is told: its addresses, its folders, and to measure its lock and its calls finely.

    Args:
        rpc: address and port of its RPC server.
        http: address and port of its web server, which answers `/jmx`.
    """
    return {
        "dfs.namenode.rpc-address": f"{rpc[0]}:{rpc[1]}",
        "dfs.namenode.rpc-bind-host": rpc[0],
        "dfs.namenode.http-address": f"{http[0]}:{http[1]}",
        "dfs.namenode.http-bind-host": http[0],
        "dfs.namenode.name.dir": f"file://{folder}",
        "dfs.namenode.lock.detailed-metrics.enabled": "true",
        "rpc.metrics.timeunit": "MICROSECONDS",
        **{key: value for key, value in extra.items() if key.startswith("dfs.")},
    }


def metrics2() -> str:
    """A `hadoop-metrics2.properties`: values that JMX tells are `METRICS_PERIOD_S` old at most, instead of ten seconds.

    Source: `MetricsSystemImpl` and `MetricsSourceAdapter` of Hadoop; the cache of a source lasts one period.
    """
    return f"*.period=1\n*.periodMillis={METRICS_PERIOD_S * 1e3:.0f}\n"


def datanode_site(address: str, *, ports: tuple[int, int, int], folder: str) -> Site:
    """What only one DataNode is told.

    Args:
        address: its own loopback address, also its host name.
        ports: of data transfer, HTTP and IPC; the same on every node, as in a real cluster.
    """
    data, http, ipc = ports
    return {
        "dfs.datanode.hostname": address,
        "dfs.datanode.address": f"{address}:{data}",
        "dfs.datanode.http.address": f"{address}:{http}",
        "dfs.datanode.ipc.address": f"{address}:{ipc}",
        "dfs.datanode.data.dir": f"file://{folder}",
    }


def log4j(*, audit: str | None = None) -> str:
    """A `log4j.properties`: one file a daemon, the audit log in one of its own.

    Args:
        audit: the audit log's file; None switches auditing off.
    """
    lines = [
        "log4j.rootLogger=INFO,F",
        "log4j.appender.F=org.apache.log4j.FileAppender",
        "log4j.appender.F.File=${froude.log}",
        "log4j.appender.F.layout=org.apache.log4j.PatternLayout",
        f"log4j.appender.F.layout.ConversionPattern={_LAYOUT}",
        "log4j.logger.org.apache.hadoop.hdfs.StateChange=WARN",
        "log4j.logger.BlockStateChange=WARN",
        "log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR",
    ]
    name = "log4j.logger.org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit"
    if audit is None:
        lines.append(f"{name}=OFF")
    else:
        lines += [
            f"{name}=INFO,AUDIT",
            "log4j.additivity.org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit=false",
            "log4j.appender.AUDIT=org.apache.log4j.FileAppender",
            f"log4j.appender.AUDIT.File={audit}",
            "log4j.appender.AUDIT.layout=org.apache.log4j.PatternLayout",
            f"log4j.appender.AUDIT.layout.ConversionPattern={_LAYOUT}",
        ]
    return "\n".join(lines) + "\n"


def shell_log4j(*, told: Sequence[str] = ()) -> str:
    """A quiet `log4j.properties` for client programs: warnings to standard error.

    Args:
        told: classes whose remarks are shown as well.
    """
    return "\n".join(
        [
            "log4j.rootLogger=WARN,E",
            "log4j.appender.E=org.apache.log4j.ConsoleAppender",
            "log4j.appender.E.target=System.err",
            "log4j.appender.E.layout=org.apache.log4j.PatternLayout",
            f"log4j.appender.E.layout.ConversionPattern={_LAYOUT}",
            "log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR",
            *(f"log4j.logger.{name}=INFO" for name in told),
            "",
        ]
    )
