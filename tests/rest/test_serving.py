"""Where an application is served."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import requests
import uvicorn

from froude.base.errors import InputError, TargetError
from froude.rest.application import application
from froude.rest.calls import JsonCalls
from froude.rest.serving import Bound, Tls, listener, may_listen, serve, served

_SECRET = "0123456789abcdef"
_APP = application("test", _SECRET)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not here")


@pytest.fixture
def tls(tmp_path: Path) -> Tls:
    """A certificate of this machine's loopback address that signs itself."""
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    return Tls(certificate=certificate, key=key)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_a_free_port(host: str) -> None:
    """It is shown; a second server at the same place is told that it is taken."""
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    with closing(listener(f"{host}:0")) as bound:
        assert bound.url.startswith(f"http://{host}:")
        with pytest.raises(InputError, match="--here: cannot listen"):
            listener(bound.url.removeprefix("http://"), place="--here")


def test_it_is_reached_under_the_name_that_it_was_told() -> None:
    """A certificate is for a name, not for the address that stands for it; everywhere is the name of this machine."""
    for listen, name in (("localhost:0", "localhost"), ("0.0.0.0:0", socket.getfqdn())):
        with closing(listener(listen, Tls(certificate=Path("c"), key=Path("k")))) as bound:
            assert bound.url == f"https://{name}:{bound.socket.getsockname()[1]}"


def test_a_secret_stays_on_this_machine_without_a_certificate() -> None:
    """Which is said before anybody listens."""
    may_listen("127.0.0.1:0", None)
    may_listen("0.0.0.0:80", Tls(certificate=Path("c"), key=Path("k")))
    with pytest.raises(InputError, match=r"listen: needs a certificate.*found 0\.0\.0\.0:80"):
        may_listen("0.0.0.0:80", None)
    with pytest.raises(InputError, match="--listen: is not an address"):
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


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    """It is refused before anything is served."""
    (tmp_path / "c").write_text("none")
    none = Tls(certificate=tmp_path / "c", key=tmp_path / "c")
    with closing(listener("127.0.0.1:0", none)) as bound:
        with pytest.raises(InputError, match="tls: cannot be used"):
            serve(_APP, bound, lambda _: None)
        with pytest.raises(InputError, match="tls: cannot be used"), served(_APP, bound):
            pass
