"""The Trace folder."""

from __future__ import annotations

import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.trace.files import CALLS, META, SCHEMA, content_hash, read_lineage, read_trace, write_trace
from tests.trace import wire
from tests.trace.making import echo, small_trace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good Trace."""
    write_trace(tmp_path / "t", small_trace(), command="test", inputs=["ab"], tags=["base"])
    return tmp_path / "t"


def test_a_trace_reads_as_it_was_written(folder: Path) -> None:
    """Calls, facts and schema are the same."""
    trace = read_trace(folder)
    assert trace.calls == small_trace().calls
    assert trace.meta == small_trace().meta
    assert trace.request(trace.calls[0]).text == "/f0"  # type: ignore[attr-defined]
    assert trace.schema == wire.SCHEMA


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
    lineage = read_lineage(folder)
    assert lineage.content_hash == content_hash(folder)
    assert (lineage.kind, lineage.inputs, lineage.command) == ("trace", ("ab",), "test")


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


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (META, lambda b: b"", "is not a trace"),
        (META, lambda b: b[: len(b) // 3] + b"\x00[", "is not readable YAML"),
        (META, lambda b: b.replace(b"kind: trace\n", b"kind: song\n", 1), "kind: is not a trace; found song"),
        (META, lambda b: b.replace(b"format: 1", b"format: 99", 1), "newer Froude"),
        (META, lambda b: b.replace(b"calls: 4", b"calls: 5", 1), "4 calls; allowed: 5"),
        (META, lambda b: b.replace(b"payload: true", b"payload: maybe"), r"fidelity\.payload"),
        (META, lambda b: b.replace(b"datanodes: 3", b"datanodes: 3 lb"), r"scale\.datanodes"),
        (META, lambda b: b.replace(b"source_id: CID-1", b"source: CID-1"), "source_id: is missing"),
        (CALLS, lambda b: b"", "cut short or damaged"),
        (CALLS, lambda b: b[:-20], "cut short or damaged"),
        (CALLS, lambda b: b"GIF89a" * 100, "cut short or damaged"),
        (SCHEMA, lambda b: b[: len(b) // 2], "is damaged"),
        (SCHEMA, lambda b: b"\xff" * 99, "is damaged"),
    ],
)
def test_bad_files_are_one_clear_error(folder: Path, file: str, change: object, message: str) -> None:
    """Truncated, corrupted and foreign parts are named with what was found."""
    path = folder / file
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(InputError, match=message) as caught:
        read_trace(folder)
    assert caught.value.file is not None or caught.value.place is not None


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
        "from tests.trace.making import small_trace\n"
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
    assert "cannot be written" in done.stdout
    assert list(tmp_path.iterdir()) == []
