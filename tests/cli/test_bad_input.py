"""Files that are wrong, and disks that are full: one clear error that names the file, and nothing half-written.

Every artifact that a command reads is replaced, file by file, by its own beginning, by itself with bits turned,
by nothing, by files of other kinds, by a folder. Whatever comes of it, it is never a bug's exit or a traceback.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from froude.base.errors import FroudeError, InputError
from froude.cli.app import run
from froude.emulation.run.files import write_run
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally
from froude.experiment.scenario.text import template
from froude.hadoop import site
from froude.trace.files import write_trace
from froude.workload.plan_file import write_plan
from froude.workload.yaml_file import write_workload
from testbed.packet_bytes import file_of
from testbed.plans import plan, workload
from tests.support.hadoop.class_writer import ping_jar
from tests.support.trace.capture.pcap import talk_of
from tests.support.trace.importers.audit import LOG, TRACE
from tests.support.trace.importers.tap import tap_bytes
from tests.support.trace.making import small_trace

Out = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
AT = ("--at", "datanodes=3", "--at", "clients=2", "--at", "files=2")


def a_run() -> Run:
    """A run of one method."""
    tally = Tally()
    series = tally.of("create")
    series.sent = series.answered = 2
    series.from_intended.add([0.001, 0.002])
    series.from_actual.add([0.001, 0.002])
    return Run(tally, "127.0.0.1:1", "CID-1", 1e9, 2.0, nodes={"client": 1})


def make_trace(place: Path) -> None:
    """A trace's folder."""
    write_trace(place, small_trace())


def make_audited(place: Path) -> None:
    """A trace and the audit log of its run."""
    place.mkdir()
    write_trace(place / "t", TRACE)
    (place / "hdfs-audit.log").write_text(LOG)


def make_scenario(place: Path) -> None:
    """A plan, and a scenario that plays it."""
    place.mkdir()
    write_plan(place / "plan", plan())
    text = template("play").replace("# limits:\n#   -", "limits:\n  -")
    (place / "s.yaml").write_text(text)


def make_jars(place: Path) -> None:
    """A folder of one jar, and a tap."""
    place.mkdir()
    ping_jar(place / "a.jar")
    (place / "k.tap").write_bytes(tap_bytes())


@dataclass(frozen=True)
class Reader:
    """A command and what it reads."""

    make: Callable[[Path], object]
    """Makes the artifact."""
    files: tuple[str, ...]
    """The files of it that are spoilt, one at a time; an empty name is the artifact itself."""
    words: Callable[[Path, Path], Sequence[object]]
    """The command line, of the artifact and the output."""


TRACE_FILES = ("calls.parquet", "schema.fds", "meta.yaml")
READERS = {
    "trace show": Reader(make_trace, TRACE_FILES, lambda a, _: ("trace", "show", a, "--calls", 2)),
    "trace validate": Reader(make_trace, TRACE_FILES, lambda a, _: ("trace", "validate", a)),
    "trace diff": Reader(make_trace, ("calls.parquet",), lambda a, _: ("trace", "diff", a, a)),
    "trace closure": Reader(
        make_audited,
        ("hdfs-audit.log",),
        lambda a, _: ("trace", "closure", a / "t", a / "hdfs-audit.log"),
    ),
    "mine": Reader(make_trace, ("calls.parquet", "schema.fds"), lambda a, o: ("mine", a, "-o", o)),
    "review": Reader(lambda a: write_workload(a, workload()), ("",), lambda a, _: ("review", a, "--accept")),
    "extrapolate": Reader(
        lambda a: write_workload(a, workload()), ("",), lambda a, o: ("extrapolate", a, *AT, "-o", o)
    ),
    "play": Reader(
        lambda a: write_plan(a, plan()),
        ("plan.yaml", "workload.yaml"),
        lambda a, _: ("play", a, "--target", "h:1", "--dry-run"),
    ),
    "run": Reader(make_scenario, ("s.yaml",), lambda a, _: ("run", a / "s.yaml", "--dry-run")),
    "report": Reader(
        lambda a: write_run(a, a_run()),
        ("run.json", "meta.yaml"),
        lambda a, o: ("report", a, "-o", o, "--static"),
    ),
    "tap": Reader(
        lambda a: a.write_bytes(tap_bytes()),
        ("",),
        lambda a, o: ("trace", "import", "tap", a, "-o", o, "--hadoop", a.parent / "jars"),
    ),
    "pcap": Reader(
        lambda a: a.write_bytes(file_of(talk_of().segments)),
        ("",),
        lambda a, o: ("capture", "pcap", a, "-o", o, "--hadoop", a.parent / "jars"),
    ),
    "jars": Reader(
        make_jars, ("a.jar",), lambda a, o: ("trace", "import", "tap", a / "k.tap", "-o", o, "--hadoop", a)
    ),
    "hadoop folder": Reader(make_jars, ("a.jar",), lambda a, _: ("hadoop", "show", "--folder", a)),
}
FOREIGN = (
    b"",
    b"\x89PNG\r\n\x1a\n" + bytes(60),
    b"PAR1" + bytes(90),
    b"hello\nworld: [\n",
    b"a: 1\n",
    b'{"a": [1]}',
    bytes(300),
)


def spoilt(good: bytes) -> Iterator[bytes]:
    """What may stand in the place of a file: always the same, so that a failure comes again."""
    yield from FOREIGN
    yield from (good[: len(good) * part // 1000] for part in (100, 500, 900, 999))
    for seed in range(8):
        chance, data = random.Random(seed), bytearray(good)
        for _ in range(3):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield bytes(data)
    yield random.Random(0).randbytes(2000)


def stated(code: int, err: str, *names: str) -> None:
    """An error of ours: one line that names one of these, and no traceback."""
    assert code == 1, err
    assert err.startswith("froude: "), err
    assert err.count("\n") == 1, err
    assert any(name in err for name in names), err


def check(reader: Reader, name: str, artifact: Path, capsys: Out) -> None:
    """Run the command: well, missed or one error, and in that case nothing is written."""
    output = artifact.parent / "output"
    before = sorted(artifact.parent.rglob("*"))
    code = run([str(word) for word in reader.words(artifact, output)])
    err = capsys.readouterr().err
    assert code in {0, 1, 3}, err
    if code == 1:
        stated(code, err, name or artifact.name, artifact.name)
    if code == 1:
        assert sorted(artifact.parent.rglob("*")) == before
    for path in set(artifact.parent.rglob("*")) - set(before):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a folder of jars; schemas read from jars are kept elsewhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "here" / "jars").mkdir(parents=True)
    ping_jar(tmp_path / "here" / "jars" / "a.jar")
    return tmp_path / "here"


@pytest.mark.parametrize("command", READERS)
def test_a_spoilt_file_is_one_clear_error(command: str, place: Path, capsys: Out) -> None:
    """Cut short, bits turned, empty, foreign: no bug, no traceback, nothing half-written."""
    reader, artifact = READERS[command], place / "artifact"
    reader.make(artifact)
    for name in reader.files:
        file = artifact / name if name else artifact
        good = file.read_bytes()
        for data in spoilt(good):
            file.write_bytes(data)
            check(reader, name, artifact, capsys)
            if name == "" and command == "review":
                artifact.write_bytes(good)
        file.write_bytes(good)


def without_each_input(reader: Reader, artifact: Path) -> Iterator[tuple[str, Path]]:
    """A good artifact, of which each file in turn is absent; what the caller puts in its place it removes again."""
    reader.make(artifact)
    for name in reader.files:
        file = artifact / name if name else artifact
        kept = file.read_bytes()
        file.unlink()
        yield name, file
        file.write_bytes(kept)


@pytest.mark.parametrize("command", READERS)
def test_a_path_that_is_none(command: str, place: Path, capsys: Out) -> None:
    """A folder in the place of a file, a file in that of a folder, nothing at all: 1, and the path is named."""
    reader, artifact = READERS[command], place / "artifact"
    for name, file in without_each_input(reader, artifact):
        if not (command == "report" and name == "meta.yaml"):  # a run without lineage is still one
            assert run([str(word) for word in reader.words(artifact, place / "o")]) == 1
            stated(1, capsys.readouterr().err, name or "artifact", "artifact")
        file.mkdir()
        check(reader, name, artifact, capsys)
        file.rmdir()
    shutil.rmtree(artifact) if artifact.is_dir() else artifact.unlink()
    assert run([str(word) for word in reader.words(artifact, place / "o")]) == 1
    stated(1, capsys.readouterr().err, "artifact")
    if reader.files != ("",):
        artifact.write_text("a file")
        assert run([str(word) for word in reader.words(artifact, place / "o")]) == 1
        stated(1, capsys.readouterr().err, "artifact")


@pytest.mark.parametrize("command", READERS)
def test_a_disk_that_fails(command: str, place: Path, capsys: Out) -> None:
    """An input that opens and cannot be read, as page 0 of a process (EIO): 1, and the file is named."""
    reader, artifact = READERS[command], place / "artifact"
    for name, file in without_each_input(reader, artifact):
        file.symlink_to("/proc/self/mem")
        assert run([str(word) for word in reader.words(artifact, place / "o")]) == 1
        stated(1, capsys.readouterr().err, name or "artifact", "artifact")
        file.unlink()


def test_a_packed_tap_that_is_cut(place: Path, capsys: Out) -> None:
    """Is read as far as it goes, which is noted."""
    (place / "k.tap").write_bytes(gzip.compress(tap_bytes())[:-12])
    words = ("trace", "import", "tap", place / "k.tap", "--hadoop", place / "jars", "-o", place / "t")
    assert run([str(word) for word in words]) == 0
    assert "k.tap: " in capsys.readouterr().err


@pytest.mark.parametrize("data", [*FOREIGN, b"<configuration><property>", b"<!DOCTYPE a><configuration/>"])
def test_site_files(data: bytes, tmp_path: Path) -> None:
    """What is no Hadoop configuration is refused by name."""
    file = tmp_path / "hdfs-site.xml"
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"hdfs-site\.xml"):
        site.read_site(file)


@pytest.mark.parametrize("marker", ["froude.toml", "hadoop/state.json"])
def test_a_damaged_workspace(marker: str, tmp_path: Path, capsys: Out) -> None:
    """Its own files are named as well."""
    (tmp_path / "hadoop").mkdir()
    for data in (b"\xff\xfe", b"[", b"defaults = 3", b"{}", b"\x00" * 9):
        (tmp_path / marker).write_bytes(data)
        code = run(["--workspace", str(tmp_path), "hadoop", "down"])
        err = capsys.readouterr().err
        if code:
            stated(code, err, Path(marker).name)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("--seed", "x"), "seed"),
        (("--workers", "many"), "workers"),
        (("--at", "datanodes"), "datanodes"),
        (("--at", "datanodes=many"), "datanodes"),
        (("--at", "datanodes=-3"), "datanodes"),
        (("--at", "datanodes=1e400"), "datanodes"),
        (("--at", "datanodes=1e999999999"), "datanodes"),
        (("--at", "=3"), "=3"),
    ],
)
def test_wrong_values(words: tuple[str, ...], place: str, tmp_path: Path, capsys: Out) -> None:
    """A value that means nothing names its flag; 1, or 2 where the command line itself is wrong, or 3 refused."""
    write_workload(tmp_path / "w.yaml", workload())
    code = run(
        ["extrapolate", str(tmp_path / "w.yaml"), "-o", str(tmp_path / "p"), "--at", "clients=1", *words]
    )
    out, err = capsys.readouterr()
    assert code in {1, 2, 3}
    assert place in out + err
    assert code == 3 or not (tmp_path / "p").exists()


@contextmanager
def full_disk(limit_bytes: int) -> Iterator[None]:
    """No file may grow beyond this; what the system says then is what a full disk says."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


WRITERS: dict[str, Callable[[Path, Path], Sequence[object]]] = {
    "mine": lambda a, o: ("mine", a / "t", "-o", o),
    "audit": lambda a, o: ("trace", "import", "audit", a / "hdfs-audit.log", "-o", o),
    "extrapolate": lambda a, o: ("extrapolate", a / "w.yaml", *AT, "-o", o),
    "tap": lambda a, o: ("--quiet", "trace", "import", "tap", a / "k.tap", "--hadoop", a / "jars", "-o", o),
    "pcap": lambda a, o: ("capture", "pcap", a / "k.pcap", "--hadoop", a / "jars", "-o", o),
    "report": lambda a, o: ("report", a / "w.yaml", "-o", o / "r.html", "--static"),
}


@pytest.mark.parametrize("limit_bytes", [0, 700])
@pytest.mark.parametrize("command", WRITERS)
def test_a_full_disk(command: str, limit_bytes: int, place: Path, capsys: Out) -> None:
    """One error that says where there was no room; no file, no folder, no remains."""
    make_trace(place / "t")
    write_workload(place / "w.yaml", workload())
    (place / "k.tap").write_bytes(tap_bytes())
    (place / "k.pcap").write_bytes(file_of(talk_of().segments))
    (place / "hdfs-audit.log").write_text(LOG)
    before = sorted(place.rglob("*"))
    with full_disk(limit_bytes):
        code = run([str(word) for word in WRITERS[command](place, place / "out")])
    stated(code, capsys.readouterr().err, "out")
    shutil.rmtree(place / "out.partial", ignore_errors=True)  # of an audit log: what another try goes on with
    assert [path for path in sorted(place.rglob("*")) if path.is_file()] == [p for p in before if p.is_file()]


def test_answers_survive_a_full_disk(place: Path, capsys: Out) -> None:
    """A workload that cannot be written anew stays as it was."""
    file = place / "w.yaml"
    write_workload(file, workload())
    good = file.read_bytes()
    with full_disk(100):
        assert run(["extrapolate", str(file), *AT, "-o", str(file)]) == 1
    capsys.readouterr()
    assert file.read_bytes() == good


def test_runs_and_traces_on_a_full_disk(tmp_path: Path) -> None:
    """The writers by themselves: an error of ours, nothing left."""
    for write in (
        lambda: write_run(tmp_path / "r", a_run()),
        lambda: write_trace(tmp_path / "t", small_trace()),
    ):
        with full_disk(300), pytest.raises(FroudeError, match=r"\(File too large\)"):
            write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [".", "/", ""])
@pytest.mark.parametrize(
    "words",
    [
        "harvest rollback PLACE",
        "harvest reimages --namenode 127.0.0.1:1 --samples 1 -o PLACE",
        "cache disk i --cache PLACE --size 1MB --port 9 --dry-run",
        "report w.yaml -o PLACE",
        "compare --baseline r --candidate r --report PLACE -o c.json",
        "trace import audit audit.log -o PLACE",
    ],
)
def test_places_without_a_name(
    words: str, place: str, tmp_path: Path, capsys: Out, monkeypatch: Patch
) -> None:
    """A folder where a file is needed is one clear error, also where a file next to it is wanted."""
    monkeypatch.chdir(tmp_path)
    write_workload(tmp_path / "w.yaml", workload())
    write_run(tmp_path / "r", a_run())
    (tmp_path / "audit.log").write_text(LOG)
    code = run([place if word == "PLACE" else word for word in words.split()])
    stated(code, capsys.readouterr().err, "froude: .:", "froude: /:")


def test_errors_as_json(tmp_path: Path, capsys: Out) -> None:
    """With --json the parts of an error are one document, and its line stands on standard error as ever."""
    assert run(["--json", "trace", "show", str(tmp_path / "none")]) == 1
    out, err = capsys.readouterr()
    error = json.loads(out)["error"]
    assert (error["message"], error["file"]) == ("does not exist", str(tmp_path / "none"))
    assert err.count("\n") == 1


def test_what_a_file_says_cannot_steer_the_terminal(tmp_path: Path, capsys: Out) -> None:
    """Control characters and line breaks of a foreign file are shown, not obeyed."""
    file = tmp_path / "w.yaml"
    file.write_text('froude: "work\\eload[2J\\n\\nx"\nversion: 1\n')
    assert run(["extrapolate", str(file), *AT]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "\x1b" not in err
