"""Mining real traffic of HDFS, YARN and MapReduce: two sizes of one job, held against a third."""

from __future__ import annotations

import pytest

from froude.mining.check.prediction import LeafOutcome, Prediction, predict
from froude.workload.types import Actor, Workload
from froude.workload.walk import flows, templates
from testbed.recorded import recorded


@pytest.fixture(scope="module")
def workload(mined: Workload) -> Workload:
    """Of 2 and 3 nodes."""
    return mined


@pytest.fixture(scope="module")
def prediction(workload: Workload) -> Prediction:
    """Of 4 nodes."""
    return predict(workload, recorded("k4"))


def test_what_requests_to_nodemanagers_cause_is_found(workload: Workload) -> None:
    """A container's files are looked up by the NodeManager that was asked to start it, and no answer names it."""
    effects = [
        effect
        for effect in workload.node_type("nodemanager").effects
        if effect.actor is Actor.CALLEE and effect.each is not None
    ]
    assert {effect.call.method for effect in effects} == {"getFileInfo", "getBlockLocations"}
    causes = {call.id: call.method for node in workload.node_types for call in templates(node)}
    assert {causes[effect.cause] for effect in effects} == {"startContainers"}
    assert all(str(effect.each).endswith("localResources") for effect in effects)


def _steps(workload: Workload, name: str):  # type: ignore[no-untyped-def]
    from froude.workload.walk import calls

    return calls(workload.node_type(name).steps)


def test_every_service_is_known(workload: Workload) -> None:
    """Who is called stands in the pattern; of NodeManagers also which."""
    launcher = list(_steps(workload, "container-launcher"))
    assert {call.service for call in launcher} == {"nodemanager"}
    assert all(call.callee is not None for call in launcher)
    assert {call.service for call in _steps(workload, "map")} == {"namenode"}


def test_everybody_who_was_recorded_is_a_source(workload: Workload) -> None:
    """None of them is ever played against."""
    ids = {recorded(name).meta.source_id for name in ("k2c", "k3")}
    assert ids <= set(workload.recorded.source_ids)


def test_a_size_never_seen_is_predicted_as_far_as_two_sizes_tell(prediction: Prediction) -> None:
    """Clients, maps and reduces to the last call; what a MapReduce application decides by time is not."""
    exact = {each.node_type for each in prediction.sequences if each.exact == each.nodes_real}
    assert exact >= {
        "datanode",
        "map",
        "map-2",
        "reduce",
        "reduce-2",
        "put",
        "client",
        "container-launcher",
        "nodemanager",
        "appmaster-2",
        "appmaster-3",
    }
    assert prediction.sequence_share >= 0.97
    assert min(prediction.fitness, prediction.precision) >= 0.99
    assert prediction.row("logical").share >= 0.94
    assert prediction.unmatched == 0
    wrong = prediction.row("all").outcomes[LeafOutcome.WRONG]
    assert wrong / prediction.row("all").leaves < 0.002


def test_containers_are_reported_for_whoever_had_them_started(workload: Workload) -> None:
    """By every state, in the heartbeat of the node that was asked; the id comes from its own answer."""
    reports = [e for e in workload.node_type("nodemanager").effects if e.actor is Actor.ANSWERER]
    assert {effect.carried_by for effect in reports} == {"nodemanager.p1"}
    assert {e.cause_type for e in reports} == {
        "container-launcher",
        "appmaster",
        "appmaster-2",
        "appmaster-3",
    }
    (ids,) = {
        str(flow.path)
        for effect in reports
        for path, rule in effect.call.arguments.items()
        if path.endswith("container_id.id")
        for flow in flows(rule)
    }
    assert ids == "succeeded_requests[{each}].id"


def test_containers_start_as_allocate_says(workload: Workload) -> None:
    """Each of what was allocated, with the token that came with it."""
    for name in ("appmaster", "appmaster-2", "appmaster-3"):
        (effect,) = workload.node_type(name).effects
        assert (effect.cause, effect.each) == (f"{name}.p1", "allocated_containers")
        (flow,) = flows(effect.call.arguments["start_container_request[0].container_token.identifier"])
        assert flow.path == "allocated_containers[{each}].container_token.identifier"


def test_targets_of_copies_report_the_block_beside_them_and_their_own_storage(
    workload: Workload, prediction: Prediction
) -> None:
    """Each node of each target of a heartbeat's command, although the runs mined from had one a command."""
    (effect,) = [e for e in workload.node_type("datanode").effects if e.cause == "datanode.p1"]
    assert effect.each == "cmds[].blkCmd.targets[].datanodes"
    arguments = effect.call.arguments
    for path, source in {
        "blocks[0].blocks[0].block.blockId": "blocks[{each}].blockId",
        "blocks[0].storageUuid": "targetStorageUuids[{each}].storageUuids[{each}]",
        "blocks[0].storage.storageUuid": "targetStorageUuids[{each}].storageUuids[{each}]",
    }.items():
        (flow,) = flows(arguments[path])
        assert flow.path == f"cmds[{{each}}].blkCmd.{source}"
    wrong = {miss.path for miss in prediction.misses if miss.outcome is LeafOutcome.WRONG}
    assert not any(path.endswith("storageUuid") for path in wrong)
    (copies,) = [counts for counts in prediction.effects if counts.node_type == "datanode"]
    assert copies.seen == copies.expected
