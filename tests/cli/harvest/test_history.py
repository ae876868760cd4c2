"""`froude harvest generate`, `import` and `reimages`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.hadoop.release.distribution import Hadoop
from froude.harvest.telemetry.files import read_datacenter
from tests.support.harvest.live.hdfs.namenodes import NODES, namenode

Out = pytest.CaptureFixture[str]


def test_a_slot_much_shorter_than_samples_are_apart_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slots between two samples would be made up. An outage is no such distance, and what has no value is no sample."""
    lines = [f"{600 * n},{server},{20 + n % 5}" for n in (*range(50), *range(90, 99)) for server in "ab"]
    lines += [f"{600 * n + 300},a," for n in range(50)]
    (tmp_path / "t.csv").write_text("\n".join(["time,server,cpu", *lines]))
    command = ["harvest", "import", str(tmp_path / "t.csv"), "--slot", "2min", "-o", str(tmp_path / "dc")]
    assert run(command) == 0
    assert "samples are 600 s apart, and slots 120 s: --slot 600s has a sample" in capsys.readouterr().err
    dense = [f"{120 * n},a,20" for n in (*range(9), *range(500, 509))]
    (tmp_path / "d.csv").write_text("\n".join(["time,server,cpu", *dense]))
    assert run(["harvest", "import", str(tmp_path / "d.csv"), "-o", str(tmp_path / "dense")]) == 0
    said = capsys.readouterr().err
    assert "491 slots without a sample" in said
    assert "apart" not in said
    assert run(["harvest", "classify", str(tmp_path / "t.csv")]) == 1
    assert "is a file" in capsys.readouterr().err


def test_the_same_seed_generates_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A profile made smaller; what was made is said."""
    small = ["harvest", "generate", "--profile", "DC-3", "--servers", "60", "--tenants", "12", "--days", "2"]
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert run([*small, "-o", str(tmp_path / name), "--seed", seed]) == 0
    assert "12 tenants, 60 servers, 2.0 days" in capsys.readouterr().out
    one, again, other = (read_datacenter(tmp_path / name) for name in "abc")
    assert one.utilisation.tolist() == again.utilisation.tolist() != other.utilisation.tolist()
    assert one.name == "DC-3"


def test_shares_are_not_taken_for_percent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every tenant would be constant, and nobody would see why; whoever means it says so."""
    (tmp_path / "x.csv").write_text("time,server,cpu\n0,a,0.5\n120,a,0.7\n")
    (tmp_path / "i.csv").write_text("server,tenant\na,web\nb,web\n")
    command = ["harvest", "import", str(tmp_path / "x.csv"), "-o", str(tmp_path / "dc")]
    assert run(command) == 1
    assert "may have percent or shares; found no value above 0.7" in capsys.readouterr().err
    assert run([*command, "--scale", "percent", "--inventory", str(tmp_path / "i.csv")]) == 0
    assert "left out: 1 server of the inventory without a sample, such as b" in capsys.readouterr().err
    assert read_datacenter(tmp_path / "dc").utilisation.tolist() == [
        [pytest.approx(0.005), pytest.approx(0.007)]
    ]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--profile", "DC-10"], "found DC-10; allowed: DC-0, DC-1"),
        (["--servers", "5", "--tenants", "9"], "at least three tenants, and a server for each"),
    ],
)
def test_what_cannot_be_generated(
    flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what is allowed; nothing is written."""
    assert run(["harvest", "generate", *flags, "-o", str(tmp_path / "x")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_samples_with_columns_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mapping of columns, a scale, tenants, reimages; what was cleaned is counted."""
    (tmp_path / "x.csv").write_text("when,host,busy\n0,a,0.5\n0,a,0.7\n60,b,1.1\n")
    (tmp_path / "i.csv").write_text("server,tenant,environment,rack\na,web,x,1\nb,web,x,2\n")
    (tmp_path / "w.csv").write_text("server,time\na,-7\nz,1\n")
    command = ["harvest", "import", str(tmp_path / "x.csv"), "-o", str(tmp_path / "dc"), "--scale", "share"]
    for each in ("time=when", "server=host", "cpu=busy"):
        command += ["--column", each]
    command += ["--inventory", str(tmp_path / "i.csv"), "--reimages", str(tmp_path / "w.csv"), "--json"]
    assert run([*command, "--cores", "16"]) == 0
    said = capsys.readouterr()
    assert "3 samples: 1 duplicate, 1 above 100 % taken for 100 %" in said.err
    assert "left out: 1 reimage of servers without a sample" in said.err
    assert json.loads(said.out)["tenants"] == 1
    found = read_datacenter(tmp_path / "dc")
    assert found.utilisation.tolist() == [[pytest.approx(0.85)]]
    assert (found.cores, found.reimages.time_s.tolist()) == (16, [-7.0])


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--layout", "google"], "--layout: is not a layout, did you mean google2019?; found google"),
        (["--column", "when"], "--column: does not name a column; found when"),
        (["--column", "cpu="], "--column: "),
        (["--scale", "percents"], "--scale: is not a scale"),
        (["--column", "cpu=busy"], "found busy; allowed: time, server, cpu"),
    ],
)
def test_what_cannot_be_imported(
    flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what is allowed."""
    (tmp_path / "x.csv").write_text("time,server,cpu\n0,a,5\n")
    assert run(["harvest", "import", str(tmp_path / "x.csv"), *flags, "-o", str(tmp_path / "dc")]) in {1, 2}
    assert said in capsys.readouterr().err


def test_reimages_that_come_together_as_failures_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of a table, or of the shipped one; how they compare with chance is said."""
    file = tmp_path / "failures.csv"
    lines = [f"{n},{n // 4},2026-01-{n // 8 % 28 + 1:02}\n" for n in range(64)]
    file.write_text("".join(["server,rack,time\n", *lines]))
    small = ["harvest", "generate", "--servers", "60", "--tenants", "12", "--days", "2"]
    assert run([*small, "--correlation", str(file), "-o", str(tmp_path / "a")]) == 0
    said = capsys.readouterr().err
    assert "64 failures, 100.0% of them with another of their rack and day: 96 pairs, by chance" in said
    assert run([*small, "--correlation", "ssd-failures", "-o", str(tmp_path / "b")]) == 0
    file.write_text("Host;rack;time\nx;1;02.01.2026\ny;1;02.01.2026\nz;1;\n" + "y;2;03.01.2026\n" * 30)
    dated = [*small, "--correlation", str(file), "--date-format", "%d.%m.%Y", "-o", str(tmp_path / "d")]
    assert run(dated) == 0
    assert "1 line left out" in capsys.readouterr().err
    for text, flags, wrong in (
        ("server,rack,time\n1,1,1\n", [], "no two failures"),
        ("server,time\n1,1\n", [], "rack"),
        (file.read_text(), ["--date-format", "%d.%m.%Y", "--strict"], "allowed: no such line"),
    ):
        file.write_text(text)
        assert run([*small, "--correlation", str(file), "-o", str(tmp_path / "c"), *flags]) == 1
        assert wrong in capsys.readouterr().err


def test_look_by_look(hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """The first look only remembers; a wipe is written once; a table of something else is left alone."""
    monkeypatch.chdir(tmp_path)
    new = (replace(NODES[0], uuid="new"), *NODES[1:])
    for nodes, lines in ((NODES, 1), (new, 2), (new, 2)):
        with namenode(hadoop.schema(), nodes) as (host, port, _):
            command = [
                "harvest",
                "reimages",
                "--namenode",
                f"{host}:{port}",
                "-o",
                "wipes.csv",
                "--samples",
                "1",
            ]
            assert run(command) == 0
        written = Path("wipes.csv").read_text().splitlines()
        assert len(written) == lines
    assert written[0] == "server,time"
    assert written[1].startswith("s0,")
    capsys.readouterr()
    assert run(command) == 1
    assert "127.0.0.1:" in capsys.readouterr().err
    Path("wipes.csv").write_text("else\n")
    assert run(command) == 1
    assert "holds something else" in capsys.readouterr().err
