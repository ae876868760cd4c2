"""A connection makes calls over a socket, and states every way in which a peer can fail it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.hadoop.rpc.connection import Connection, current_user, stated
from froude.hadoop.rpc.errors import RemoteException, RemoteProtocolError
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.server import ServerConnection
from froude.messages.schema import Schema
from tests.support.hadoop.class_writer import ping_jar
from tests.support.hadoop.rpc.double import daemon, reset
from tests.support.hadoop.rpc.token_server import DigestMd5Server, TokenServer

PING = "org.example.PingProtocol"
TOKEN = Token(b"who", b"secret")


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    """The schema of one synthetic protocol."""
    folder = tmp_path_factory.mktemp("ping")
    return Schema.from_jars([ping_jar(folder / "hadoop-ping.jar")], Path(folder))


def echo(core: ServerConnection, call: Request) -> bytes:
    """An empty result."""
    return core.respond(call.call_id, b"")


def refuse(core: ServerConnection, call: Request) -> bytes:
    """An exception."""
    return core.fail(call.call_id, "java.io.FileNotFoundException", "File does not exist: /a\n\tat x")


def ping(connection: Connection) -> object:
    """One call."""
    return connection.call("ping", connection.message("ping", src="/a"))


def token_core() -> ServerConnection:
    """A core that wants the token."""
    return TokenServer(DigestMd5Server({b"who": b"secret"}.get, b"n" * 16))


def test_calls_and_exceptions(schema: Schema) -> None:
    """A result is decoded; an exception is raised with its class, and the connection lives on."""
    answers = iter([echo, refuse, echo])

    def answer(core: ServerConnection, call: Request) -> bytes:
        return next(answers)(core, call)

    with (
        daemon(answer) as address,
        Connection(*address, schema, PING) as connection,
    ):
        assert type(ping(connection)).__name__ == "PingResponse"
        with pytest.raises(RemoteException, match=r"File does not exist: /a$") as caught:
            ping(connection)
        assert caught.value.error_class == "java.io.FileNotFoundException"
        assert caught.value.file == f"127.0.0.1:{address[1]}"
        ping(connection)


def test_tokens_and_sasl(schema: Schema) -> None:
    """A token opens a door that is closed without it, or with another."""
    with daemon(echo, make=token_core) as address:
        with Connection(*address, schema, PING, token=TOKEN) as connection:
            ping(connection)
        with (
            pytest.raises(RemoteException, match="SIMPLE authentication is not enabled"),
            Connection(*address, schema, PING) as connection,
        ):
            ping(connection)
        with pytest.raises(RemoteException, match="digest"):
            Connection(*address, schema, PING, token=Token(b"who", b"other")).open()
    with (
        daemon(echo) as address,
        Connection(*address, schema, PING, sasl=True, source="127.0.0.9") as connection,
    ):
        ping(connection)


def hang(core: ServerConnection, call: Request) -> bytes:
    """Nothing, for long enough."""
    time.sleep(0.4)
    return b""


def garbage(core: ServerConnection, call: Request) -> bytes:
    """Bytes that are no frame."""
    return b"\xff" * 64


def no_ping(core: ServerConnection, call: Request) -> bytes:
    """A result that is no PingResponse."""
    return core.respond(call.call_id, b"\x0a\xff")


def fatal(core: ServerConnection, call: Request) -> bytes:
    """An exception that ends the connection."""
    return core.fail(call.call_id, "E", "over", fatal=True)


def html(core: ServerConnection, call: Request) -> bytes:
    """A web server's answer."""
    return b"HTTP/1.1 400 Bad Request\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (hang, TargetError, "did not answer in 0.2 s while calling ping"),
        (lambda *_: None, TargetError, "closed the connection before it answered"),
        (garbage, RemoteProtocolError, "impossible frame"),
        (no_ping, TargetError, "no test.ping.PingResponse"),
        (fatal, RemoteException, "answered E: over"),
        (html, RemoteProtocolError, "speaks HTTP"),
    ],
)
def test_every_failure_of_a_peer_is_stated(
    schema: Schema, answer: Callable[..., bytes | None], kind: type[TargetError], text: str
) -> None:
    """Hung, closed, garbled, malformed, fatal: one error each, which names the peer."""
    with daemon(answer) as address, Connection(*address, schema, PING, timeout_s=0.2) as connection:
        with pytest.raises(kind, match=text) as caught:
            ping(connection)
        assert str(caught.value).startswith(f"127.0.0.1:{address[1]}: ")


def test_a_reset_and_a_refusal_are_told_apart(schema: Schema) -> None:
    """A port that nobody listens on, and a daemon that resets, have their own words."""
    with (
        daemon(echo, greet=lambda one: reset(one) or True) as address,
        pytest.raises(TargetError, match=r"(reset|closed) the connection"),
    ):
        ping(_opened(address, schema))
    with pytest.raises(TargetError, match=r"refused the connection\. Is the daemon up"):
        Connection(*address, schema, PING).open()
    with pytest.raises(TargetError, match="is not open"):
        ping(Connection(*address, schema, PING))


def _opened(address: tuple[str, int], schema: Schema) -> Connection:
    connection = Connection(*address, schema, PING)
    connection.open()
    time.sleep(0.05)
    return connection


def test_a_required_field_that_is_not_set_is_the_caller_s_error(schema: Schema) -> None:
    """A message that cannot be serialised raises ValueError and sends nothing."""
    from google.protobuf.descriptor_pb2 import UninterpretedOption

    with pytest.raises(ValueError, match="UninterpretedOption"):
        Connection("h", 1, schema, PING).encode(UninterpretedOption(name=[UninterpretedOption.NamePart()]))


def test_other_system_errors_and_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown host is stated in the system's words; HADOOP_USER_NAME names the user."""
    assert "cannot be reached while connecting (no such host)" in str(
        stated(socket.gaierror(-2, "no such host"), "h:1", "connecting", 1)
    )
    monkeypatch.setenv("HADOOP_USER_NAME", "ada")
    assert current_user() == "ada"
    for name in ("HADOOP_USER_NAME", "USER", "LOGNAME", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    assert current_user()
