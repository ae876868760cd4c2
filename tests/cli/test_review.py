"""`froude review`: what is asked, and how answers are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.workload.scale import Count
from froude.workload.types import (
    Absent,
    CallTemplate,
    Constant,
    Counter,
    NodeType,
    Question,
    Recorded,
    Template,
    Unknown,
    Workload,
)
from froude.workload.walk import templates
from froude.workload.yaml_file import read_workload, write_workload

Out = pytest.CaptureFixture[str]


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """Two questions, one about a number and one about a text."""
    call = CallTemplate("c.e1", "p.P", "create", {"length": Unknown((1, 2)), "src": Unknown(("/a", "/b"))})
    questions = (
        Question("c.e1:length", "how long?", "c", "c.e1", "length", (1, 2), (Constant(1), Constant(2))),
        Question("c.e1:src", "which file?", "c", "c.e1", "src", ("/a", "/b"), (Constant("/a"),)),
    )
    client = NodeType("c", Count(1), (call,))
    path = tmp_path / "workload.yaml"
    write_workload(path, Workload((client,), Recorded((), ()), questions=questions))
    return path


def arguments(path: Path) -> dict[str, object]:
    """The rules of the one call."""
    return dict(next(templates(read_workload(path).node_types[0])).arguments)


def test_list_shows_and_changes_nothing(workload: Path, capsys: Out) -> None:
    """Numbers, texts, examples and candidates."""
    before = workload.read_bytes()
    assert run(["review", str(workload), "--list"]) == 0
    out = capsys.readouterr().out
    for part in (
        "q1: how long?",
        "seen: 1, 2",
        "2) 2",
        "q2: which file?",
        "0 answered, 2 open",
        "--set q1=1",
    ):
        assert part in out
    assert workload.read_bytes() == before


def test_comments_are_not_lost_unless_asked(workload: Path, capsys: Out) -> None:
    """They are no part of a workload, so that answers written into it would drop them."""
    workload.write_text("# mine\n" + workload.read_text())
    before = workload.read_bytes()
    for flags in ((), ("--json",), ("--dry-run",)):
        assert run(["review", str(workload), "--accept", *flags]) == 1
        assert (
            "workload.yaml: has comments, which answers written into it would drop; found # mine"
            in capsys.readouterr().err
        )
        assert workload.read_bytes() == before
    assert run(["review", str(workload), "--list"]) == 0
    assert run(["review", str(workload), "--accept", "--force"]) == 0
    assert b"# mine" not in workload.read_bytes()


def test_set_by_number_and_id(workload: Path, capsys: Out) -> None:
    """A candidate by its number; a constant takes the kind that was seen."""
    assert run(["review", str(workload), "--set", "q1=#70", "--set", "c.e1:src=1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert arguments(workload) == {"length": Constant(70), "src": Constant("/a")}


def test_numbers_stay_when_others_are_answered(workload: Path, capsys: Out) -> None:
    """The second question is q2 for good."""
    assert run(["review", str(workload), "--set", "q1=1"]) == 0
    assert "q2: which file?" in capsys.readouterr().out


def test_accept_takes_the_likeliest(workload: Path) -> None:
    """Each question's first candidate; --dry-run writes none."""
    before = workload.read_bytes()
    assert run(["--dry-run", "review", str(workload), "--accept"]) == 0
    assert workload.read_bytes() == before
    assert run(["review", str(workload), "--accept"]) == 0
    assert arguments(workload) == {"length": Constant(1), "src": Constant("/a")}


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    """One question whose only candidate is that no rule is known."""
    call = CallTemplate("c.e1", "p.P", "create", {"src": Unknown(("/done", "/tmp"))})
    question = Question("c.e1:src", "which?", "c", "c.e1", "src", ("/done",), (Unknown(("/done", "/tmp")),))
    path = tmp_path / "unknown.yaml"
    write_workload(
        path, Workload((NodeType("c", Count(1), (call,)),), Recorded((), ()), questions=(question,))
    )
    return path


def test_accept_leaves_open_what_no_rule_is_known_for(unknown: Path, capsys: Out) -> None:
    """It says so, and shows what was seen."""
    before = unknown.read_bytes()
    assert run(["review", str(unknown), "--accept"]) == 0
    said = capsys.readouterr()
    assert "1) no rule known; plays take /tmp" in said.out
    assert "0 answered, 1 open" in said.out
    assert "note: 1 question stays open: no rule is known" in said.err
    assert unknown.read_bytes() == before


def test_a_rule_may_be_given(unknown: Path, capsys: Out) -> None:
    """A text in braces is a rule; a constant with braces stays one, and that is said."""
    assert run(["review", str(unknown), "--set", "q1=#/tmp/c{node}"]) == 0
    assert arguments(unknown) == {"src": Constant("/tmp/c{node}")}
    assert """to have them filled in: --set 'q1={"template": "/tmp/c{node}"}'""" in capsys.readouterr().err
    assert run(["review", str(unknown), "--set", 'q1={"template": "/tmp/c{node}"}']) == 0
    assert arguments(unknown) == {"src": Template(("/tmp/c", Counter(0, {"node": 1})))}
    assert run(["review", str(unknown), "--set", 'q1={"template": "/tmp/c{nodes}"}']) == 1
    assert "found nodes; allowed: node" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("q3=1", "q1 to q2"),
        ("q1", "q1 to q2"),
        ("q1=3", "1 to 2"),
        ("q1=#long", "a number"),
        ("q1=#\u0665", "a number"),
        ("q1=\u0661", "1 to 2"),
        ("q1=", "q1 to q2"),
    ],
)
def test_wrong_answers(words: str, said: str, workload: Path, capsys: Out) -> None:
    """Say what is allowed and change nothing."""
    before = workload.read_bytes()
    assert run(["review", str(workload), "--set", words]) == 1
    assert said in capsys.readouterr().err
    assert workload.read_bytes() == before


@pytest.fixture
def grouped(tmp_path: Path) -> Path:
    """Three places of one cause, and one of another."""
    rules = {f"list[{n}].id": Constant(n) for n in range(3)} | {"src": Unknown(("/a", "/b"))}
    call = CallTemplate("c.c1", "p.P", "create", rules)
    questions = (
        *(
            Question(f"c.c1:{p}", "?", "c", "c.c1", p, (), (r, Absent()))
            for p, r in rules.items()
            if p != "src"
        ),
        Question("c.c1:src", "which file?", "c", "c.c1", "src", ("/a", "/b"), (Constant("/a"),)),
    )
    path = tmp_path / "workload.yaml"
    write_workload(path, Workload((NodeType("c", Count(1), (call,)),), Recorded((), ()), questions=questions))
    return path


def test_one_answer_for_all_places_of_a_cause(grouped: Path, capsys: Out) -> None:
    """The list is one question; its second candidate is the same everywhere, its first each place's own."""
    assert run(["review", str(grouped), "--list"]) == 0
    out = capsys.readouterr().out
    assert (
        "q1: c: which elements has list of create, and what is in them? (3 places, 100.0% of the calls)"
        in out
    )
    assert "1) in each place a rule of its own" in out
    assert "0 answered, 2 open (in 4 places)" in out
    assert run(["review", str(grouped), "--set", "q2=2", "--json"]) == 0
    (left,) = json.loads(capsys.readouterr().out)
    assert (left["number"], [q["id"] for q in left["questions"]]) == ("q4", ["c.c1:src"])
    assert {f"list[{n}].id": Absent() for n in range(3)}.items() <= arguments(grouped).items()


def test_an_id_answers_one_place_alone(grouped: Path, capsys: Out) -> None:
    """The others stay open."""
    assert run(["review", str(grouped), "--set", "c.c1:list[1].id=2"]) == 0
    assert "0 answered, 2 open (in 3 places)" in capsys.readouterr().out
    assert arguments(grouped)["list[1].id"] == Absent()
