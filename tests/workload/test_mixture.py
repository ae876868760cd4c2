"""Workloads become one: daemons once, everything else under the name of its workload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.workload.extrapolate import extrapolate
from froude.workload.groups import groups
from froude.workload.mixture import mixture
from froude.workload.plan import pace
from froude.workload.remarks import remarks_on_scale
from froude.workload.review import answer
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    LAUNCHER,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Effect,
    Finding,
    Flow,
    NodeType,
    Periodic,
    Question,
    Recorded,
    Repeat,
    Side,
    StartRule,
    Template,
    Workload,
)
from froude.workload.yaml_file import read_workload, write_workload
from testbed.workloads import WORKLOADS

AT = Scale.of(datanodes=3, a_clients=4, a_files=5, b_clients=2, b_files=7)


def call(name: str, method: str, /, **arguments: object) -> CallTemplate:
    """A call with rules, or constants, by argument."""
    rules = {path: rule if not isinstance(rule, str) else Constant(rule) for path, rule in arguments.items()}
    return CallTemplate(name, "p", method, rules)  # type: ignore[arg-type]


def job(method: str = "create", folder: str = "/in", daemon: str = "datanode", first: str = "c1") -> Workload:
    """Clients that make files; a DataNode reports each, and reports itself at its begin."""
    path = Template((f"{folder}/", Counter(0, {"node": 1}), "-", Counter(0, {"L1": 1, "files*node": 1})))
    make = call(
        "client.c1", method, src=path, id=Flow(f"{daemon}.{first}", Side.RESPONSE, "id", node_type=daemon)
    )
    client = NodeType(
        "client",
        Count(0.0, {"clients": 1.0}),
        (Repeat("L1", Count(0.0, {"files": 1.0}), (make,)),),
        start=StartRule(daemon),
    )
    own = Effect(call(f"{daemon}.e1", "blockReport"), f"{daemon}.{first}", daemon, None)
    moved = Effect(
        call(f"{daemon}.e2", "received", src=Cases("client.L1", Constant("x"), None, Constant("y"))),
        "client.c1",
        "client",
        None,
    )
    node = NodeType(
        daemon,
        Count(0.0, {"datanodes": 1.0}),
        (call(f"{daemon}.{first}", "register", name="x"),),
        (Periodic(call(f"{daemon}.p1", "beat"), 3.0),),
        (own, moved),
        program="datanode",
    )
    questions = (
        Question("client:iterations of L1 in client", "client: how many?", "client"),
        Question("datanode.c1:name", "datanode: name of register?", "datanode", "datanode.c1", "name"),
        Question("datanode.e2:src", "datanode: src of received?", "datanode", "datanode.e2", "src"),
    )
    scales = (Scale.of(datanodes=2, clients=1, files=4), Scale.of(datanodes=3, clients=3, files=2))
    findings = (Finding("something fits no count", fatal=True, node_type="client"),)
    return Workload(
        (node, client), Recorded(scales, (f"CID{folder}",), "3.5.0", (f"hash{folder}",)), questions, findings
    )


def test_names_begin_with_those_of_their_workloads() -> None:
    """Node types, calls, variables and loops of other types; daemons, their calls and their number keep theirs."""
    mixed = mixture({"a": job(), "b": job(folder="/out", first="c9")})
    assert [each.name for each in mixed.node_types] == ["datanode", "a_client", "b_client"]
    node, client, other = mixed.node_types
    assert (str(node.count), str(client.count), str(other.count)) == ("datanodes", "a_clients", "b_clients")
    (loop,) = other.steps
    assert isinstance(loop, Repeat)
    (make,) = loop.steps
    assert isinstance(make, CallTemplate)
    assert (loop.id, str(loop.times), make.id) == ("L1", "b_files", "b_client.c1")
    assert make.arguments["id"] == Flow("datanode.c1", Side.RESPONSE, "id", node_type="datanode")
    assert "b_files*node" in str(make.arguments["src"])
    assert other.start == StartRule("datanode")


def test_a_daemon_has_the_effects_of_all_jobs_and_its_own_once() -> None:
    """Each is caused by the call of its job, and counts by the loops of that."""
    node = mixture({"a": job(), "b": job(folder="/out")}).node_type("datanode")
    assert [(each.call.id, each.cause, each.cause_type) for each in node.effects] == [
        ("datanode.e1", "datanode.c1", "datanode"),
        ("datanode.a_e2", "a_client.c1", "a_client"),
        ("datanode.b_e2", "b_client.c1", "b_client"),
    ]
    rule = node.effects[2].call.arguments["src"]
    assert isinstance(rule, Cases)
    assert rule.index == "b_client.L1"


def test_a_mixture_is_what_all_were_recorded_at() -> None:
    """Runs with the variables of their own workload; clusters and traces once each."""
    recorded = mixture({"a": job(), "b": job(folder="/out"), "c": job()}).recorded
    assert [sorted(scale) for scale in recorded.scales[1:3]] == [
        ["a_clients", "a_files", "datanodes"],
        ["b_clients", "b_files", "datanodes"],
    ]
    assert (recorded.source_ids, recorded.traces) == (("CID/in", "CID/out"), ("hash/in", "hash/out"))
    assert recorded.release == "3.5.0"


def test_each_job_has_its_own_size() -> None:
    """The Scale of a plan weighs the jobs; without a variable of one of them there is no plan."""
    mixed = mixture({"a": replace(job(), findings=()), "b": replace(job(folder="/out"), findings=())})
    plan = extrapolate(mixed, AT)
    assert plan.playable
    assert plan.counts == {"datanode": 3, "a_client": 4, "b_client": 2}
    assert [pace(each, plan.scale)[0] for each in mixed.node_types[1:]] == [5, 7]
    refused = extrapolate(mixed, Scale.of(datanodes=3, a_clients=4, a_files=5, b_clients=2))
    assert "does not say 'b_files'" in refused.obstacle


def test_what_a_job_forbids_stays_forbidden() -> None:
    """A finding that stops other sizes of one job does so until each job has a recorded size."""
    mixed = mixture({"a": job(), "b": replace(job(folder="/out"), findings=())})
    assert extrapolate(mixed, AT).obstacle == "a: something fits no count"
    as_recorded = Scale.of(datanodes=2, a_clients=1, a_files=4, b_clients=1, b_files=4)
    assert extrapolate(mixed, as_recorded).playable
    other_recorded = Scale.of(datanodes=2, a_clients=2, a_files=4, b_clients=1, b_files=4)
    assert not extrapolate(mixed, other_recorded).playable


def test_questions_stay_open_under_their_new_names() -> None:
    """Those about a daemon's own calls are asked once; an answer reaches its own job alone."""
    mixed = mixture({"a": job(), "b": job(folder="/out")})
    assert [(each.id, each.text) for each in mixed.questions] == [
        ("a_client:iterations of L1 in client", "a_client: how many?"),
        ("datanode.c1:name", "datanode: name of register?"),
        ("datanode.a_e2:src", "datanode: src of received?"),
        ("b_client:iterations of L1 in client", "b_client: how many?"),
        ("datanode.b_e2:src", "datanode: src of received?"),
    ]
    answered = answer(mixed, "b_client:iterations of L1 in client", Constant(9))
    counts = [str(segment.times) for each in answered.node_types[1:] for segment in each.steps]  # type: ignore[union-attr]
    assert counts == ["a_files", "9"]
    assert sum(len(group.questions) for group in groups(mixed)) == 5
    assert all(group.share > 0 for group in groups(mixed))


def test_variables_of_one_workload_that_rose_together_are_still_named() -> None:
    """Those of different workloads, which have no run in common, are not."""
    one = replace(
        job(),
        recorded=Recorded(
            (Scale.of(datanodes=2, clients=1, files=4), Scale.of(datanodes=2, clients=2, files=8)), ()
        ),
    )
    remarks = remarks_on_scale(mixture({"a": one, "b": replace(one, recorded=replace(one.recorded))}))
    assert len([remark for remark in remarks if "rose with" in remark]) == 2


def test_remarks_name_whose_daemons_are_played_and_paths_that_may_clash() -> None:
    """Only where they may: a folder that begins with another one's name is another folder."""
    texts = [each.what for each in mixture({"a": job(), "b": job(folder="/in")}).findings]
    assert texts[2:] == [
        "datanode: its own calls and periods are those of a",
        "a and b both make paths that begin with /in: equal ones clash",
    ]
    assert len(mixture({"a": job(), "b": job(folder="/in2")}).findings) == 3
    assert len(mixture({"a": job(), "b": job("delete")}).findings) == 3


def test_a_resourcemanagers_calls_belong_to_their_job() -> None:
    """The containers that it starts are those of the job."""
    launcher = NodeType("launcher", Count(1), (call("launcher.c1", "startContainers"),), program=LAUNCHER)
    jobs = [replace(each, node_types=(*each.node_types, launcher)) for each in (job(), job(folder="/out"))]
    names = [each.name for each in mixture({"a": jobs[0], "b": jobs[1]}).node_types]
    assert names == ["datanode", "a_client", "a_launcher", "b_client", "b_launcher"]


def _with_daemon(change: Callable[[NodeType], NodeType]) -> Workload:
    workload = job()
    return replace(workload, node_types=(change(workload.node_types[0]), *workload.node_types[1:]))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            replace(job(), recorded=Recorded((), (), "3.4.2")),
            "the release of b: is not as in a; found 3.4.2; allowed: 3.5.0",
        ),
        (
            job(daemon="store"),
            "the node types of b with the program datanode: is not as in a; found store; allowed: datanode",
        ),
        (
            _with_daemon(lambda node: replace(node, count=Count(0.0, {"nodes": 1.0}))),
            "the number of datanode nodes in b: is not as in a; found nodes; allowed: datanodes",
        ),
        (
            _with_daemon(lambda node: replace(node, steps=())),
            "call 1 of datanode in b: is not as in a; found beat; allowed: register, name",
        ),
        (
            _with_daemon(
                lambda node: replace(node, steps=(call("datanode.c1", "register", name="x", more="y"),))
            ),
            "call 1 of datanode in b: is not as in a; found register, more; allowed: register",
        ),
        (
            _with_daemon(lambda node: replace(node, steps=(*node.steps, node.periodic[0].call), periodic=())),
            "the periodic calls of datanode in b: is not as in a; found none; allowed: beat",
        ),
        (
            _with_daemon(lambda node: replace(node, effects=node.effects[1:])),
            "call 3 of datanode in b: is not as in a; found no call; allowed: blockReport",
        ),
        (
            _with_daemon(lambda node: replace(node, periodic=(replace(node.periodic[0], every_s=6.0),))),
            "the period of beat of datanode in b: is not as in a; found 6 s; allowed: 3 s",
        ),
    ],
)
def test_daemons_that_differ_are_refused(other: Workload, message: str) -> None:
    """With what differs, where, and what to do."""
    with pytest.raises(InputError) as refused:
        mixture({"a": job(), "b": other})
    assert str(refused.value).startswith(message)
    assert "record these on clusters of one release and configuration" in str(refused.value)


@pytest.mark.parametrize("name", ["", "a_b", "2nd", "a-", "a-2", "ä", "a b"])
def test_a_name_must_be_part_of_names_in_formulas(name: str) -> None:
    """Otherwise where a name ends would be open, or a formula would be read otherwise."""
    with pytest.raises(InputError, match="cannot name a workload in a mixture"):
        mixture({"one": job(), name: job(folder="/out")})


def test_one_workload_is_no_mixture() -> None:
    """It is what it is."""
    with pytest.raises(InputError, match=r"^a mixture is of two workloads or more; found 1"):
        mixture({"a": job()})


def test_real_workloads_and_mixtures_are_mixed_and_read_as_they_are_written(tmp_path: Path) -> None:
    """A mixture is a workload like any other."""
    jobs = {name: read_workload(file) for name, file in WORKLOADS.items()}
    mixed = mixture({"one": jobs["demo"], "put-and-move": jobs["README"]})
    again = mixture({"b2": jobs["demo"], "all": mixed})
    assert "all_put-and-move_shell-2" in [each.name for each in again.node_types]
    for number, each in enumerate((mixed, again)):
        write_workload(tmp_path / f"{number}.yaml", each)
        assert read_workload(tmp_path / f"{number}.yaml") == each
    scale = Scale({name: Quantity(3.0) for run in again.recorded.scales for name in run})
    assert extrapolate(again, scale).playable
