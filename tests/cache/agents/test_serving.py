"""Where an application is served."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import requests
import uvicorn

from froude.base.errors import InputError
from froude.cache.agents.config import Serving, Tls
from froude.cache.agents.serving import listener, require, serve, url
from froude.cache.agents.web import application


def test_a_free_port(tmp_path: Path) -> None:
    """It is shown; a second server at the same place is told that it is taken."""
    serving = Serving(token=tmp_path / "t")
    with listener(serving) as bound:
        assert url(serving, bound).startswith("http://127.0.0.1:")
        taken = Serving(token=tmp_path / "t", listen="{}:{}".format(*bound.getsockname()))
        with pytest.raises(InputError, match="cannot listen"):
            listener(taken)


def test_it_answers_once_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And ends in good order."""
    servers: list[uvicorn.Server] = []
    begin = uvicorn.Server.__init__
    monkeypatch.setattr(
        uvicorn.Server, "__init__", lambda self, config: (servers.append(self), begin(self, config))[1]
    )
    serving, told, ready = Serving(token=tmp_path / "t"), [], threading.Event()
    bound = listener(serving)

    def tell(address: str) -> None:
        told.append(address)
        ready.set()

    thread = threading.Thread(target=serve, args=(application("x", "y" * 20), serving, bound, tell))
    thread.start()
    assert ready.wait(30)
    assert requests.get(f"{told[0]}/health", timeout=10).json() == {"status": "ok"}
    servers[0].should_exit = True
    thread.join(30)
    assert not thread.is_alive()
    bound.close()


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    """It is refused before anything is served."""
    (tmp_path / "c").write_text("none")
    serving = Serving(token=tmp_path / "t", tls=Tls(certificate=tmp_path / "c", key=tmp_path / "c"))
    with listener(serving) as bound, pytest.raises(InputError, match="tls: cannot be used"):
        serve(application("x", "y" * 20), serving, bound, lambda _: None)


def test_what_is_needed_is_here() -> None:
    """It is, in development."""
    require()
