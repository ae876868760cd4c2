"""Where an application is served."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
import requests
import uvicorn

from froude.base.errors import InputError, TargetError
from froude.rest.application import application
from froude.rest.bounded import Patience
from froude.rest.calls import JsonCalls
from froude.rest.serving import Bound, Tls, listener, may_listen, serve, served
from tests.support.rest.certificates import needs_openssl, openssl
from tests.support.rest.certificates import tls as tls

_SECRET = "0123456789abcdef"
_APP = application("test", _SECRET)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_a_free_port(host: str) -> None:
    """It is shown; a second server at the same place is told that it is taken."""
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    with closing(listener(f"{host}:0")) as bound:
        assert bound.url.startswith(f"http://{host}:")
        with pytest.raises(InputError, match="--here: cannot listen"):
            listener(bound.url.removeprefix("http://"), place="--here")


@needs_openssl
def test_it_is_reached_under_the_name_that_it_was_told(tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate is for a name, not for the address that stands for it; everywhere is the name of this machine."""
    for full, name in (("a.example", "a.example"), ("localhost.localdomain", socket.gethostname())):
        monkeypatch.setattr(socket, "getfqdn", lambda full=full: full)
        for listen, shown in (("localhost:0", "localhost"), ("0.0.0.0:0", name)):
            with closing(listener(listen, tls)) as bound:
                assert bound.url == f"https://{shown}:{bound.socket.getsockname()[1]}"


def test_a_secret_stays_on_this_machine_without_a_certificate() -> None:
    """Which is said before anybody listens."""
    may_listen("127.0.0.1:0", None)
    may_listen("0.0.0.0:80", Tls(certificate=Path("c"), key=Path("k")))
    for elsewhere in ("0.0.0.0:80", "[::]:80", "10.0.0.1:80", "rm.example.com:80"):
        with pytest.raises(InputError, match=f"listen: needs a certificate.*found {re.escape(elsewhere)}"):
            may_listen(elsewhere, None)
    with pytest.raises(InputError, match="--listen: "):
        may_listen("here", None, place="--listen")


@contextmanager
def _in_the_foreground(bound: Bound, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Gives its address once it says that it answers."""
    servers: list[uvicorn.Server] = []
    begin = uvicorn.Server.__init__
    monkeypatch.setattr(
        uvicorn.Server, "__init__", lambda self, config: (servers.append(self), begin(self, config))[1]
    )
    told: list[str] = []
    ready = threading.Event()

    def tell(address: str) -> None:
        told.append(address)
        ready.set()

    thread = threading.Thread(target=serve, args=(_APP, bound, tell))
    thread.start()
    try:
        assert ready.wait(30)
        yield told[0]
    finally:
        servers[0].should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def test_it_answers_once_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """And ends in good order."""
    with closing(listener("127.0.0.1:0")) as bound, _in_the_foreground(bound, monkeypatch) as address:
        assert requests.get(f"{address}/health", timeout=10).json() == {"status": "ok"}


@needs_openssl
def test_with_a_certificate(tls: Tls) -> None:
    """Who knows its authority is served; to who does not, it is nobody."""
    bound = listener("127.0.0.1:0", tls)
    with served(_APP, bound):
        assert bound.url.startswith("https://")
        assert JsonCalls(bound.url, "", authority=tls.certificate).send("GET", "health") == {"status": "ok"}
        with pytest.raises(TargetError, match=r"(?i)certificate"):
            JsonCalls(bound.url, "").send("GET", "health")


def test_it_listens_while_the_block_runs() -> None:
    """Then nobody is there."""
    bound = listener("127.0.0.1:0")
    with served(_APP, bound):
        assert JsonCalls(bound.url, "").send("GET", "health") == {"status": "ok"}
    with pytest.raises(TargetError, match="refused"):
        JsonCalls(bound.url, "").send("GET", "health")


@needs_openssl
def test_a_handshake_that_does_not_end(tls: Tls) -> None:
    """Is cut off."""
    bound = listener("127.0.0.1:0", tls)
    with (
        served(_APP, bound, Patience(request_s=0.2)),
        socket.create_connection(bound.socket.getsockname(), 30) as peer,
        suppress(OSError),
    ):
        peer.sendall(b"\x16\x03\x01")
        assert not peer.recv(1)


@needs_openssl
def test_certificates_that_cannot_be_used(tls: Tls, tmp_path: Path) -> None:
    """Each with the file that is wrong, before anybody listens; nobody is asked for a pass phrase."""
    none, other, locked = tmp_path / "none", tmp_path / "other.pem", tmp_path / "locked.pem"
    none.write_text("none")
    openssl("genpkey", "-algorithm", "RSA", "-out", str(other))
    openssl("pkey", "-in", str(tls.key), "-aes256", "-passout", "pass:secret", "-out", str(locked))
    for certificate, key, message in (
        (tmp_path / "absent", tls.key, "absent: "),
        (tls.certificate, tmp_path / "absent", "absent: "),
        (tmp_path, tls.key, "is a folder"),
        (none, tls.key, "none: "),
        (tls.certificate, none, "c.pem: is no certificate with the key .*none"),
        (tls.certificate, other, "c.pem: .*other.pem"),
        (tls.certificate, locked, "locked.pem: is encrypted"),
    ):
        with pytest.raises(InputError, match=message):
            listener("127.0.0.1:0", Tls(certificate=certificate, key=key))


def test_only_what_is_wrong_here_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a peer that speaks no HTTP, nor a request that the end cuts off; an error of ours is."""
    app = application("test", _SECRET)
    asked = threading.Event()

    @app.get("/hangs")
    async def hangs() -> None:
        asked.set()
        await asyncio.sleep(60)

    @app.get("/fails")
    def fails() -> None:
        raise ZeroDivisionError

    bound = listener("127.0.0.1:0")
    with (
        served(app, bound, Patience(request_s=1)),
        socket.create_connection(bound.socket.getsockname(), 30) as peer,
    ):
        peer.sendall(b"what\r\n\r\n")
        assert peer.recv(100).startswith(b"HTTP/1.1 400")
        assert requests.get(f"{bound.url}/fails", timeout=30).status_code == 500
        said = ""
        while "ZeroDivisionError" not in said:  # it is said after the answer
            said += capfd.readouterr().err
        assert "Invalid HTTP" not in said
        with socket.create_connection(bound.socket.getsockname(), 30) as waiting:
            waiting.sendall(b"GET /hangs HTTP/1.1\r\nHost: h\r\n\r\n")
            assert asked.wait(30)
            peer.close()
    assert not capfd.readouterr().err
