"""Who is called: one RPC server of one daemon."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple

from froude.base.errors import InputError


class Target(NamedTuple):
    """An RPC server: what it does, where it listens, and whose it is.

    A tuple, because every call of a Trace and every connection of a play carries one.
    """

    service: str = ""
    """What kind of server it is, such as `namenode` or `resourcemanager-scheduler`; empty where unknown."""
    address: str = ""
    """`host:port` as its clients know it; empty where unknown."""
    id: str = ""
    """Who the daemon is: an HDFS cluster id, or start time and address of a ResourceManager; empty where unknown."""

    @property
    def host(self) -> str:
        """The address without its port."""
        return self.address.rpartition(":")[0]

    @property
    def port(self) -> int | None:
        """The address's port; None where it has none."""
        port = self.address.rpartition(":")[2]
        return int(port) if port.isdecimal() else None


UNKNOWN = Target()

_HDFS = "org.apache.hadoop.hdfs"
_YARN = "org.apache.hadoop.yarn"
SERVICES = {
    f"{_HDFS}.protocol.ClientProtocol": "namenode",
    f"{_HDFS}.server.protocol.DatanodeProtocol": "namenode",
    f"{_HDFS}.server.protocol.DatanodeLifelineProtocol": "namenode",
    f"{_HDFS}.server.protocol.NamenodeProtocol": "namenode",
    f"{_HDFS}.protocol.ClientDatanodeProtocol": "datanode",
    f"{_HDFS}.server.protocol.InterDatanodeProtocol": "datanode",
    f"{_HDFS}.qjournal.protocol.QJournalProtocol": "journalnode",
    f"{_YARN}.api.ApplicationClientProtocolPB": "resourcemanager",
    f"{_YARN}.api.ApplicationMasterProtocolPB": "resourcemanager-scheduler",
    f"{_YARN}.server.api.ResourceTrackerPB": "resourcemanager-tracker",
    f"{_YARN}.api.ContainerManagementProtocolPB": "nodemanager",
    f"{_YARN}.server.nodemanager.api.LocalizationProtocolPB": "nodemanager-localizer",
}
"""The server that speaks a protocol, where just one kind does."""
_HADOOPS = "org.apache.hadoop."
_SHORT = frozenset(protocol.rpartition(".")[2] for protocol in SERVICES)
"""The last parts of their names, which a schema finds as well."""
_ANSWERS_FOR = {"resourcemanager-scheduler": "resourcemanager", "resourcemanager-tracker": "resourcemanager"}


_NAMES = {"namenode": "NameNode", "resourcemanager": "ResourceManager", "nodemanager": "NodeManager"}


def daemon_name(service: str) -> str:
    """What people call the daemon of a service: `NameNode`; `target` for an unknown one, else the service itself."""
    return _NAMES.get(answers_for(service), service or "target")


def answers_for(service: str) -> str:
    """The server of the same daemon that can be asked who it is; the service itself where it is that one."""
    return _ANSWERS_FOR.get(service, service)


def same_daemon(service: str, one_id: str, other_id: str) -> bool:
    """Whether two ids are one daemon's, perhaps reached under another name: of a ResourceManager its start time tells.

    Args:
        one_id: an id, as in `Target.id`.
    """
    if answers_for(service) == "resourcemanager":
        return one_id.partition("@")[0] == other_id.partition("@")[0]
    return one_id == other_id


def service_of(protocol: str) -> str:
    """The service that speaks a protocol; empty for one that several speak, or that is not known."""
    return SERVICES.get(protocol, "")


def is_hadoops(protocol: str) -> bool:
    """Whether a protocol may be Hadoop's by its name: of a package of Hadoop's, or a short name, which tells nothing.

    `Rpc` is what tables of calls have that name none.
    """
    package, _, short = protocol.rpartition(".")
    return protocol.startswith(_HADOOPS) or short in _SHORT or (not package and short != "Rpc")


def parse_address(text: str, *, place: str, free_port: bool = False) -> tuple[str, int]:
    """Host and port of `hdfs://HOST:PORT` or `HOST:PORT`.

    Args:
        free_port: whether port 0 may be asked for, to listen on a free one.

    Raises:
        InputError: another form.
    """
    host, _, port = text.removeprefix("hdfs://").rstrip("/").rpartition(":")
    lowest = 0 if free_port else 1
    decimal = port.isascii() and port.isdecimal() and len(port) < 6
    if not host or not decimal or not lowest <= int(port) < 1 << 16:
        allowed = "HOST:PORT, port 0 to 65535" if free_port else "hdfs://HOST:PORT"
        raise InputError("is not an address", place=place, found=text, allowed=allowed)
    host = host.strip("[]")
    try:
        host.encode("idna")  # as a look-up does first
    except UnicodeError as error:
        raise InputError(
            "has no name of a host", place=place, found=text, allowed="hdfs://HOST:PORT"
        ) from error
    return host, int(port)


def target_at(service: str, address: tuple[str, int], identity: str) -> Target:
    """The target of a service at an address."""
    return Target(service, f"{address[0]}:{address[1]}", identity)


def is_loopback(addresses: str) -> bool:
    """Whether all of `HOST:PORT, HOST:PORT` are loopback addresses, so that who listens there shares this machine."""
    hosts = [address.strip().rpartition(":")[0].strip("[]") for address in addresses.split(",")]
    return all(host == "localhost" or _loopback(host) for host in hosts)


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, which may lead anywhere: 127.example.com
        return False
