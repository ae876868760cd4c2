"""The Run: figures, verdicts, closure, and its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.run import Difference, Latency, Limit, Load, Measured, Run, closure, judge
from froude.emulation.run_files import FIGURES, HISTOGRAMS, META, hdr_log, read_run, write_run
from froude.emulation.tally import Tally
from froude.workspace.artifact import Origin


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
    assert run.latency("create", Latency.RESPONSE).max_ms == 10.0
    assert run.latency("create", Latency.SERVICE).max_ms == 5.0
    assert run.latency().count == 3
    assert run.throughput() == 1.5
    assert run.throughput("delete") == 0.5
    assert run.errors == {"delete": {"java.io.IOException": 1}}
    assert run.lateness.max_ms == 4.0


def test_a_run_answers_with_what_its_pacing_measures(run: Run) -> None:
    """A schedule with response times; closed clients with service times, and those corrected beside them."""
    assert run.latency("create").max_ms == 5.0
    run.tally.of("create").held_up[(5_000, 1_000)] += 1
    corrected = run.latency("create", Latency.CORRECTED)
    assert corrected.count == 2 + 4  # 4, 3, 2 and 1 ms: the calls that one every 1 ms would have added
    assert corrected.max_ms == 5.0
    run.pacing = "scheduled"
    assert run.latency("create").max_ms == 10.0


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
    from froude.workspace.store import read_artifact

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
    [({}, "complete"), ({"failure": "it hung up"}, "failed"), ({"interrupted": True}, "interrupted")],
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


@pytest.mark.parametrize(("lag_ms", "limit"), [(25.0, Limit.NEITHER), (25.1, Limit.PLAYER)])
def test_a_player_whose_timers_fire_late_is_the_limit(lag_ms: float, limit: Limit) -> None:
    """25 ms is what one turn of a busy machine may take; more is a player that is behind."""
    assert judge(lag_ms, [Load(float(s), 0.2, 1, 1, 0) for s in range(6)], [], 2).limit is limit


@pytest.mark.parametrize(("share", "limit"), [(0.84, Limit.NEITHER), (0.86, Limit.PLAYER)])
def test_a_player_that_uses_its_core_is_the_limit(share: float, limit: Limit) -> None:
    """From 85 % of it on."""
    assert judge(1.0, [Load(float(s), share, 1, 1, 0) for s in range(6)], [], 2).limit is limit


def test_a_target_is_busy_by_the_cores_that_are_left_to_it() -> None:
    """Of two cores the player has one: 95 % of a core is all; of four it is little."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert judge(1.0, idle, _cpu([0.95] * 6), 4).limit is Limit.NEITHER
    assert judge(1.0, idle, _cpu([2.7] * 6), 4).limit is Limit.TARGET


@pytest.mark.parametrize(("timers", "limit"), [(100, Limit.NEITHER), (3000, Limit.PLAYER)])
def test_of_few_timers_the_worst_are_the_start_alone(timers: int, limit: Limit) -> None:
    """One in fifty late by a second: of a hundred that is the beginning, of thousands it is the player."""
    tally = Tally()
    tally.lags += [1.0 if number % 50 == 0 else 0.0 for number in range(timers)]
    tally.close_interval(1.0)
    load = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert Run(tally, "nn:1", "CID-1", 0.0, 6.0, load=load).bottleneck.limit is limit


def test_closure_names_what_differs(run: Run) -> None:
    """Equal counts differ nowhere, errors counted by their class as a NameNode does; others are named."""
    assert closure(run, {"create": 5}, {"create": 7, "iOException": 1}) == []
    differences = closure(run, {}, {"create": 1, "iOException": 1, "mkdirs": 4})
    assert differences == [Difference("create", 2, 1), Difference("mkdirs", 0, 4)]


def test_a_call_sent_again_may_have_arrived_more_than_once(run: Run) -> None:
    """The daemon counts what reaches it: between once and as often as it was sent."""
    run.tally.of("create").resent = 2
    for counted in (2, 3, 4):
        assert closure(run, {}, {"create": counted, "iOException": 1}) == []
    for counted in (1, 5):
        assert closure(run, {}, {"create": counted, "iOException": 1}) == [Difference("create", 2, counted)]
