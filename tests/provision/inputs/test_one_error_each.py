"""One flaw of an input is one error, whatever refers to what is flawed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.provision.inputs.read import EXAMPLES, examples, parse, parts_of
from froude.provision.inputs.tree import Element, Flaws, Text

BEYOND = "is beyond anything that is meant"


def _spoilt(elements: Sequence[Element]) -> Iterator[tuple[Element, list[Element]]]:
    """Each element with a field too many, and the whole with that one in its place."""
    for at, element in enumerate(elements):
        bad = replace(element, fields={**element.fields, "zzz": Text("1", element.line)})
        yield element, [*elements[:at], bad, *elements[at + 1 :]]
        for inner, children in _spoilt(element.children):
            yield inner, [*elements[:at], replace(element, children=tuple(children)), *elements[at + 1 :]]


@pytest.mark.parametrize("example", examples())
def test_nothing_follows_from_a_flaw(example: str) -> None:
    """Any element may be the wrong one; what names it is right."""
    flaws = Flaws()
    elements = parse((EXAMPLES / f"{example}.yaml").read_bytes(), example, flaws)
    assert not flaws
    for element, spoilt in _spoilt(elements):
        flaws = Flaws()
        parts_of(spoilt, flaws)
        assert len(flaws.found()) == 1, (element.tag, [str(flaw) for flaw in flaws.found()])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rateR: 90MBps", "rateR: 1e-320MBps", BEYOND),
        ("rate: 300", "rate: 1e18", BEYOND),
        ("rate: 300", "rate: 1e-300", BEYOND),
        ("price: 1400", "price: 1e20", BEYOND),
        ("size: 200GB", "size: -1e15GB", BEYOND),
        ("rate: 300", "rate: !foo 200", "found !foo"),
        ("rate: 300", "rate: \uff13\uff10\uff10", "\uff13\uff10\uff10"),
        ("size: 200GB", "size: 200G", "GB?"),
        ("slots: 4", "slots: 4.5", "is not a whole number"),
    ],
)
def test_one_line_a_flaw(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its place, and no crash of what would have to work with such a number."""
    text = (EXAMPLES / "photoshare-calibrated.yaml").read_text()
    assert old in text
    path = tmp_path / "inputs.yaml"
    path.write_text(text.replace(old, new, 1))
    assert run(["provision", "compile", str(path), "-o", str(tmp_path / "plan.json")]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_what_a_plan_cannot_count_is_no_flaw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Such a load has no cluster, and of what there would be too many is said."""
    text = (EXAMPLES / "photoshare-calibrated.yaml").read_text()
    path = tmp_path / "inputs.yaml"
    path.write_text(text.replace("rate: 300", "rate: 1e12", 1))
    assert run(["provision", "compile", str(path), "-o", str(tmp_path / "plan.json")]) == 3
    shown = "".join(capsys.readouterr())
    assert "infeasible" in shown
    assert "number of " in shown


@pytest.mark.parametrize("command", ["check", "compile", "evaluate"])
def test_pipes_and_devices_are_not_read(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither as inputs nor as a cluster, and a file that is too large is not either."""
    pipe, large = tmp_path / "pipe", tmp_path / "large.yaml"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(1 << 40)
    for path in (pipe, Path("/dev/zero"), large):
        assert run(["provision", command, str(path)]) in {1, 3}
        assert f"{path}: " in capsys.readouterr().err
        if command != "compile":
            assert run(["provision", command, "terasort", "--cluster", str(path)]) == 1
            assert f"{path}: " in capsys.readouterr().err
