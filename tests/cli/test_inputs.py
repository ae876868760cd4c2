"""Every command with an input, and what may stand in its place: one line that names it, and soon.

A pipe that nobody writes to, a device without end, a folder, an empty file, ten megabytes on one line, seventy levels,
a number of six thousand digits, bytes that are no text.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.documents.store import Workspace
from froude.trace.files import write_trace
from froude.workload.yaml_file import write_workload
from testbed.plans import plan
from tests.support.cli.command_lines import LINES, PARTS, make_all
from tests.support.cli.sampled import sampled
from tests.support.trace.making import small_trace

Out = pytest.CaptureFixture[str]
CASES = [
    (name, file, part)
    for name, line in LINES.items()
    for file in dict.fromkeys(line.inputs.values())
    for part in ("", *PARTS.get(file, ()))
]
LONG = b"x" * 10_000_000
MISSED_TOO = {"provision check", "trace validate"}
"""Commands whose answer is that a file is not good: with 3."""
pytestmark = pytest.mark.timeout(120)  # generous: what hangs, hangs for good


EMPTY_IS_RIGHT = ("trace closure", "audit.log")
"""The log of a NameNode of which nobody asked anything, beside a Trace of which the same is true."""


def _texts(good: bytes) -> dict[str, bytes]:
    """What may stand in a file: alone, and behind what was right before."""
    odd = {
        "line": LONG,
        "levels": b"a: " + b"[" * 70 + b"]" * 70,
        "digits": b"a: " + b"9" * 6000,
        "NUL": b"a: \x00\x00",
        "UTF-8": b"a: \xff\xfe\xc3",
        "JSON levels": b'{"a": ' + b"[" * 70 + b"]" * 70 + b"}",
        "JSON digits": b'{"froude": "x/1", "a": ' + b"9" * 6000 + b"}",
        "JSON depth": b"[" * 200_000,
    }
    behind = {f"{name} behind": good + b"\nzzz_" + data + b"\n" for name, data in odd.items()}
    return {"nothing": b"", **odd, **behind}


TEXTS = list(_texts(b""))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the command lines name; it is the current one."""
    folder = tmp_path / "here"
    make_all(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("FROUDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(folder)
    return folder


def command(name: str) -> list[str]:
    """The line with its outputs at free places."""
    outputs = [
        word for place in LINES[name].outputs for word in (place.flag, f"out-{place.kind}{place.suffix}")
    ]
    return [*LINES[name].arguments, *outputs]


def stated(name: str, capsys: Out, what: str, *names: str) -> None:
    """Run it: one line on standard error that names the file, exit 1, and nothing is written."""
    before = sorted(Path().rglob("*"))
    code = run(command(name))
    out, err = capsys.readouterr()
    assert code == 1 or (code == 3 and name in MISSED_TOO), f"{what}: {code} {err}"
    said = err or out
    assert any(part in said for part in names), f"{what}: {said}"
    if code == 1:
        assert err.count("\n") == 1, f"{what}: {err}"
        assert err.startswith("froude: "), err
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(("name", "file", "part"), CASES, ids=[" ".join(case) for case in CASES])
def test_what_is_no_file(name: str, file: str, part: str, here: Path, capsys: Out) -> None:
    """A pipe, a device, a folder in the place of a file, a file in that of a folder, a link to nothing."""
    place = here / file / part if part else here / file
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    makers: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(place),
        "device": lambda: place.symlink_to("/dev/zero"),
        "folder": place.mkdir,
        "nothing": lambda: place.symlink_to(here / "nowhere"),
    }
    for what, make in makers.items():
        make()
        stated(name, capsys, what, part or file)
        place.rmdir() if place.is_dir() else place.unlink()


_LABELLED = [(case, " ".join(case)) for case in CASES]


@pytest.mark.parametrize(("case", "texts"), sampled(_LABELLED, TEXTS, lambda case: case[1:]))
def test_odd_texts(case: tuple[str, str, str], texts: Sequence[str], here: Path, capsys: Out) -> None:
    """Alone and behind what was right; a reader that is not asked for the rest may be content with it."""
    name, file, part = case
    place = here / file / part if part else here / file
    if place.is_dir():
        shutil.rmtree(place)
        good = b""
    else:
        good = place.read_bytes()
    made = _texts(good)
    for what in texts:
        data = made[what]
        if what == "nothing" and (name, file) == EMPTY_IS_RIGHT:
            continue
        place.write_bytes(data)
        if what.endswith("behind") and file in CONTENT and not part:
            assert run(command(name)) in {0, 1, 3}, what
            err = capsys.readouterr().err
            assert "a bug of ours" not in err
            for path in here.glob("out-*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        else:
            stated(name, capsys, what, part or file)


CONTENT = {
    "audit.log",
    "calls.csv",
    "k.tap",
    "k.pcap",
    "ec2_2026-07.csv",
    "cpu.csv",
    "fsck.txt",
    "jobs.log",
    "load.csv",
    "servers.csv",
    "wipes.csv",
}
"""Lists, in which a bad end does not spoil what comes before."""


@pytest.mark.parametrize("name", ["hadoop show", "trace import tap", "capture proxy", "capture pcap"])
def test_a_jar_that_is_none(name: str, here: Path, capsys: Out) -> None:
    """A pipe among the jars is not waited for."""
    (here / "jars" / "a.jar").unlink()
    os.mkfifo(here / "jars" / "a.jar")
    stated(name, capsys, "pipe", "jars")
    (here / "jars" / "a.jar").unlink()
    for what, data in _texts(b"").items():
        (here / "jars" / "a.jar").write_bytes(data)
        stated(name, capsys, what, "jars")


@pytest.mark.parametrize(
    "data", [LONG, b"\x00", b"[" * 5000, b"a = " + b"9" * 6000, b"defaults = 3", b"\xff"]
)
def test_a_workspace_whose_marker_is_odd(data: bytes, here: Path, capsys: Out) -> None:
    """`froude.toml` is bounded as well."""
    (here / "froude.toml").write_bytes(data)
    assert run(["mine", "t", "-o", "x.yaml"]) == 1
    err = capsys.readouterr().err
    assert "froude.toml" in err
    assert err.count("\n") == 1


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a Trace and a Workload, each under the name that Froude gives."""
    space = Workspace(tmp_path / "space")
    write_trace(space.new("trace"), small_trace())
    write_workload(space.new("workload", suffix=".yaml"), plan(datanodes=2, clients=1).workload)
    return space.folder


@pytest.mark.parametrize("below", ["", "traces"])
def test_artifacts_go_by_their_name_from_any_folder_of_the_workspace(
    workspace: Path, below: str, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """A Trace, a Workload, then a Plan: one rule for all commands."""
    monkeypatch.chdir(workspace / below)
    assert run(["trace", "show", "trace-1"]) == 0
    assert run(["review", "workload-1", "--list"]) == 0
    at = [word for name in ("datanodes", "clients", "files") for word in ("--at", f"{name}=1")]
    assert run(["--dry-run", "extrapolate", "workload-1", *at, "-o", str(workspace / "p")]) in {0, 3}
    assert run(["--dry-run", "mine", "trace-1", "-o", str(workspace / "w.yaml")]) in {0, 1}
    assert run(["report", "trace-1", "workload-1", "-o", str(workspace / "page.html")]) == 0
    capsys.readouterr()
    assert run(["extrapolate", "workload-7", "--at", "a=1"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("froude: workload-7: does not exist, and names nothing in the workspace space")
    assert "allowed: workload-1" in err


def test_a_path_is_a_path_and_without_a_workspace_so_is_a_name(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """What lies beside goes before a name."""
    monkeypatch.chdir(tmp_path)
    assert run(["trace", "show", "trace-1"]) == 1
    assert "trace-1" in capsys.readouterr().err
    monkeypatch.chdir(workspace)
    write_trace(workspace / "trace-1", replace(small_trace(), calls=()))
    assert run(["--json", "trace", "show", "trace-1"]) == 0
    assert json.loads(capsys.readouterr().out)["calls"] == 0
