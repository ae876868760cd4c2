"""Where an application is served."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
import uvicorn

from froude.base.errors import InputError, TargetError
from froude.cache.agents.client import AgentClient
from froude.cache.agents.config import Serving, Tls
from froude.cache.agents.serving import listener, require, serve, url
from froude.cache.agents.web import application, hypervisor_app
from tests.cache.agents.test_hypervisor import hypervisor

_SECRET = "0123456789abcdef"


def test_a_free_port(tmp_path: Path) -> None:
    """It is shown; a second server at the same place is told that it is taken."""
    serving = Serving(token=tmp_path / "t")
    with listener(serving) as bound:
        assert url(serving, bound).startswith("http://127.0.0.1:")
        taken = Serving(token=tmp_path / "t", listen="{}:{}".format(*bound.getsockname()))
        with pytest.raises(InputError, match="cannot listen"):
            listener(taken)


@contextmanager
def _served(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An application by a thread; gives its address once it says that it answers."""
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

    app = hypervisor_app(hypervisor(), _SECRET)
    with listener(serving) as bound:
        thread = threading.Thread(target=serve, args=(app, serving, bound, tell))
        thread.start()
        try:
            assert ready.wait(30)
            yield told[0]
        finally:
            servers[0].should_exit = True
            thread.join(30)
            assert not thread.is_alive()


def test_it_answers_once_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And ends in good order."""
    with _served(Serving(token=tmp_path / "t"), monkeypatch) as address:
        assert requests.get(f"{address}/health", timeout=10).json() == {"status": "ok"}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not here")
def test_with_a_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who knows its authority is served; to who does not, it is nobody."""
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=agent"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    serving = Serving(token=tmp_path / "t", tls=Tls(certificate=certificate, key=key))
    with _served(serving, monkeypatch) as address:
        assert address.startswith("https://")
        known = AgentClient(address, _SECRET, authority=certificate)
        assert known.hypervisor().name == "h1"
        with pytest.raises(TargetError, match=r"(?i)certificate"):
            AgentClient(address, _SECRET).hypervisor()


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    """It is refused before anything is served."""
    (tmp_path / "c").write_text("none")
    serving = Serving(token=tmp_path / "t", tls=Tls(certificate=tmp_path / "c", key=tmp_path / "c"))
    with listener(serving) as bound, pytest.raises(InputError, match="tls: cannot be used"):
        serve(application("x", "y" * 20), serving, bound, lambda _: None)


def test_what_is_needed_is_here() -> None:
    """It is, in development."""
    require()
