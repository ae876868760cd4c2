"""What the recorded Scales cannot tell."""

from __future__ import annotations

from dataclasses import replace

from froude.workload.remarks import options_of, remarks_on_scale, rose_together
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Counter,
    NodeType,
    Recorded,
    Repeat,
    Scaled,
    Template,
    Workload,
)


def _workload(*scales: Scale, times: str = "files", **arguments: object) -> Workload:
    create = CallTemplate("client.c1", "p.P", "create", arguments)  # type: ignore[arg-type]
    client = NodeType("client", Count(1), (Repeat("L1", Count.parse(times), (create,)),))
    node = NodeType("datanode", Count.parse("datanodes"), (), program="datanode")
    return Workload((client, node), Recorded(scales, ()))


APART = (Scale.of(datanodes=2, files=4), Scale.of(datanodes=3, files=9), Scale.of(datanodes=4, files=7))
TOGETHER = (Scale.of(datanodes=2, files=10), Scale.of(datanodes=3, files=15), Scale.of(datanodes=4, files=20))


def test_variables_that_rose_apart_need_no_remark() -> None:
    """Each drives what it drives."""
    assert remarks_on_scale(_workload(*APART)) == ()


def test_variables_that_rose_together_are_named_with_the_run_that_tells_them_apart() -> None:
    """The loop may be the files' or the DataNodes'; that DataNodes are as many as `datanodes` nobody doubts."""
    (remark,) = remarks_on_scale(_workload(*TOGETHER))
    assert remark == (
        "files rose with datanodes in every recording: nobody can tell which of them drives the iterations of L1 in "
        "client; record --datanodes 3 --scale files=10"
    )
    assert not rose_together((*TOGETHER, Scale.of(datanodes=3, files=10)))


def test_nothing_hangs_on_what_only_counts_the_nodes_of_its_name() -> None:
    """As many clients as DataNodes in every run, and each counted by its own variable."""
    workload = _workload(*TOGETHER, times="3")
    assert remarks_on_scale(workload) == ()


def test_a_variable_that_drives_nothing_is_said() -> None:
    """Whatever its value, the same was done."""
    assert remarks_on_scale(_workload(*APART, times="3")) == (
        "files drives nothing: at all its recorded values the same was done",
    )


def test_arguments_are_driven_too() -> None:
    """By a count of the Scale, within a text, or by a counter that goes on from node to node or by groups."""
    for rule in (
        Scaled(Count.parse("2*files")),
        Template(("part-", Counter(0, {"files*node": 1}))),
        Counter(0, {"L1//files": 1}),
    ):
        assert remarks_on_scale(_workload(*APART, times="3", src=rule)) == ()
    assert remarks_on_scale(_workload(*APART, times="3", src=Counter(0, {"L1": 1, "node": 2})))


def test_quantities_with_units_can_be_typed() -> None:
    """A run is proposed as it is given on a command line."""
    scales = (Scale.of(datanodes=2, input="1 GB"), Scale.of(datanodes=3, input="2 GB"))
    (remark,) = remarks_on_scale(_workload(*scales, times="input"))
    assert remark.endswith("record --datanodes 3 --scale 'input=1 GB'")


def test_runs_of_several_jobs_have_other_variables() -> None:
    """A variable that stays the same wherever another one is known is no line over it."""
    assert rose_together([Scale.of(a=1), Scale.of(a=2, b=1), Scale.of(a=2, b=3)]) == []


def test_blocks_that_nobody_stores_are_said() -> None:
    """A recording without DataNodes makes a plan without them."""
    workload = _workload(*APART)
    add = CallTemplate("client.c2", "p.P", "addBlock", {})
    alone = replace(workload, node_types=(replace(workload.node_types[0], steps=(add,)),))
    assert any("no call of a DataNode was recorded" in remark for remark in remarks_on_scale(alone))
    assert not any("DataNode was" in remark for remark in remarks_on_scale(workload))


def test_numbers_of_nodes_have_options_of_their_own() -> None:
    """`froude record` takes neither as a --scale."""
    run = Scale.of(datanodes=1, maps=2, nodemanagers=3)
    assert options_of(run) == "--datanodes 1 --nodemanagers 3 --scale maps=2"
