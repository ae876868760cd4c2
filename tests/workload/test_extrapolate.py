"""A Plan says what it would play, and what it refuses."""

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.workload.extrapolate import calls_of, extrapolate
from froude.workload.plan_file import read_plan, write_plan
from froude.workload.scale import Count, Scale
from froude.workload.types import CallTemplate, Finding, NodeType, Question, Recorded, Repeat, Workload

CREATE = CallTemplate("c1", "p", "create", {})
CLOSE = CallTemplate("c2", "p", "complete", {})


def _workload(findings: tuple[Finding, ...] = (), questions: tuple[Question, ...] = ()) -> Workload:
    loop = Repeat("L1", Count.parse("files"), (CREATE, CLOSE))
    client = NodeType("client", Count.parse("clients"), (loop, CREATE))
    scales = (Scale.of(clients=1, files=4, blocks=2), Scale.of(clients=2, files=6, blocks=2))
    return Workload((client,), Recorded(scales, ("CID-1",)), questions, findings)


def test_counts_follow_the_scale() -> None:
    """Nodes and calls at a size that was never recorded."""
    plan = extrapolate(_workload(), Scale.of(clients=50, files=8, blocks=2))
    assert plan.playable
    assert plan.counts == {"client": 50}
    assert calls_of(plan.workload.node_types[0].steps, plan.scale) == 17


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (Scale.of(clients=5, files=8, blocks=3), "'blocks' was 2 in every recorded run"),
        (Scale.of(clients=5, blocks=2), "does not say 'files'"),
        (Scale.of(clients=5, files=8, blocks=2, racks=3), "'racks' is no variable"),
        (Scale.of(clients=5, files="8 GB", blocks=2), "asked for as 8 GB"),
    ],
)
def test_refuses_what_it_cannot_know(scale: Scale, message: str) -> None:
    """A variable that never varied, is missing, is new, or has another unit stops the plan."""
    plan = extrapolate(_workload(), scale)
    assert not plan.playable
    assert any(message in refusal.what for refusal in plan.refusals)


def test_a_fatal_finding_stops_other_scales_only() -> None:
    """What was recorded can be played as recorded."""
    workload = _workload((Finding("L1 fits no count", fatal=True, node_type="client"),))
    assert extrapolate(workload, Scale.of(clients=2, files=6, blocks=2)).playable
    assert not extrapolate(workload, Scale.of(clients=3, files=6, blocks=2)).playable


def test_open_questions_are_mentioned() -> None:
    """They do not stop a plan, and are not hidden."""
    plan = extrapolate(
        _workload(questions=(Question("q1", "?", "client"),)), Scale.of(clients=1, files=4, blocks=2)
    )
    assert plan.playable
    assert "1 question not answered" in plan.refusals[0].what


def test_a_plan_reads_back(tmp_path: Path) -> None:
    """The folder holds all of it."""
    plan = extrapolate(_workload(), Scale.of(clients=50, files=8, blocks=2))
    write_plan(tmp_path / "plan", plan)
    write_plan(tmp_path / "plan", plan)
    assert read_plan(tmp_path / "plan") == plan


def test_another_folder_is_not_overwritten(tmp_path: Path) -> None:
    """A folder that is no plan stays as it is."""
    (tmp_path / "precious").write_text("x")
    with pytest.raises(InputError, match="is not a plan"):
        write_plan(tmp_path, extrapolate(_workload(), Scale.of(clients=1, files=4, blocks=2)))
    assert (tmp_path / "precious").read_text() == "x"
