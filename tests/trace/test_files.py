"""The Trace folder."""

from __future__ import annotations

import resource
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin, State
from froude.trace.files import CALLS, META, SCHEMA, read_meta, read_trace, write_trace
from froude.trace.types import Loss
from testbed import wire
from tests.support.trace.making import echo, small_trace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good Trace."""
    write_trace(tmp_path / "t", small_trace(), Origin("test", ("ab",), tags=("base",)))
    return tmp_path / "t"


def test_a_trace_reads_as_it_was_written(folder: Path) -> None:
    """Calls, facts and schema are the same."""
    trace = read_trace(folder)
    assert trace.calls == small_trace().calls
    assert trace.meta == small_trace().meta
    assert trace.request(trace.calls[0]).text == "/f0"  # type: ignore[attr-defined]
    assert trace.schema == wire.SCHEMA


def test_losses_of_a_later_kind_are_kept(tmp_path: Path) -> None:
    """Written where there are any; files without them read as none."""
    meta = replace(small_trace().meta, loss=Loss(3, protected_connections=1))
    write_trace(tmp_path / "t", replace(small_trace(), meta=meta), Origin("test"))
    assert read_trace(tmp_path / "t").meta.loss == meta.loss


def test_calls_are_written_in_order(tmp_path: Path) -> None:
    """A capture sees answers first; a Trace is in order of starts."""
    calls = [echo(2.0, "b"), echo(1.0, "a")]
    write_trace(tmp_path / "t", small_trace().__class__(small_trace().meta, wire.SCHEMA, calls))
    assert [c.start_s for c in read_trace(tmp_path / "t").calls] == [1.0, 2.0]


def test_only_the_owner_may_read(folder: Path) -> None:
    """A trace tells what a cluster stores."""
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_lineage_holds_the_content_hash(folder: Path) -> None:
    """What was written can be told from what was changed."""
    lineage = read_meta(folder).lineage
    assert read_trace(folder).lineage == lineage
    assert (lineage.kind, lineage.inputs, lineage.command) == ("trace", ("ab",), "test")
    assert (lineage.state, len(lineage.content_hash)) == (State.COMPLETE, 64)


def test_unknown_protocols_do_not_hinder(tmp_path: Path) -> None:
    """Calls of a protocol without schema are kept without payload."""
    trace = small_trace()
    calls = [*trace.calls, echo(9.0, "x", protocol="vendor.Protocol", request=None, response=None)]
    write_trace(tmp_path / "t", trace.__class__(trace.meta, wire.SCHEMA, calls))
    assert read_trace(tmp_path / "t").calls[-1].protocol == "vendor.Protocol"


def test_a_taken_place_is_refused(folder: Path) -> None:
    """Nothing is overwritten unless told."""
    with pytest.raises(InputError, match="already exists"):
        write_trace(folder, small_trace())
    write_trace(folder, small_trace(1), replace=True)
    assert len(read_trace(folder).calls) == 1
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"found notes\.txt"):
        write_trace(folder, small_trace(), replace=True)
    assert len(read_trace(folder).calls) == 1


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (META, lambda b: b"", r"meta\.yaml: "),
        (META, lambda b: b[: len(b) // 3] + b"\x00[", r"meta\.yaml: "),
        (META, lambda b: b.replace(b"trace/2", b"song/2", 1), "found song/2"),
        (META, lambda b: b.replace(b"trace/2", b"trace/99", 1), r"meta\.yaml:1: froude: "),
        (META, lambda b: b.replace(b"calls: 4", b"calls: 5", 1), r"meta\.yaml:2: "),
        (META, lambda b: b.replace(b"datanodes: 3", b"datanodes: 30"), r"meta\.yaml:2: "),
        (META, lambda b: b[: b.index(b"lineage:")] + b[b.index(b"calls: 4") :], "lineage"),
        (META, lambda b: b.replace(b"state: complete", b"state: well"), "lineage.state: "),
        (META, lambda b: b.replace(b"kind: trace", b"kind: run"), "lineage.kind: is of another kind"),
        (META, lambda b: b.replace(b"  format: 2", b"  format: 1"), r"meta\.yaml:2: lineage: "),
        (CALLS, lambda b: b"", r"calls\.parquet: "),
        (CALLS, lambda b: b[:-20], r"calls\.parquet: "),
        (CALLS, lambda b: b"GIF89a" * 100, r"calls\.parquet: "),
        (SCHEMA, lambda b: b[: len(b) // 2], r"schema\.fds: "),
    ],
)
def test_bad_files_are_one_clear_error(folder: Path, file: str, change: object, message: str) -> None:
    """Truncated, corrupted and foreign parts are named with what was found."""
    path = folder / file
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(InputError, match=message) as caught:
        read_trace(folder)
    assert caught.value.file is not None or caught.value.place is not None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"calls: 4", b"calls: 5", "4 calls; allowed: 5"),
        (b"payload: true", b"payload: maybe", r"fidelity\.payload"),
        (b"datanodes: 3", b"datanodes: 3 lb", r"scale\.datanodes"),
        (b"source_id: CID-1", b"source: CID-1", "source_id"),
        (b"torn_connections: 0", b"torn_connections: -1", r"loss\.torn_connections: is out of range"),
        (b"started_at: 1700000000.5", b"started_at: .inf", "started_at: "),
        (b"notes: {}", b"notes: {a: 1}", r"notes\.a: "),
        (b"notes: {}", b"notes: {}\nmore: 1", "more: "),
    ],
)
def test_a_meant_edit_is_read_with_care(folder: Path, old: bytes, new: bytes, message: str) -> None:
    """Whoever puts the hash of an edit into the lineage is believed, and told what is wrong with it."""
    file = folder / META
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    with pytest.raises(ChangedError) as caught:
        read_trace(folder)
    assert caught.value.remedy is not None
    assert "write what was found as its `content`" in caught.value.remedy
    actual, stated = str(caught.value.found), str(caught.value.allowed)
    file.write_text(file.read_text().replace(stated, actual))
    with pytest.raises(InputError, match=message) as again:
        read_trace(folder)
    assert again.value.file is not None


@pytest.mark.parametrize("missing", [META, CALLS, SCHEMA])
def test_missing_parts_are_named(folder: Path, missing: str) -> None:
    """A part that is gone is an error that names it."""
    (folder / missing).unlink()
    with pytest.raises(InputError, match=missing):
        read_trace(folder)


def test_places_that_are_no_traces(tmp_path: Path) -> None:
    """Nothing there, a file, an empty folder."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, message in (("none", "does not exist"), ("file", "found a file"), ("empty", "an empty folder")):
        with pytest.raises(InputError, match=message):
            read_trace(tmp_path / name)


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """Under a file-size limit writing fails with a remedy, and no folder is left."""
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "from pathlib import Path\n"
        "from froude.base.errors import MissingError\n"
        "from froude.trace.files import write_trace\n"
        "from tests.support.trace.making import small_trace\n"
        "try: write_trace(Path(sys.argv[1]), small_trace(50))\n"
        "except MissingError as error: print(error)\n"
    )
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "t")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert "(File too large)" in done.stdout
    assert list(tmp_path.iterdir()) == []
