"""`froude cache serve`, `agent` and `disk`: their words; as processes they serve in other tests."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from froude.cache.control import process
from froude.cache.disk import process as disk_process
from froude.cache.disk.process import DiskSettings
from froude.cache.disk.status import DiskStatus, Limits
from froude.cli.app import run

_WORDS = ["cache", "disk", "vm.raw", "--cache", "ssd/vm.cache"]
Out = pytest.CaptureFixture[str]
_AGENT = """\
froude: cache-agent/1
kind: vm
name: vm1
listen: 127.0.0.1:8079
token: token
"""
_CONTROLLER = """\
froude: cache-controller/1
token: token
state: state
hypervisors: {h1: {agent: 'http://127.0.0.1:8078'}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With both files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.yaml").write_text(_AGENT)
    (tmp_path / "controller.yaml").write_text(_CONTROLLER)
    return tmp_path


def test_an_agent_tells_where_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """As JSON for programs, as a note for people."""
    monkeypatch.setattr(process, "run_agent", lambda config, *, ready, failed: ready(f"http://{config.name}"))
    assert run(["cache", "agent", "agent.yaml", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"address": "http://vm1"}
    assert "serving at http://vm1" in said.err


def test_a_dry_agent(folder: Path, capsys: Out) -> None:
    """It says what it would do, and does nothing."""
    assert run(["cache", "agent", "agent.yaml", "--dry-run"]) == 0
    assert "Would serve the agent vm1 at 127.0.0.1:8079" in capsys.readouterr().out


def test_a_controller(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told its file; chance follows the seed."""
    told = []
    monkeypatch.setattr(
        process, "run_controller", lambda config, **more: told.append((config.apply, more["seed"]))
    )
    assert run(["cache", "serve", "controller.yaml", "--seed", "7"]) == 0
    assert told == [(True, 7)]


def test_a_dry_controller(folder: Path, capsys: Out) -> None:
    """It says what it would do, and does nothing."""
    assert run(["cache", "serve", "controller.yaml", "--dry-run"]) == 0
    assert "Would split the SSDs of h1 by" in capsys.readouterr().out
    assert not (folder / "state").exists()


@pytest.mark.parametrize("command", ["agent", "serve"])
def test_a_wrong_file(folder: Path, command: str, capsys: Out) -> None:
    """One error, with its place."""
    (folder / "wrong.yaml").write_text("froude: trace/1\n")
    assert run(["cache", command, "wrong.yaml"]) == 1
    assert capsys.readouterr().err.startswith("froude: wrong.yaml:1:")


def test_what_must_be_installed(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """The extra is named."""
    from froude.cli.cache import serving

    monkeypatch.setattr(serving, "_NEEDED", ("no_such_library",))
    assert run(["cache", "serve", "controller.yaml"]) == 1
    assert "no_such_library" in capsys.readouterr().err


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[DiskSettings]:
    """What is asked to be served."""
    found: list[DiskSettings] = []

    def serve(settings: DiskSettings, ready: Any, note: Any) -> DiskStatus:
        found.append(settings)
        address = "" if settings.port is None else "nbd://127.0.0.1:1"
        ready(DiskStatus(image_bytes=1 << 30, restored_chunks=2, used_bytes=32768), address)
        note("a remark")
        return DiskStatus(hits=3, misses=1, reads=4)

    monkeypatch.setattr(disk_process, "serve", serve)
    return found


def test_what_is_said_is_served(asked: list[DiskSettings], capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes in their units, sockets beside one another; it ends with 0 and what it did."""
    words = [
        "--size",
        "4GB",
        "--socket",
        "run/vm.sock",
        "--chunk",
        "64K",
        "--iops",
        "500",
        "--bandwidth",
        "10MB",
    ]
    assert run([*_WORDS, *words, "--direct", "--port", "0"]) == 0
    assert asked == [
        DiskSettings(
            image=Path("vm.raw"),
            cache=Path("ssd/vm.cache"),
            size_bytes=4_000_000_000,
            socket=Path("run/vm.sock"),
            control=Path("run/vm.sock.control"),
            port=0,
            chunk_bytes=65536,
            limits=Limits(500, 10_000_000),
            direct=True,
        )
    ]
    said = capsys.readouterr()
    assert "of 4 chunks read 75.0% from the cache" in said.out
    assert "serving vm.raw (1GiB) at nbd+unix:///?socket=run/vm.sock" in said.err
    assert "nbd://127.0.0.1:1" in said.err
    assert ": 32KiB found and kept" in said.err
    assert "note: a remark" in said.err


def test_by_a_port_only(asked: list[DiskSettings], capsys: pytest.CaptureFixture[str]) -> None:
    """Commands are taken beside the cache then; as JSON its end is its status."""
    assert run([*_WORDS, "--size", "1GiB", "--port", "10809", "--json"]) == 0
    assert (asked[0].socket, asked[0].control) == (None, Path("ssd/vm.cache.control"))
    assert asked[0].chunk_bytes is None
    shown = capsys.readouterr()
    assert json.loads(shown.out)["hits"] == 3
    assert "at nbd://127.0.0.1:1; every user of this machine can read and write it" in shown.err


def test_a_socket_is_for_its_owner(asked: list[DiskSettings], capsys: pytest.CaptureFixture[str]) -> None:
    """No other user is named then."""
    assert run([*_WORDS, "--size", "1GiB", "--socket", "run/vm.sock"]) == 0
    assert "every user" not in capsys.readouterr().err


def test_a_dry_run_opens_nothing(asked: list[DiskSettings], capsys: pytest.CaptureFixture[str]) -> None:
    """And says what would be served."""
    assert run([*_WORDS, "--size", "1GiB", "--socket", "s", "--dry-run"]) == 0
    assert asked == []
    assert "Would serve vm.raw on s, with 1GiB of ssd/vm.cache as its cache" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "1GB"], "where shall clients connect"),
        (
            ["--size", "40", "--socket", "s"],
            "--size: holds nothing; found 40; allowed: 0, or from 4096 bytes",
        ),
        (["--size", "1GB", "--socket", "s", "--iops", "inf"], "--iops: is no rate"),
        (["--size", "1 s", "--socket", "s"], "--size: "),
        (["--size", "-1", "--socket", "s"], "--size: "),
        (["--size", "1GB", "--socket", "s", "--chunk", "5000"], "--chunk: is no size of chunks"),
        (["--size", "1GB", "--socket", "s", "--chunk", "x"], "--chunk: "),
    ],
)
def test_wrong_words_are_stated(
    words: list[str], said: str, asked: list[DiskSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the flag."""
    assert run([*_WORDS, *words]) == 2
    assert asked == []
    assert said in capsys.readouterr().err


def test_without_the_library_it_says_what_to_install(
    asked: list[DiskSettings], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base install has no caches."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xxhash" else find(name))
    assert run([*_WORDS, "--size", "1GB", "--socket", "s"]) == 1
    assert "pip install 'froude[cache]'" in capsys.readouterr().err
