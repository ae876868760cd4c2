"""The protocol against a real NameNode: what no double of ours can vouch for."""

from __future__ import annotations

import socket
import uuid

import pytest

from froude.base.errors import TargetError
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.codec import decode_response
from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.errors import RemoteException, RemoteProtocolError
from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.server import ServerConnection
from froude.messages.leaves import leaves
from froude.messages.schema import Schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def schema(namenode: NameNode) -> Schema:
    """The release that runs."""
    from froude.hadoop.release.distribution import Hadoop

    return Hadoop.find().schema()


def connect(namenode: NameNode, schema: Schema, **options: object) -> Connection:
    """A connection to it."""
    options.setdefault("user", "root")
    return Connection(*namenode.address, schema, CLIENT, **options)  # type: ignore[arg-type]


def mkdirs(connection: Connection, path: str) -> dict[str, object]:
    """Make a directory; the answer's leaves."""
    request = connection.message("mkdirs", src=path, createParent=True)
    request.masked.perm = 0o755  # type: ignore[attr-defined]
    return dict(leaves(connection.call("mkdirs", request)))


def test_calls_and_exceptions(namenode: NameNode, schema: Schema) -> None:
    """A call works, and an exception has its class and keeps the connection."""
    with connect(namenode, schema, caller_context="froude-test") as connection:
        assert mkdirs(connection, "/rpc/a") == {"result": True}
        with pytest.raises(RemoteException, match="FileNotFoundException") as caught:
            connection.call(
                "getBlockLocations", connection.message("getBlockLocations", src="/none", offset=0, length=1)
            )
        assert not caught.value.fatal
        status = leaves(connection.call("getFileInfo", connection.message("getFileInfo", src="/rpc/a")))
        assert (status["fs.owner"], status["fs.permission.perm"]) == ("root", 0o755)


@pytest.mark.parametrize("options", [{"user": "ann", "sasl": True}, {"user": "ann", "real_user": "root"}])
def test_simple_by_sasl_and_proxy_users(
    namenode: NameNode, schema: Schema, options: dict[str, object]
) -> None:
    """SIMPLE chosen by SASL, and a user impersonated by another, both become the owner of what they make."""
    path = f"/tmp-{uuid.uuid4().hex}"
    with connect(namenode, schema) as root:
        mkdirs(root, path)
        request = root.message("setPermission", src=path)
        request.permission.perm = 0o777  # type: ignore[attr-defined]
        root.call("setPermission", request)
    with connect(namenode, schema, **options) as connection:
        mkdirs(connection, f"{path}/mine")
        status = leaves(connection.call("getFileInfo", connection.message("getFileInfo", src=f"{path}/mine")))
    assert status["fs.owner"] == "ann"


def test_the_retry_cache_knows_a_repeated_call(namenode: NameNode, schema: Schema) -> None:
    """The same ids with a raised retry count get the first answer again, a fresh call id does not."""
    client_id = uuid.uuid4().bytes
    with connect(namenode, schema, client_id=client_id) as connection:
        mkdirs(connection, "/rpc/gone")
        delete = connection.message("delete", src="/rpc/gone", recursive=True)
        assert leaves(connection.call("delete", delete, call_id=77)) == {"result": True}
    with connect(namenode, schema, client_id=client_id) as again:
        assert leaves(again.call("delete", delete, call_id=77, retry=1)) == {"result": True}
        assert leaves(again.call("delete", delete)) == {"result": False}


def test_a_delegation_token_opens_by_digest_md5(namenode: NameNode, schema: Schema) -> None:
    """Java's own DIGEST-MD5 takes our answer and proves itself to us; a changed password is refused."""
    with connect(namenode, schema, user="ann") as connection:
        token = leaves(
            connection.call("getDelegationToken", connection.message("getDelegationToken", renewer="ann"))
        )
    identifier, password = token["token.identifier"], token["token.password"]
    assert isinstance(identifier, bytes)
    assert isinstance(password, bytes)
    with (
        connect(namenode, schema, user=None, token=Token(identifier, password)) as connection,
        pytest.raises(RemoteException, match="user=ann"),
    ):
        mkdirs(connection, "/not-allowed")
    with pytest.raises(RemoteException, match="DIGEST-MD5"):
        connect(namenode, schema, user=None, token=Token(identifier, password + b"!")).open()


def test_the_web_port_is_recognised(namenode: NameNode, schema: Schema) -> None:
    """Calling the web port says that it is one."""
    with (
        pytest.raises((RemoteProtocolError, TargetError), match="HTTP"),
        Connection(*namenode.http, schema, CLIENT, user="root") as connection,
    ):
        mkdirs(connection, "/x")


@pytest.mark.parametrize("version", [2, 3, 8, 10])
def test_our_server_half_refuses_versions_as_the_real_one_does(namenode: NameNode, version: int) -> None:
    """Byte for byte the real answer to versions 3 to 8; to later ones the same but for echoed ids."""
    start = b"hrpc" + bytes([version, 0, 0])
    with socket.create_connection(namenode.address, 10) as raw:
        raw.sendall(start)
        theirs = b"".join(iter(lambda: raw.recv(65536), b""))
    double = ServerConnection()
    double.receive(start)
    ours = double.data_to_send()
    if version == 10:
        assert decode_response(ours[4:]) == decode_response(theirs[4:])
    elif version > 2:
        assert ours == theirs
