"""`froude provision draft`: from a recorded run to a cluster."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.cli.provision import drafting
from froude.hadoop.release.distribution import Hadoop
from froude.provision.draft.types import Draft, DraftDataset, DraftIo, DraftTask, Number, Unit
from froude.provision.types import Op
from froude.trace.files import write_trace
from tests.support.provision.draft.making import Recording, audit_line

NO_TELEMETRY = "are given without telemetry"


pytest.importorskip("scipy")
JOB = "1699999999999_{:04d}"


def recorded(hadoop: Hadoop, place: Path) -> Path:
    """Clients upload three files; two jobs sort them, as MapReduce does."""
    recording = Recording(hadoop.schema()).by(context="CLI")
    for name in "abc":
        recording.write(f"/in/{name}._COPYING_", 250)
        recording.rename(f"/in/{name}._COPYING_", f"/in/{name}")
    for number in (1, 2):
        job = JOB.format(number)
        for split, name in enumerate("abc"):
            recording.by(context=f"mr_attempt_{job}_m_{split:06d}_0", sender=bytes([number, split]) * 8)
            recording.read(f"/in/{name}", 250)
        recording.by(context=f"mr_attempt_{job}_r_000000_0", sender=bytes([number, 9]) * 8)
        attempt = f"/out{number}/_temporary/1/_temporary/attempt_{job}_r_000000_0"
        recording.write(f"{attempt}/part-r-00000", 700)
        recording.rename(f"{attempt}/part-r-00000", f"/out{number}/part-r-00000")
        done = f"/history/job_{job}-1-alice-TeraSort-2-3-1-SUCCEEDED-q-1.jhist"
        recording.rename(f"{done}_tmp", done)
    write_trace(place, recording.trace())
    return place


def audited(place: Path, lines: int) -> Path:
    """A day of a warehouse's audit log."""
    draw = random.Random(5)
    with place.open("w") as out:
        for number in range(lines):
            second = 86000 * number / lines
            day, job = f"dt=2026-11-{draw.randint(1, 20):02d}", JOB.format(number * 40 // lines)
            part = draw.randrange(1000)
            if draw.random() < 0.7:
                path, command = f"/warehouse/clicks/{day}/part-{part}", "open"
            else:
                path, command = (
                    f"/warehouse/daily/_temporary/1/attempt_{job}_m_{part:06d}_0/part-{part}",
                    "create",
                )
            context = f"SPARK_TASK_application_{job}_JobId_{part}"
            out.write(audit_line(second, command, path, user=f"u{number * 40 // lines % 2}", context=context))
    return place


def test_a_recorded_run_becomes_a_cluster(
    tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """Drafted, its blanks named and filled in, compiled with the paper's catalog."""
    trace, drafted = recorded(hadoop, tmp_path / "run.trace"), tmp_path / "app.yaml"
    assert run(["provision", "draft", str(trace), "-o", str(drafted)]) == 0
    said = capsys.readouterr().out
    assert "TeraSort" in said
    assert "CLI_alice" in said
    assert run(["provision", "check", str(drafted)]) == 3
    blank = capsys.readouterr().err
    assert f"{drafted}:" in blank
    assert "compute time of task TeraSort is blank: measure or estimate it" in blank
    text = drafted.read_text()
    drafted.write_text(text.replace("memory: blank", "memory: 1GB").replace("time: blank", "time: 2s"))
    assert run(["provision", "check", str(drafted)]) == 0
    plan = tmp_path / "plan.json"
    command = ["provision", "compile", "paper2012", str(drafted), "-o", str(plan), "--gap", "0.5"]
    assert run(command) == 0
    assert json.loads(plan.read_text())["groups"]


def test_the_numbers_of_a_recorded_run(
    tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON: what the clients did, and nothing written on a dry run."""
    trace, drafted = recorded(hadoop, tmp_path / "run.trace"), tmp_path / "app.yaml"
    command = ["provision", "draft", str(trace), "-o", str(drafted), "--dataset", "/in=input"]
    assert run([*command, "--dry-run", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert not drafted.exists()
    sizes = {d["name"]: d["size"]["value"] for d in document["datasets"]}
    assert sizes == {"input": 750.0, "other": 1400.0}
    assert [d["replication"]["value"] for d in document["datasets"]] == [2.0, 2.0]
    task = next(task for task in document["tasks"] if task["name"] == "TeraSort")
    assert (task["unit"], task["executions"]) == ("job", 2)
    reads, writes = task["operations"]
    assert (reads["dataset"], reads["num_records"], reads["record_size"]["value"]) == ("input", 3.0, 250.0)
    assert (writes["dataset"], writes["num_records"], writes["record_size"]["value"]) == ("other", 1.0, 700.0)
    assert len(document["blank"]) == 4


def test_an_audit_log_leaves_sizes_blank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Datasets, tasks and rates are told; days, attempts and jobs make no datasets or tasks of their own."""
    log = audited(tmp_path / "audit.log", 2000)
    assert run(["provision", "draft", str(log), "-o", str(tmp_path / "a.yaml"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [d["prefix"] for d in document["datasets"]] == ["/warehouse/clicks", "/warehouse/daily"]
    assert sorted((t["name"], t["executions"]) for t in document["tasks"]) == [
        ("spark_u0", 20),
        ("spark_u1", 20),
    ]
    assert all(t["rate"]["value"] > 0 for t in document["tasks"])
    assert len(document["blank"]) == 2 * 2 + 2 * 4


def test_telemetry_fills_in_compute_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where one task dominates; at most all that the machines spent."""
    log = audited(tmp_path / "audit.log", 500)
    series = tmp_path / "cpu.csv"
    rows = "".join(f"2026-11-20 {h:02d}:{m:02d}:00,25\n" for h in range(24) for m in range(60))
    series.write_text(f"timestamp,value\n{rows}")
    command = ["provision", "draft", str(log), "-o", str(tmp_path / "a.yaml"), "--task-by", "context"]
    assert run([*command, "--telemetry", str(series), "--cores", "4", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (task,) = document["tasks"]
    assert task["compute"]["value"] == pytest.approx(86000 / 40, rel=0.01)
    assert not any("compute" in text for text in document["blank"])
    dotted = [f"20.11.2026 {row[11:16]}|25,0" for row in rows.splitlines()]
    series.write_text("\n".join(["timestamp|value", *dotted]))
    flags = ["--separator", "|", "--decimal", ",", "--date-format", "%d.%m.%Y %H:%M", "--scale", "percent"]
    assert (
        run([*command, "--telemetry", str(series), "--cores", "4", "--json", "--layout", "csv", *flags]) == 0
    )
    assert json.loads(capsys.readouterr().out)["tasks"] == [task]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--dataset", "logs"], "is no path prefix"),
        (["--dataset", "/a", "--dataset", "/a/=b"], "is named twice"),
        (["--zone", "Moon/Base"], "Moon/Base"),
        (["--cores", "4"], NO_TELEMETRY),
        (["--telemetry", "cpu.csv"], "--cores: "),
        (["--telemetry-scale", "share"], NO_TELEMETRY),
        (["--telemetry", "none.csv", "--cores", "4"], "none.csv: "),
    ],
)
def test_wrong_flags_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    """And nothing is written."""
    log = audited(tmp_path / "audit.log", 10)
    assert run(["provision", "draft", str(log), "-o", str(tmp_path / "a.yaml"), *flags]) in {1, 2}
    assert message in capsys.readouterr().err
    assert not (tmp_path / "a.yaml").exists()


@pytest.mark.parametrize("flags", [["--task-by", "moon"], ["--telemetry-scale", "x"], ["--share", "2"]])
def test_values_that_are_none_of_a_flag_s(tmp_path: Path, flags: list[str]) -> None:
    """Are a wrong use of the command."""
    log = audited(tmp_path / "audit.log", 10)
    assert run(["provision", "draft", str(log), "-o", str(tmp_path / "a.yaml"), *flags]) == 2


def test_nothing_to_draft_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log in which nobody reads or writes."""
    (tmp_path / "audit.log").write_text(audit_line(1, "listStatus", "/a"))
    assert run(["provision", "draft", str(tmp_path / "audit.log"), "-o", str(tmp_path / "a.yaml")]) == 1
    assert "holds nothing to draft from" in capsys.readouterr().err


BLANK = Number(None, "nothing tells it")


def test_named_datasets() -> None:
    """A name behind `=`; a prefix that holds a `=` itself ends with one, and names itself."""
    grouping = drafting._grouping(["/logs=web", "/in", "/wh/day=1=", "/a="], 0.1, 3)
    assert grouping.named == (("/logs", "web"), ("/in", ""), ("/wh/day=1", ""), ("/a", ""))
    assert (grouping.share, grouping.depth) == (0.1, 3)


def drafted(tasks: int) -> Draft:
    """One dataset, and tasks that read it twice and write it once."""
    reads = DraftIo(Op.READ, "in", 1, Number(5.0, ""), 1.0, "")
    writes = DraftIo(Op.WRITE, "in", 1, BLANK, 1.0, "")
    operations = (reads, reads, writes)
    known = DraftTask("t0", Unit.JOB, 7, Number(0.25, ""), Number(1.0, ""), operations, "")
    blank = [DraftTask(f"t{n}", Unit.CALL, n, BLANK, BLANK, operations, "") for n in range(1, tasks)]
    datasets = (
        DraftDataset("in", "/in", Number(2e9, ""), BLANK, ""),
        DraftDataset("x", "/x", BLANK, BLANK, ""),
    )
    return Draft(datasets, (known, *blank), ("a.log: 9 calls",), ("3 other calls",))


def test_a_draft_for_people() -> None:
    """What was read, datasets, tasks with their reads and writes, and what is blank."""
    lines = [" ".join(line.split()) for line in drafting._summary(drafted(2)).splitlines()]
    assert lines[:2] == ["a.log: 9 calls", "3 other calls"]
    assert lines[4:6] == ["in 2GB /in", "x blank /x"]
    assert lines[8:10] == ["t0 7 0.25 2 1", "t1 1 blank 2 1"]
    assert lines[-1].startswith("9 blank: size of dataset x; replication of dataset in; ")
    assert "more" not in lines[-1]


def test_of_many_blanks_the_first_are_shown() -> None:
    """And how many there are beyond."""
    last = drafting._summary(drafted(4)).splitlines()[-1]
    assert last.startswith("17 blank: ")
    assert last.count(";") == 12
    assert last.endswith("; and 5 more")


def test_a_draft_as_a_document() -> None:
    """Plain values, each number with where it comes from."""
    document = drafting._document(drafted(2), Path("a.yaml"))
    again = json.loads(json.dumps(document))
    assert again["output"] == "a.yaml"
    assert again["datasets"][0]["size"] == {"value": 2e9, "note": ""}
    assert [task["unit"] for task in again["tasks"]] == ["job", "call"]
    assert [io["op"] for io in again["tasks"][0]["operations"]] == ["R", "R", "W"]
    assert len(again["blank"]) == 9


def test_a_cluster_that_says_its_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counted paths and an image's totals, without a trace: datasets with sizes, and a NameNode."""
    (tmp_path / "count").write_text("1 30 2000000000 /logs\n")
    (tmp_path / "totals").write_text(
        "totalFiles = 30\ntotalDirectories = 1\ntotalBlocks = 40\ntotalSpace = 6000000000\n"
    )
    output = tmp_path / "application.yaml"
    given = ["--count", str(tmp_path / "count"), "--image", str(tmp_path / "totals")]
    assert run(["provision", "draft", *given, "-o", str(output), "--json"]) == 0
    drafted = json.loads(capsys.readouterr().out)
    assert [(d["name"], d["size"]["value"], d["replication"]["value"]) for d in drafted["datasets"]] == [
        ("logs", 2e9, 3)
    ]
    assert drafted["blank"] == []
    assert "memory: 1GB" in output.read_text()


def test_nothing_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    """No trace, no count, no counters."""
    assert run(["provision", "draft"]) == 1
    assert "a TRACE, --count, --image or --counters" in capsys.readouterr().err
