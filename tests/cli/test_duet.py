"""`froude compare --duet`: what it asks for, and how it answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment import runners
from froude.experiment.compare.file import read_comparison
from froude.experiment.duet.duet import Duet
from froude.experiment.scenario.scenario import DuetScenario
from froude.hadoop.release import distribution
from froude.workload.yaml_file import write_workload
from tests.support.cli.command_lines import recorded
from tests.support.experiment.duets import duet

Out = pytest.CaptureFixture[str]
SCENARIO = """froude: scenario/1
kind: duet
load: {workload: w.yaml, at: {clients: 9}}
candidate: {java_options: [-XX:+UseZGC]}
compare: {time_limit: 300 s, warm_up: 100 s}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a workload and a scenario."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    write_workload(tmp_path / "w.yaml", recorded())
    (tmp_path / "d.yaml").write_text(SCENARIO)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Duet], list[DuetScenario]]:
    """Stands in for the plays, and keeps what they were asked."""

    def answering(found: Duet) -> list[DuetScenario]:
        seen: list[DuetScenario] = []
        monkeypatch.setattr(distribution.Hadoop, "find", lambda *_, **__: None)
        monkeypatch.setattr(runners, "java_for", lambda *_, **__: None)
        monkeypatch.setattr(runners, "duet", lambda _, __, options, **___: seen.append(options) or found)
        return seen

    return answering


@pytest.mark.parametrize("line", ["compare --duet d.yaml", "run d.yaml"])
def test_dry_run_says_what_would_be_played(line: str, capsys: Out) -> None:
    """At which scale, and for how long; nothing is started."""
    assert run([*line.split(), "--dry-run"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "Would play datanodes=4, clients=9, files=5 against baseline and candidate at once, for 300 s at most"
        in out
    )


@pytest.mark.parametrize(
    ("found", "code", "said"),
    [
        (duet(1.3), 3, "The candidate is slower: "),
        (duet(), 0, "No difference larger than 10 % was seen: "),
        (duet(spread=0.9), 0, "Undecided after 8 min: "),
        (duet(interrupted=True), 130, "No difference larger"),
    ],
)
def test_the_verdict_is_first_and_is_the_exit_code(
    asked: Callable[[Duet], list[DuetScenario]], capsys: Out, found: Duet, code: int, said: str
) -> None:
    """3 where the candidate is worse; what is given as a flag takes the place of the scenario's."""
    seen = asked(found)
    assert (
        run(["compare", "--duet", "d.yaml", "--time-limit", "10 min", "--seed", "7", "--report", "d.html"])
        == code
    )
    out = capsys.readouterr().out
    assert out.startswith(said)
    assert "Compared at the same time, over 8 min after a warm-up of 45 s, in 5 looks." in out
    assert "Time needed" in out
    assert (seen[0].compare.time_limit_s, seen[0].compare.warm_up_s, seen[0].seed) == (600.0, 100.0, 7)
    assert read_comparison(Path("duet/comparison.json")).together is not None
    assert "Candidate less baseline, batch by batch" in Path("d.html").read_text()


def test_undecided_is_one_word_in_the_document(
    asked: Callable[[Duet], list[DuetScenario]], capsys: Out
) -> None:
    """Of the duet, and of each measure that is open."""
    asked(duet(spread=0.9))
    assert run(["compare", "--duet", "d.yaml", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["outcome"] == "undecided"
    assert {row["outcome"] for row in written["rows"]} <= {
        "undecided",
        "no difference larger than the margin",
    }


def test_a_document(asked: Callable[[Duet], list[DuetScenario]], capsys: Out) -> None:
    """Of `run`, too."""
    asked(duet(1.3))
    assert run(["run", "d.yaml", "-o", "there", "--json"]) == 3
    written = json.loads(capsys.readouterr().out)
    assert written == json.loads(Path("there/comparison.json").read_text())
    assert written["together"]["looks"] == 5


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("compare --duet d.yaml --baseline r1", 2, "--baseline: is for runs, and --duet makes its own"),
        ("compare --duet d.yaml --primary mean", 2, "--primary: is for runs"),
        ("compare --baseline r1 --candidate r2 --time-limit 60s", 2, "--time-limit: is for a duet"),
        ("compare --candidate r2", 2, "--baseline"),
        ("compare --duet p.yaml", 1, "p.yaml:kind: is no duet; found play"),
        ("compare --duet d.yaml --time-limit 20s", 2, "is too short; found 20 s; allowed: 120 s and more"),
        ("compare --duet w2.yaml", 1, "leaves too little time; found 160 s"),
        ("compare --duet m.yaml", 1, "m.yaml:3: load.duration: is not a field here"),
        (
            "compare --duet a.yaml",
            1,
            "a.yaml:6: abort_when[0]: must hold for longer than the whole play; found 360 s",
        ),
        ("compare --duet method.yaml", 1, "method.yaml:6: abort_when: is a method that the plan never calls"),
        ("run method.yaml", 1, "method.yaml:6: abort_when: is a method that the plan never calls"),
    ],
)
def test_what_is_refused(line: str, code: int, said: str, capsys: Out) -> None:
    """In the words of who asks."""
    Path("p.yaml").write_text("froude: scenario/1\nkind: play\nload: {plan: p}\n")
    Path("w2.yaml").write_text(SCENARIO.replace("warm_up: 100 s", "warm_up: 160 s"))
    Path("m.yaml").write_text(SCENARIO.replace("workload: w.yaml", "workload: w.yaml, duration: 5 min"))
    Path("a.yaml").write_text(f"{SCENARIO}abort_when: [error_rate > 5 % for 6 min]\n")
    Path("method.yaml").write_text(f"{SCENARIO}abort_when: [p99(nosuch) > 5 ms for 10 s]\n")
    assert run([*line.split(), "--dry-run"]) == code
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("arm", [0, 1])
def test_a_play_that_failed_fails_the_duet(
    asked: Callable[[Duet], list[DuetScenario]], capsys: Out, arm: int
) -> None:
    """Of the candidate, which is worse; and of the baseline, since nothing was compared."""
    found = duet()
    runs = [replace(run, failure="aborted, since") if at == arm else run for at, run in enumerate(found.runs)]
    asked(replace(found, runs=(runs[0], runs[1])))
    assert run(["compare", "--duet", "d.yaml", "--markdown", "d.md"]) == 3
    named = f"The {('baseline', 'candidate')[arm]} failed: aborted, since"
    assert named in capsys.readouterr().out
    assert named in Path("d.md").read_text()


def test_a_history_is_of_whole_duets(asked: Callable[[Duet], list[DuetScenario]], capsys: Out) -> None:
    """An interrupted one adds no line; a tag that does not fit on one is refused before anything is played."""
    asked(duet(interrupted=True))
    assert run(["compare", "--duet", "d.yaml", "--history", "h.csv", "--tag", "abc"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not Path("h.csv").exists()
    assert run(["compare", "--duet", "d.yaml", "--history", "h.csv", "--tag", "a\nb", "-o", "other"]) == 2
    assert "--tag: has characters that cannot be printed" in capsys.readouterr().err
    assert not Path("other").exists()
