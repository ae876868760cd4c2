"""The Run: figures, verdicts, closure, and its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.emulation.run import Difference, Limit, Load, Measured, Run, closure, judge
from froude.emulation.run_files import FIGURES, hdr_log, read_run, write_run
from froude.emulation.tally import Tally


@pytest.fixture
def run() -> Run:
    """A short play of two methods."""
    tally = Tally()
    for method, latencies in (("create", [0.001, 0.010]), ("delete", [0.002])):
        series = tally.of(method)
        series.sent = series.answered = len(latencies)
        series.intended += latencies
        series.actual += [each / 2 for each in latencies]
    tally.of("delete").errors["java.io.IOException"] += 1
    tally.late += [0.0, 0.004]
    tally.notes["command ignored: finalize"] += 2
    tally.close_interval(1.0)
    return Run(
        tally, "127.0.0.1:8020", "CID-1", 1.7e9, 2.0, nodes={"client": 1}, load=[Load(1.0, 0.2, 1, 1, 0)]
    )


def test_figures(run: Run) -> None:
    """Latency from intended and actual time, throughput, errors, lateness."""
    assert run.latency("create").max_ms == 10.0
    assert run.latency("create", intended=False).max_ms == 5.0
    assert run.latency().count == 3
    assert run.throughput() == 1.5
    assert run.throughput("delete") == 0.5
    assert run.errors == {"delete": {"java.io.IOException": 1}}
    assert run.lateness.max_ms == 4.0


def test_a_run_reads_back(run: Run, tmp_path: Path) -> None:
    """What is written is what is read, and the folder is an artifact with lineage."""
    run.metrics = [Measured(0.5, {"process.cpu_seconds": 1.0})]
    run.differences = [Difference("create", 2, 3)]
    write_run(tmp_path / "run", run, inputs=("abc",))
    back = read_run(tmp_path / "run")
    assert back.counts == run.counts
    assert back.errors == run.errors
    assert back.latency() == run.latency()
    assert back.tally.rows == run.tally.rows
    assert (back.load, back.metrics, back.differences) == (run.load, run.metrics, run.differences)
    assert str(back.bottleneck) == str(run.bottleneck)
    from froude.workspace.store import read_artifact

    artifact = read_artifact(tmp_path / "run")
    assert artifact is not None
    assert artifact.kind == "run"
    assert artifact.lineage.inputs == ("abc",)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 99}', '{"format": 1, "series": 3}'])
def test_a_damaged_run_is_one_clear_error(tmp_path: Path, text: str) -> None:
    """Truncated, foreign or newer files name the file."""
    (tmp_path / FIGURES).write_text(text)
    with pytest.raises(InputError, match=FIGURES):
        read_run(tmp_path)


def test_histograms_are_readable_by_hdr_tools(run: Run) -> None:
    """Each method's distributions decode with the HdrHistogram library to the same counts."""
    from hdrh.histogram import HdrHistogram

    lines = [line for line in hdr_log(run).splitlines() if line.startswith("Tag=")]
    assert [line.split(",")[0] for line in lines][:2] == ["Tag=create.intended", "Tag=create.actual"]
    decoded = HdrHistogram.decode(lines[0].split(",")[-1])
    assert decoded.get_total_count() == 2
    assert decoded.get_value_at_percentile(100) == pytest.approx(10_000, rel=1e-3)


def _cpu(shares: list[float]) -> list[Measured]:
    total, out = 0.0, [Measured(0.0, {"process.cpu_seconds": 0.0})]
    for second, share in enumerate(shares, 1):
        total += share
        out.append(Measured(float(second), {"process.cpu_seconds": total}))
    return out


def test_verdicts() -> None:
    """A busy or late player is the limit; else a busy target; else neither."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    busy = [Load(float(s), 0.97, 1, 1, 0) for s in range(6)]
    assert judge(1.0, busy, [], 2).limit is Limit.PLAYER
    assert judge(80.0, idle, [], 2).limit is Limit.PLAYER
    assert judge(1.0, idle, _cpu([0.95] * 6), 2).limit is Limit.TARGET
    assert judge(1.0, idle, _cpu([0.1] * 6), 2).limit is Limit.NEITHER
    assert judge(1.0, idle, _cpu([0.1] * 5 + [1.0]), 2).limit is Limit.NEITHER


def test_closure_names_what_differs(run: Run) -> None:
    """Equal counts differ nowhere, errors counted by their class as a NameNode does; others are named."""
    assert closure(run, {"create": 5}, {"create": 7, "iOException": 1}) == []
    found = closure(run, {}, {"create": 1, "iOException": 1, "mkdirs": 4})
    assert found == [Difference("create", 2, 1), Difference("mkdirs", 0, 4)]
