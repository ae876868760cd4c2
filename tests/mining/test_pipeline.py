"""Mining from end to end, on a world whose truth is known."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

import pytest

from froude.mining.check.prediction import LeafOutcome, predict_recording
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Event, Recording
from froude.mining.rules.arguments import is_open
from froude.trace.lowered import LoweredInterval
from froude.workload.extrapolate import extrapolate
from froude.workload.groups import groups
from froude.workload.review import answer
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Flow,
    Generated,
    Repeat,
    Scaled,
    Side,
    Template,
    Wait,
    Which,
    Workload,
)
from froude.workload.walk import templates
from froude.workload.yaml_file import dump_workload, read_workload, write_workload
from testbed.synthetic import CLIENT, record
from tests.support.mining.events import event


@pytest.fixture(scope="module")
def runs() -> list[Recording]:
    """Four runs, one with every loop running once."""
    return [
        record(datanodes=2, clients=1, dirs=1, files=2, blocks=1),
        record(datanodes=3, clients=3, dirs=2, files=3, blocks=2),
        record(datanodes=4, clients=2, dirs=3, files=1, blocks=3),
        record(datanodes=6, clients=4, dirs=2, files=4, blocks=4),
    ]


@pytest.fixture(scope="module")
def workload(runs: list[Recording]) -> Workload:
    """What is mined from them."""
    return mine_recordings(runs)


def test_node_types_and_counts(workload: Workload) -> None:
    """DataNodes, writers and the sweeper come out, each with its number."""
    assert {node.name: str(node.count) for node in workload.node_types} == {
        "datanode": "datanodes",
        "client": "clients",
        "client-2": "1",
    }
    assert workload.questions == ()
    assert not [finding for finding in workload.findings if finding.fatal]


def test_nested_loops(workload: Workload) -> None:
    """Folders, files in them, blocks in those, and the renames: each with its variable."""
    outer, rename = (step for step in workload.node_type("client").steps if isinstance(step, Repeat))
    files = next(step for step in outer.steps if isinstance(step, Repeat))
    blocks = next(step for step in files.steps if isinstance(step, Repeat))
    assert [str(loop.times) for loop in (outer, files, blocks, rename)] == ["dirs", "files", "blocks", "dirs"]


def test_argument_rules(workload: Workload) -> None:
    """Templates with several counters, padded ones too; flows from answers; the first iteration apart."""
    calls = {(call.method, call.id): call for call in templates(workload.node_type("client"))}
    add = next(call for (method, _), call in calls.items() if method == "addBlock")
    source = add.arguments["src"]
    assert isinstance(source, Template)
    assert sorted(part.width for part in source.parts if isinstance(part, Counter)) == [0, 2, 3]
    assert isinstance(add.arguments["fileId"], Flow)
    previous = add.arguments["previous.blockId"]
    assert isinstance(previous, Cases)
    assert isinstance(previous.otherwise, Flow)
    assert previous.otherwise.which is Which.PREVIOUS


def test_periodic_calls_polls_and_effects(workload: Workload) -> None:
    """Heartbeats are of real time, `complete` is polled, block reports are effects of addBlock."""
    node = workload.node_type("datanode")
    assert [periodic.call.method for periodic in node.periodic] == ["sendHeartbeat"]
    assert node.periodic[0].every_s == pytest.approx(1.0, rel=0.1)
    assert [step.method for step in node.steps if not isinstance(step, Repeat)] == [
        "versionRequest",
        "registerDatanode",
    ]
    assert {effect.each for effect in node.effects} == {"block.locs"}
    assert any(effect.share < 1 for effect in node.effects)
    assert any(effect.share == 1 for effect in node.effects)
    completes = [call for call in templates(workload.node_type("client")) if call.method == "complete"]
    assert completes[0].poll is not None
    assert completes[0].poll.until is True


def test_start_rules(workload: Workload) -> None:
    """The sweeper joins on all writers; writers wait for the DataNodes to be up."""
    assert workload.node_type("client-2").start.after == "client"
    assert workload.node_type("client").start.after == "datanode"


def test_same_input_same_text(runs: list[Recording], workload: Workload) -> None:
    """Mining is deterministic."""
    assert dump_workload(mine_recordings(runs)) == dump_workload(workload)


def test_what_never_varied_is_said(runs: list[Recording]) -> None:
    """One run, or runs of one size, cannot tell how anything grows."""
    findings = mine_recordings(runs[:1]).findings
    assert {f.variable for f in findings if f.fatal} >= {"datanodes", "clients", "dirs", "files", "blocks"}


def test_a_count_with_two_explanations_is_asked() -> None:
    """Folders and blocks rose alike: the count of each is a question with both as candidates."""
    sizes = ({"dirs": 1, "blocks": 1}, {"dirs": 2, "blocks": 2}, {"dirs": 3, "blocks": 3})
    questions = mine_recordings([record(datanodes=3, clients=2, files=2, **size) for size in sizes]).questions
    asked = [question for question in questions if len(question.candidates) == 2]
    assert asked
    assert {str(candidate.count) for candidate in asked[0].candidates} == {"dirs", "blocks"}  # type: ignore[union-attr]


def test_the_text_form_keeps_everything(workload: Workload, tmp_path: Path) -> None:
    """What is mined survives being written and read."""
    file = tmp_path / "workload.yaml"
    write_workload(file, workload)
    assert dump_workload(read_workload(file)) == dump_workload(workload)


def _numbered_on(clients: int, files: int) -> Recording:
    events = []
    for node in range(clients - 1, -1, -1):
        for file in range(files):
            src = f"/data/part-{node * files + file:05d}-of-{clients}"
            events.append(event(len(events), "create", {"src": src}, client=f"c{node}"))
    return Recording(tuple(events), Scale.of(clients=clients, files=files))


def test_numbers_that_go_on_from_node_to_node() -> None:
    """`part-00003` is the second node's first file of three: its number counts by a Scale variable."""
    mined = mine_recordings([_numbered_on(1, 4), _numbered_on(2, 6), _numbered_on(3, 5)])
    assert predict_recording(mined, _numbered_on(5, 8)).row("all").share == 1.0


def _shared(files: int, clients: int) -> Recording:
    """Clients that share files out: the nth takes each file that leaves n over, when divided by their number."""
    events = [
        event(
            0,
            method,
            {"src": f"/in/host-{node}/part-{n:03d}"},
            client=f"c{node}",
            start_s=node * 100 + n + late,
        )
        for node in range(clients)
        for n in range(len(range(node, files, clients)))
        for method, late in (("mkdirs", 0.1), ("create", 0.2))
    ]
    numbered = [replace(each, order=order, call_id=order) for order, each in enumerate(events)]
    return Recording(numbered, Scale.of(files=files, clients=clients), f"CID-{files}-{clients}")


def test_files_shared_out_unevenly_are_predicted_of_each_client() -> None:
    """Some clients have one file more than others: which, follows from their number, at a size never seen too."""
    workload = mine_recordings([_shared(7, 2), _shared(8, 3), _shared(11, 4)])
    (client,) = workload.node_types
    assert isinstance(client.steps[0], Repeat)
    assert str(client.steps[0].times) == "ceil((files - node) / clients)"
    assert not workload.questions
    prediction = predict_recording(workload, _shared(23, 6))
    assert prediction.sequence_share == prediction.row("all").share == 1.0
    assert prediction.silent_share == prediction.silent_sequences == 0


def _one_client(kind: str, **scale: int) -> Recording:
    """A client that names the number of its files; only some runs have a sweeper."""
    events = [event(0, "begin", {"total": 2 * scale["files"] + 10_000})]
    events += [event(n + 1, "create", {"src": f"/in/{n}"}) for n in range(scale["files"])]
    if kind == "swept":
        events += [event(100 + n, "sweep", {"src": "/in"}, client="b") for n in range(2)]
    numbered = [replace(each, order=order, call_id=order) for order, each in enumerate(events)]
    return Recording(numbered, Scale.of(**scale), str(scale))


def test_a_type_that_one_run_alone_had_limits_other_scales() -> None:
    """What seems constant in it was never held against another size."""
    mined = mine_recordings(
        [_one_client("", files=4), _one_client("swept", files=6), _one_client("", files=9)]
    )
    (finding,) = (f for f in mined.findings if "one run alone" in f.what)
    assert finding.fatal
    assert mined.node_type(str(finding.node_type)).steps


def test_a_variable_that_some_recordings_lack_is_named() -> None:
    """A misspelled one fits nothing, and what is fitted in its place is by chance: other sizes are refused."""
    mined = mine_recordings([_one_client("", files=n, orders=n * n) for n in (4, 6)])
    assert not [finding for finding in mined.findings if "recordings" in finding.what]
    runs = [_one_client("", files=n, orders=n * n) for n in (4, 6, 9)]
    runs[2] = replace(runs[2], scale=Scale.of(file=9, orders=81))
    mined = mine_recordings(runs)
    assert [finding.what.partition(":")[0] for finding in mined.findings if finding.fatal][:2] == [
        "file is in the Scale of 1 of 3 recordings",
        "files is in the Scale of 2 of 3 recordings",
    ]
    plan = extrapolate(mined, Scale.of(files=20, file=20, orders=400))
    assert any(refusal.fatal and "of 3 recordings" in refusal.what for refusal in plan.refusals)


def test_an_argument_that_two_variables_explain_is_asked() -> None:
    """Files and folders rose together: which of them the total follows shows only where they do not."""
    mined = mine_recordings([_one_client("", files=n, folders=n + 3) for n in (4, 6, 9)])
    (question,) = (q for q in mined.questions if q.path == "total")
    assert {str(rule.count) for rule in question.candidates if isinstance(rule, Scaled)} == {
        "2*files + 10000",
        "2*folders + 9994",
    }
    assert "more than one way" in question.text


def _looks(counts: list[int], nodes: int) -> Recording:
    """Clients of one run that look for something, each as often as it takes."""
    events = [
        event(0, "look", {"src": f"/in/{at}"}, client=f"c{node}", start_s=node * 100.0 + at**1.5)
        for node in range(nodes)
        for at in range(counts[node])
    ]
    numbered = [replace(each, order=order, call_id=order) for order, each in enumerate(events)]
    return Recording(numbered, Scale.of(clients=nodes), f"CID-{nodes}")


def test_a_number_that_only_timing_moves_is_drawn(tmp_path: Path) -> None:
    """Nodes of one run that do the same another number of times: no formula says how often, and nothing is refused."""
    mined = mine_recordings([_looks([3, 5], 2), _looks([4, 3, 7], 3), _looks([3, 6, 4, 4], 4)])
    (client,) = mined.node_types
    (loop,) = client.steps
    assert isinstance(loop, Repeat)
    assert loop.drawn == Generated("gauge", {"low": 3, "high": 7})
    assert loop.times == Count(4.0)
    (question,) = (question for question in mined.questions if question.number == "L1")
    plan = extrapolate(mined, Scale.of(clients=50))
    assert answer(mined, question, loop.drawn).node_types == mined.node_types
    assert answer(mined, question, Constant(4)).node_types[0].steps[0] == replace(
        loop, times=Count(4.0), drawn=None
    )
    assert plan.playable
    file = tmp_path / "workload.yaml"
    write_workload(file, mined)
    assert read_workload(file).node_types == mined.node_types


def _looks_and_one(looks: list[int], last: int) -> Recording:
    """The same, and a client that makes a folder before it looks."""
    run = _looks(looks, len(looks))
    begun_s = run.events[-1].start_s + 100.0
    events = [event(0, "mkdirs", {"src": "/out"}, client="last", start_s=begun_s)]
    events += [
        event(0, "look", {"src": f"/in/{at}"}, client="last", start_s=begun_s + 1 + at**1.5)
        for at in range(last)
    ]
    numbered = [replace(each, order=at, call_id=at) for at, each in enumerate([*run.events, *events])]
    return replace(run, events=numbered)


def test_what_time_decides_of_some_nodes_it_decides_of_others() -> None:
    """A number of one node a run that follows no formula, where another type shows the same loop at one Scale."""
    mined = mine_recordings(
        [_looks_and_one([3, 5], 5), _looks_and_one([4, 3, 7], 8), _looks_and_one([3, 6, 4, 4], 4)]
    )
    last = mined.node_types[-1].steps[-1]
    assert isinstance(last, Repeat)
    assert last.drawn == Generated("gauge", {"low": 4, "high": 8})
    assert not any(finding.fatal for finding in mined.findings)


def test_a_number_that_nearly_all_nodes_share_is_theirs() -> None:
    """Where a call of one was lost, the formula is that of the others, and a finding says so."""
    mined = mine_recordings([_looks([4] * 4, 4), _looks([6, 6, 5, 6, 6, 6], 6), _looks([9] * 9, 9)])
    (client,) = mined.node_types
    (loop,) = client.steps
    assert isinstance(loop, Repeat)
    assert (str(loop.times), loop.drawn) == ("clients", None)
    (finding,) = (finding for finding in mined.findings if finding.node_type)
    assert "1 of 19 times another number than the formula" in finding.what


def test_a_number_that_is_the_same_in_all_nodes_of_a_run_is_no_accident() -> None:
    """It follows something that nobody has found: another size is refused."""
    mined = mine_recordings(
        [_looks([3, 3], 2), _looks([9, 9, 9], 3), _looks([4, 4, 4, 4], 4), _looks([7] * 5, 5)]
    )
    assert [finding.fatal for finding in mined.findings if finding.node_type] == [True]
    assert not extrapolate(mined, Scale.of(clients=50)).playable


def _listing(nodes: int) -> Recording:
    """A client that is told nodes and names them all in its next call."""
    events = []
    for n in range(4):
        answer = {f"locs[{at}].id": f"node-{n}-{at}-uuid" for at in range(nodes)}
        told = {path.replace("locs", "nodes"): value for path, value in answer.items()}
        events += [event(2 * n, "ask", {"src": f"/{n}"}, answer), event(2 * n + 1, "tell", told)]
    return Recording(events, Scale.of(nodes=nodes), f"CID-{nodes}")


def test_a_list_that_grows_with_the_scale_is_asked() -> None:
    """What stands beyond its last element nobody has seen: where it comes out wrong, that was said."""
    mined = mine_recordings([_listing(2), _listing(3), _listing(4)])
    (group,) = groups(mined)
    question = group.questions[0]
    assert (question.path, "longer at some sizes" in question.text) == ("nodes[3].id", True)
    prediction = predict_recording(mined, _listing(6))
    assert prediction.row("all").outcomes[LeafOutcome.WRONG] == 8
    assert prediction.silent_share == 0.0
    assert not mine_recordings([_listing(3), replace(_listing(3), scale=Scale.of(nodes=4))]).questions


# --- calls of real time ------------------------------------------------------------------------------------


def test_a_lease_is_renewed_though_no_run_was_long_enough_to_show_it(workload: Workload) -> None:
    """By whom opens files, as the protocol has it; who opens none has none."""
    (lease,) = workload.node_type("client").periodic
    assert (lease.call.method, lease.every_s, lease.call.protocol) == ("renewLease", 30.0, CLIENT)
    by_id = {call.id: call.method for call in templates(workload.node_type("client"))}
    assert [by_id[opening] for opening in lease.opened_by] == ["create"]
    assert [by_id[closing] for closing in lease.closed_by] == ["complete"]
    assert lease.call.arguments == {
        "clientName": Flow(lease.opened_by[0], Side.REQUEST, "clientName", Which.LAST)
    }
    for other in ("client-2", "datanode"):
        assert "renewLease" not in {each.call.method for each in workload.node_type(other).periodic}


def _writing(files: int, every_s: float | None) -> Recording:
    """A client that writes for a minute at each file, and renews its lease so often."""
    events: list[Event] = []

    def add(method: str, at_s: float, request: dict) -> None:
        events.append(event(len(events), method, {"clientName": f"writer-{files}", **request}, start_s=at_s))

    for n in range(files):
        add("create", n * 60.0, {"src": f"/in/{n}"})
        for beat in range(round(59 / every_s) if every_s else 0):
            add("renewLease", n * 60.0 + (beat + 1) * (every_s or 0), {})
        add("complete", n * 60.0 + 59.5, {"src": f"/in/{n}"})
    return Recording(tuple(events), Scale.of(files=files), f"CID-{files}")


@pytest.mark.parametrize(("recorded_s", "every_s"), [(7.0, 7.0), (None, 30.0)])
def test_a_period_that_was_recorded_stands(recorded_s: float | None, every_s: float) -> None:
    """Once, and opened and closed by the same calls; the protocol's is for those that nobody has recorded."""
    (client,) = mine_recordings([_writing(files, recorded_s) for files in (2, 3, 5)]).node_types
    (lease,) = client.periodic
    assert lease.call.method == "renewLease"
    assert lease.every_s == pytest.approx(every_s, rel=0.05)
    assert (lease.opened_by, lease.closed_by) == (("client.c1",), ("client.c2",))
    assert set(lease.call.arguments) == {"clientName"}


# --- answers that confirm ----------------------------------------------------------------------------------


def _renaming(files: int, denied: int) -> Recording:
    """A client that moves files and deletes each; so many deletions find nothing."""
    events = []
    for n in range(files):
        results = {"rename2": None, "rename": True, "delete": n >= denied}
        for method, result in results.items():
            answer = {} if result is None else {"result": result}
            events.append(event(len(events), method, {"src": f"/in/{n}"}, answer))
    return Recording(tuple(events), Scale.of(files=files), f"CID-{files}")


@pytest.mark.parametrize(("denied", "confirmed"), [(0, "result"), (1, None)])
def test_an_answer_that_was_always_true_confirms_a_call(denied: int, confirmed: str | None) -> None:
    """One that was once false does not, nor one that says nothing."""
    workload = mine_recordings([_renaming(files, denied) for files in (3, 4, 6)])
    by_method = {call.method: call.confirmed_by for call in templates(workload.node_types[0])}
    assert by_method == {"rename2": None, "rename": "result", "delete": confirmed}


def test_a_call_that_is_repeated_until_it_is_confirmed_is_not_declined(workload: Workload) -> None:
    """Its poll takes care of what is false."""
    by_method = {call.method: call for call in templates(workload.node_type("client"))}
    assert by_method["complete"].poll is not None
    assert by_method["complete"].confirmed_by is None
    assert by_method["mkdirs"].confirmed_by == "result"


# --- nodes that wait for others ----------------------------------------------------------------------------


def _produced(batches: int, kind: str = "counted") -> Recording:
    """A producer renames batches, each when it is ready; a consumer lists each right after.

    Folders are counted, or have random names; or the consumer lists something random in them.
    """
    rng = random.Random(batches)
    calls: list[tuple[float, str, str, dict]] = []
    for n in range(batches):
        at_s = 3.0 * n + n**1.3
        word = "".join(rng.choices(ascii_lowercase, k=8))
        folder = f"/ready/{word}" if kind == "random" else f"/ready/batch-{n}"
        calls += [
            (at_s, "a", "mkdirs", {"src": f"/tmp/batch-{n}", "createParent": True}),
            (at_s + 1, "a", "rename", {"src": f"/tmp/batch-{n}", "dst": folder}),
            (at_s + 1.25, "b", "getListing", {"src": f"{folder}/{word}" if kind == "below" else folder}),
            (at_s + 1.5, "b", "setTimes", {"src": folder}),
        ]
    calls.append((1000.0, "a", "rename", {"src": "/tmp/end", "dst": "/ready/end"}))
    events = [
        event(order, method, request, {"result": True}, client=client, start_s=at_s)
        for order, (at_s, client, method, request) in enumerate(calls)
    ]
    return Recording(tuple(events), Scale.of(batches=batches), f"CID-{batches}")


def _listing_of(workload: Workload) -> CallTemplate:
    """The consumer's first call."""
    (listing,) = (
        call for node in workload.node_types for call in templates(node) if call.method == "getListing"
    )
    return listing


def test_a_consumer_waits_for_its_producer(tmp_path: Path) -> None:
    """For the path that the producer renames; its think time is what it takes from there."""
    workload = mine_recordings([_produced(n) for n in (4, 5, 7)])
    producer, consumer = workload.node_types
    waiting = {call.method: call.after for call in templates(consumer)}
    assert waiting == {"getListing": Wait("src", 0, "rename", "dst", producer.name), "setTimes": None}
    assert _listing_of(workload).timing.think.at(Scale.of(batches=5)) == pytest.approx(0.249, abs=0.002)
    assert all(call.after is None for call in templates(producer))
    file = tmp_path / "workload.yaml"
    write_workload(file, workload)
    assert read_workload(file).node_types == workload.node_types


@pytest.mark.parametrize("kind", ["random", "below"])
def test_nobody_waits_for_a_path_that_is_not_known_before_it_is_made(kind: str) -> None:
    """A play would not know what to wait for; so its think time is all the time that passed, as it was recorded."""
    listing = _listing_of(mine_recordings([_produced(n, kind) for n in (4, 5, 7)]))
    assert is_open(listing.arguments["src"]) is (kind == "below")
    assert listing.after is None
    assert listing.timing.think.at(Scale.of(batches=5)) > 2


def test_an_interval_that_was_lowered_is_scaled_back() -> None:
    """Whether all runs had it so or one did, and the workload says so."""
    lowered = {"renewLease": LoweredInterval("renewLease", 30.0, 2.0)}
    workload = mine_recordings([replace(_writing(files, 2.0), lowered=lowered) for files in (2, 3, 5)])
    (lease,) = workload.node_type("client").periodic
    assert (lease.call.method, lease.every_s) == ("renewLease", pytest.approx(30.0, rel=0.05))
    (said,) = [finding for finding in workload.findings if "interval of renewLease" in finding.what]
    assert not said.fatal
    assert "30 s" in said.what
