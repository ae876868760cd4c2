"""A Run's folder: what is written, read, and told to be changed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import ChangedError, FroudeError, InputError
from froude.documents.artifact import Origin
from froude.documents.reading import dump_figures, parse_figures
from froude.emulation.run.bottleneck import Measured
from froude.emulation.run.figures import read_figures
from froude.emulation.run.files import (
    FIGURES,
    FIGURES_MIGRATIONS,
    HISTOGRAMS,
    META,
    SCENARIO,
    TRACE,
    _figures,
    hdr_log,
    read_run,
    write_run,
)
from froude.emulation.run.run import Difference, Latency, Run
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from froude.trace.files import write_trace
from tests.support.trace.making import small_trace


def test_a_run_reads_back(run: Run, tmp_path: Path) -> None:
    """What is written is what is read, and the folder is an artifact with lineage."""
    run.metrics = [Measured(0.5, {"process.cpu_seconds": 1.0})]
    run.differences = [Difference("create", 2, 3)]
    run.pacing = "scheduled"
    run.tally.of("create").resent = 1
    run.tally.of("create").held_up[(5_000, 1_000)] += 2
    write_run(tmp_path / "run", run, Origin("test", ("abc",)))
    back = read_run(tmp_path / "run")
    assert back.counts == run.counts
    assert back.errors == run.errors
    assert [back.latency(of=each) for each in Latency] == [run.latency(of=each) for each in Latency]
    assert back.tally.rows == run.tally.rows
    assert (back.load, back.metrics, back.differences) == (run.load, run.metrics, run.differences)
    assert (back.pacing, back.tally.of("create").resent) == ("scheduled", 1)
    assert str(back.bottleneck) == str(run.bottleneck)
    from froude.documents.store import read_artifact

    artifact = read_artifact(tmp_path / "run")
    assert artifact is not None
    assert artifact.kind == "run"
    assert artifact.lineage.inputs == ("abc",)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 99}', '{"format": 1, "series": 3}'])
def test_a_damaged_run_is_one_clear_error(run: Run, tmp_path: Path, text: str) -> None:
    """Truncated, foreign or newer files name the file."""
    write_run(tmp_path / "run", run)
    (tmp_path / "run" / FIGURES).write_text(text)
    with pytest.raises(InputError, match=FIGURES):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("name", [META, FIGURES, HISTOGRAMS])
def test_a_changed_run_is_told(run: Run, tmp_path: Path, name: str) -> None:
    """Every file of it is looked at; what is well formed and not what was written is an error all the same."""
    write_run(tmp_path / "run", run)
    file = tmp_path / "run" / name
    file.write_text(file.read_text().replace("2", "3"))
    with pytest.raises(InputError, match=name):
        read_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({}, "complete"),
        ({"failure": "it hung up"}, "failed"),
        ({"interrupted": True}, "interrupted"),
        ({"failure": "it hung up", "interrupted": True}, "failed"),
    ],
)
def test_the_lineage_says_how_it_ended(run: Run, tmp_path: Path, change: dict[str, Any], state: str) -> None:
    """A failure counts for more than an interrupt."""
    for name, value in change.items():
        setattr(run, name, value)
    assert write_run(tmp_path / "run", run).state.value == state


def test_histograms_are_readable_by_hdr_tools(run: Run) -> None:
    """Each method's distributions decode with the HdrHistogram library to the same counts."""
    from hdrh.histogram import HdrHistogram

    lines = [line for line in hdr_log(run).splitlines() if line.startswith("Tag=")]
    assert [line.split(",")[0] for line in lines][:2] == ["Tag=create.intended", "Tag=create.actual"]
    decoded = HdrHistogram.decode(lines[0].split(",")[-1])
    assert decoded.get_total_count() == 2
    assert decoded.get_value_at_percentile(100) == pytest.approx(10_000, rel=1e-3)


def test_a_histogram_of_times_beyond_any_play_is_still_written(run: Run) -> None:
    """HdrHistogram's form has a largest value; the figures beside it are exact."""
    from hdrh.histogram import HdrHistogram

    create = run.tally.of("create")
    create.intended.append(7200.0)
    create.answered += 1
    run.tally.close_interval(2.0)
    (line,) = [line for line in hdr_log(run).splitlines() if line.startswith("Tag=create.intended")]
    decoded = HdrHistogram.decode(line.split(",")[-1])
    assert decoded.get_total_count() == 3
    assert decoded.get_max_value() == pytest.approx(3.6e9, rel=1e-3)
    assert line.split(",")[3] == "7200000.000"


@pytest.fixture
def traced(run: Run, tmp_path: Path) -> Path:
    """The folder of a run with its trace."""
    run.trace = tmp_path / "spooled"
    write_trace(run.trace, small_trace())
    write_run(tmp_path / "run", run)
    return tmp_path / "run"


def test_its_trace_moves_in(run: Run, traced: Path) -> None:
    """Nothing stays where it was, and the run knows both places."""
    assert (run.folder, run.trace) == (traced, traced / TRACE)
    assert [each.name for each in traced.parent.iterdir()] == ["run"]
    back = read_run(traced)
    assert (back.folder, back.trace) == (traced, traced / TRACE)


def test_the_trace_of_another_run_is_told(traced: Path) -> None:
    """A good trace, and not this run's."""
    shutil.rmtree(traced / TRACE)
    write_trace(traced / TRACE, small_trace(2))
    with pytest.raises(ChangedError, match="trace: is not the trace of this run"):
        read_run(traced)


@pytest.mark.parametrize("name", [META, "calls.parquet", "schema.fds"])
def test_a_trace_that_was_cut_short(traced: Path, name: str) -> None:
    """The run is not read as if it were whole: the error names the file."""
    file = traced / TRACE / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(FroudeError, match=f"trace/{name}"):
        read_run(traced)


def test_a_trace_that_is_gone_or_was_made_by_hand_is_told(traced: Path) -> None:
    """The error names it."""
    meta = traced / TRACE / META
    meta.write_text(meta.read_text().partition("lineage:")[0])
    with pytest.raises(InputError, match=rf"{TRACE}/{META}: .*lineage"):
        read_run(traced)
    shutil.rmtree(traced / TRACE)
    with pytest.raises(InputError, match=rf"{TRACE}/{META}"):
        read_run(traced)


def test_a_folder_that_is_taken_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    """And nothing is left beside it."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine").write_text("x")
    with pytest.raises(InputError, match="run"):
        write_run(tmp_path / "run", run)
    assert [each.name for each in tmp_path.rglob("*")] == ["run", "mine"]


def test_what_the_target_measured_and_is_no_number_is_left_out(run: Run, tmp_path: Path) -> None:
    """JSON has no word for it."""
    run.metrics = [Measured(0.5, {"good": 1.0, "bad": float("nan"), "worse": float("inf")})]
    write_run(tmp_path / "run", run)
    assert read_run(tmp_path / "run").metrics == [Measured(0.5, {"good": 1.0})]


def test_its_scenario_is_kept_and_is_a_part_of_it(run: Run, tmp_path: Path) -> None:
    """A run that was made without one has none."""
    write_run(tmp_path / "r", run, scenario="froude: scenario/1\n")
    assert read_run(tmp_path / "r").counts == run.counts
    (tmp_path / "r" / SCENARIO).write_text("froude: scenario/1\nkind: play\n")
    with pytest.raises(ChangedError, match=SCENARIO):
        read_run(tmp_path / "r")
    write_run(tmp_path / "plain", run)
    assert not (tmp_path / "plain" / SCENARIO).exists()


def test_the_log_of_the_garbage_collector_is_kept_and_is_a_part_of_it(run: Run, tmp_path: Path) -> None:
    """A copy: the target goes on writing its own."""
    log = tmp_path / "elsewhere.log"
    log.write_text("a line\n")
    run.gc_log = log
    run.gc = GcLog([Pause(0.5, "Remark", 0.002)], [HeapChange(0.5, 12, 5)], "G1", 2, 1)
    write_run(tmp_path / "run", run)
    read = read_run(tmp_path / "run")
    assert (read.gc, read.gc_log) == (run.gc, tmp_path / "run" / "gc.log")
    assert (tmp_path / "run" / "gc.log").read_text() == log.read_text()
    (tmp_path / "run" / "gc.log").write_text("another\n")
    with pytest.raises(ChangedError, match=r"gc\.log"):
        read_run(tmp_path / "run")


def test_figures_without_a_log_of_the_garbage_collector(run: Run) -> None:
    """As the version before has them."""
    root = parse_figures(dump_figures("run-figures", 3, {"target": run.target}).encode(), "figures.json")
    assert FIGURES_MIGRATIONS.apply(root) == 3
    assert root.fields["gc"] is None


def test_figures_of_plays_that_shared_their_client_ids(run: Run) -> None:
    """The version before names neither the nonce of a play nor whom a call was for."""
    figures = {name: value for name, value in _figures(run).items() if name != "nonce"}
    figures["load"] = [each[:6] for each in figures["load"]]
    for phase in ("steady", "ramp"):
        for series in figures[phase]["series"].values():
            del series["daemon"]
        del figures[phase]["allocation"]
    root = parse_figures(dump_figures("run-figures", 4, figures).encode(), "figures.json")
    assert FIGURES_MIGRATIONS.apply(root) == 4
    read = read_figures(root)
    assert (read.nonce, read.daemons, read.counts) == ("", (), run.counts)
    assert (read.allocation.count, read.tally.ramp.allocation.total) == (0, 0)
