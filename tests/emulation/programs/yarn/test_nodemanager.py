"""The emulated NodeManager, by playbooks of events and instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from froude.emulation.programs.events import (
    LOST,
    Answer,
    Begin,
    Called,
    Ended,
    Failed,
    Instruction,
    Interrupted,
    MessageReceived,
    NodeId,
    Note,
    Reached,
    Repeat,
    Reply,
    Send,
    SendMessage,
    Started,
    Stop,
    Ticket,
    Timer,
    WakeAt,
)
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.containers import (
    ContainerKey,
    ContainerOver,
    ContainerStarted,
    Launched,
    MayBegin,
    Process,
    StartContainer,
)
from froude.emulation.programs.yarn.nodemanager import EmulatedNodemanager
from froude.emulation.programs.yarn.nodemanagers import Nodemanagers
from froude.emulation.programs.yarn.protocols import CONTAINERS, KILLED, TRACKER
from froude.emulation.settings import NodemanagerSettings
from froude.workload.types import Moment
from testbed.recorded import schema
from tests.support.emulation.programs.yarn.alone import Alone
from tests.support.emulation.programs.yarn.localisation import resource

MASTER, TASK = NodeId("am", 0), NodeId("map", 3)
KEY = ContainerKey(7, 1, 2)


class _Masters:
    """Answers calls as it is told to."""

    def __init__(self) -> None:
        self.launched_as = Launched(b"answer")
        self.ended: list[ContainerOver] = []

    def launched(self, node: NodeId, call: Called) -> Launched:
        return self.launched_as

    def over(self, over: ContainerOver) -> Sequence[Instruction]:
        self.ended.append(over)
        return ()


class Stage:
    """One node and the ResourceManager's side of the talk."""

    def __init__(
        self, population: Population, settings: NodemanagerSettings | None = None, *, repeats: bool = False
    ) -> None:
        self.population = population
        fleet = Nodemanagers(population.types["nm"], population, settings or NodemanagerSettings())
        self.masters = _Masters()
        self.node = (EmulatedNodemanager if repeats else Alone)(fleet, 0, self.masters)
        self.now_s = 0.0

    def tell(self, event: Any) -> list[Instruction]:
        return list(self.node.handle(event, self.now_s))

    def answer(
        self, said: Sequence[Instruction], fill: Callable[[Any], None] | None = None
    ) -> list[Instruction]:
        """Answer the call that was made."""
        send = sent(said)
        response: Any = schema().method(send.protocol, send.method).response()
        if fill is not None:
            fill(response)
        return self.tell(Reply(send.token, response.SerializePartialToString()))

    def live(self) -> list[Instruction]:
        """Register, and wait for the first heartbeat."""
        return self.answer(self.tell(Started(0.0)), lambda r: setattr(r.nm_token_master_key, "bytes", b"n"))

    def beat(self, fill: Callable[[Any], None] | None = None) -> Any:
        """The next heartbeat, as the ResourceManager reads it, answered; what follows is in `after`."""
        self.now_s += 1.0
        said = self.tell(Timer(1, self.now_s))
        request = schema().decode_request(TRACKER, "nodeHeartbeat", sent(said).body)

        def answered(response: Any) -> None:
            response.response_id = request.node_status.response_id + 1  # type: ignore[attr-defined]
            if fill is not None:
                fill(response)

        self.after = self.answer(said, answered)
        return request

    def start(
        self, *, files: Sequence[str] = (), waits: bool = False, process: bool = True, number: int = 2
    ) -> list[Instruction]:
        """An application master has a container started."""
        launch = type("Launch", (), {"localResources": [resource(path) for path in files]})()
        message: Any = schema().message("hadoop.yarn.ContainerIdProto")()
        message.app_attempt_id.application_id.id, message.app_attempt_id.application_id.cluster_timestamp = (
            7,
            1,
        )
        message.app_attempt_id.attemptId, message.id = 1, number
        key = KEY._replace(container=number)
        runs = Process(TASK, 0.5) if process else None
        started = StartContainer(MASTER, key, message.SerializeToString(), b"", launch, runs, waits)
        return self.tell(MessageReceived(started))

    def states(self) -> list[tuple[int, int, int]]:
        """What a heartbeat tells of containers: number, state, exit status."""
        statuses = self.beat().node_status.containersStatuses
        return [(each.container_id.id, each.state, each.exit_status) for each in statuses]


def sent(said: Sequence[Instruction]) -> Send:
    """The one call that was made."""
    (send,) = [each for each in said if isinstance(each, Send)]
    return send


def woken(said: Sequence[Instruction]) -> WakeAt:
    """The one timer that was asked for."""
    (wake,) = [each for each in said if isinstance(each, WakeAt)]
    return wake


@pytest.fixture
def stage(population: Population) -> Stage:
    """A live node."""
    stage = Stage(population)
    assert Reached(Moment.STARTED) in stage.live()
    return stage


def test_it_registers_and_beats(stage: Stage) -> None:
    """With the id of each answer, and the keys that it was given."""
    first, second = stage.beat(), stage.beat()
    assert [each.node_status.response_id for each in (first, second)] == [0, 1]
    assert second.last_known_nm_token_master_key.bytes == b"n"


def test_heartbeats_with_nothing_new_are_repeated(population: Population) -> None:
    """From the second one on that says the same; the next one has the id of each answer that asks for nothing."""
    stage = Stage(population, repeats=True)
    stage.live()
    (repeat,) = stage.tell(Timer(1, 1.0))
    assert isinstance(repeat, Repeat)
    assert (repeat.send.method, repeat.send.intended_s, repeat.every_s) == ("nodeHeartbeat", 1.0, 1.0)
    response: Any = schema().method(TRACKER, "nodeHeartbeat").response()
    ids, send = list[int](), repeat.send
    for number in (1, 2, 300):
        response.response_id = number
        following = repeat.again(send, response.SerializeToString())
        assert following is not None
        send = following
        ids.append(schema().decode_request(TRACKER, send.method, send.body).node_status.response_id)  # type: ignore[attr-defined]
    assert ids == [1, 2, 300]
    response.nextHeartBeatInterval = 3000
    assert repeat.again(send, response.SerializeToString()) is None
    stage.tell(Interrupted(2.0, calling=True))
    assert stage.tell(Reply(send.token, response.SerializeToString())) == []
    assert stage.tell(Interrupted(2.0, calling=False)) == [WakeAt(2.0, 1)]
    stage.start(process=False)
    said = stage.tell(Timer(1, 2.0))
    assert woken(said).time_s == pytest.approx(5.0)
    assert schema().decode_request(TRACKER, "nodeHeartbeat", sent(said).body).node_status.containersStatuses  # type: ignore[attr-defined]


def test_beats_come_as_often_as_the_resourcemanager_wants(population: Population) -> None:
    """From the next one on; unless settings say otherwise. A beat that waits for an answer is one, however late."""
    for settings, expected in ((None, 5.0), (NodemanagerSettings(heartbeat_s=2.0), 2.0)):
        stage = Stage(population, settings)
        stage.live()
        stage.beat(lambda response: setattr(response, "nextHeartBeatInterval", 5000))
        stage.now_s = 10.0
        said = stage.tell(Timer(1, 10.0))
        assert woken(said).time_s == pytest.approx(10.0 + expected)
        assert not [each for each in stage.tell(Timer(1, 15.0)) if isinstance(each, Send)]
        assert list(stage.node.overdue(16.0)) == [("nodeHeartbeat", 15.0)]


def test_a_node_that_is_not_taken_ends(population: Population) -> None:
    """At registration, and when it is sent away later; with the reason."""
    for late in (False, True):
        stage = Stage(population)

        def refused(response: Any) -> None:
            response.nodeAction, response.diagnostics_message = 2, "too small"

        if late:
            stage.live()
            stage.beat(refused)
            said = stage.after
        else:
            said = stage.answer(stage.tell(Started(0.0)), refused)
        assert said == [Note("nodemanager refused: too small"), Reached(Moment.FINISHED)]


def test_a_resourcemanager_that_is_not_there_yet(population: Population) -> None:
    """It is asked again after a moment; an exception is a refusal."""
    stage = Stage(population)
    said = stage.tell(Started(0.0))
    again = stage.tell(Failed(sent(said).token, LOST, ""))
    said = stage.tell(Timer(woken(again).token, 1.0))
    assert sent(said).method == "registerNodeManager"
    said = stage.tell(Failed(sent(said).token, "java.io.IOException", ""))
    assert Reached(Moment.FINISHED) in said


def test_resync_registers_anew_with_all_containers(stage: Stage) -> None:
    """Response ids begin again."""
    stage.start()
    stage.beat(lambda response: setattr(response, "nodeAction", 1))
    request: Any = schema().decode_request(TRACKER, "registerNodeManager", sent(stage.after).body)
    assert [each.container_id.id for each in request.container_statuses] == [2]
    stage.answer(stage.after)
    assert stage.beat().node_status.response_id == 0


def test_a_container_runs_until_its_process_has_ended(stage: Stage) -> None:
    """It is told of from its start on; its end is told once, when it was heard."""
    said = stage.start()
    assert said[0] == SendMessage(MASTER, ContainerStarted(KEY, said[0].message.id))  # type: ignore[union-attr]
    assert stage.states() == [(2, 2, -1000)]
    assert stage.tell(Timer(woken(said).token, 0.5)) == [Begin(TASK)]
    assert stage.states() == [(2, 2, -1000)]
    (over,) = stage.tell(MessageReceived(Ended(TASK)))
    assert over == SendMessage(MASTER, ContainerOver(KEY, Process(TASK, 0.5), killed=False))
    assert stage.states() == [(2, 3, 0)]
    assert stage.states() == []
    assert stage.states() == []


def test_containers_are_told_of_by_id(stage: Stage) -> None:
    """Whatever the order in which they were started, and whether one has ended."""
    for number in (12, 2, 7):
        stage.start(number=number, process=number != 7)
    assert [number for number, _, _ in stage.states()] == [2, 7, 12]
    assert [number for number, _, _ in stage.states()] == [2, 12]


def test_an_end_whose_heartbeat_failed_is_told_again(stage: Stage) -> None:
    """Nobody has heard of it."""
    stage.start(process=False)
    stage.now_s += 1
    said = stage.tell(Timer(1, stage.now_s))
    stage.tell(Failed(sent(said).token, LOST, ""))
    assert stage.states() == [(2, 3, 0)]


def test_files_are_fetched_before_a_process_comes_up(stage: Stage) -> None:
    """One after another, also where one fails, which is counted."""
    said, methods = stage.start(files=["/s/job.jar"]), []
    while any(isinstance(each, Send) for each in said):
        methods.append(sent(said).method)
        if methods == ["getFileInfo"]:
            said = stage.tell(Failed(sent(said).token, "java.io.FileNotFoundException", ""))
            assert Note("localisation failed: FileNotFoundException") in said
        else:
            said = stage.answer(said)
    assert methods == ["getFileInfo", "getBlockLocations", "getServerDefaults"]
    assert stage.tell(Timer(woken(said).token, 0.5)) == [Begin(TASK)]


def test_a_process_that_waits_begins_when_it_may(stage: Stage) -> None:
    """Whichever comes first: that it is up, or that it may."""
    said = stage.start(waits=True)
    assert stage.tell(Timer(woken(said).token, 0.5)) == []
    assert stage.tell(MessageReceived(MayBegin(KEY))) == [Begin(TASK)]
    assert stage.tell(MessageReceived(MayBegin(KEY))) == []


def test_a_process_that_may_begin_comes_up_first(stage: Stage) -> None:
    """The other way round."""
    said = stage.start(waits=True)
    assert stage.tell(MessageReceived(MayBegin(KEY))) == []
    assert stage.tell(Timer(woken(said).token, 0.5)) == [Begin(TASK)]


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("how", ["containers_to_cleanup", "applications_to_cleanup"])
def test_a_container_is_ended_where_it_stands(stage: Stage, begun: bool, how: str) -> None:
    """With its application or alone; what has begun in it is stopped, and nothing begins any more."""
    said = stage.start()
    if begun:
        stage.tell(Timer(woken(said).token, 0.5))

    def cleanup(response: Any) -> None:
        message = getattr(response, how).add()
        application = message if how.startswith("app") else message.app_attempt_id.application_id
        application.id, application.cluster_timestamp = 7, 1
        if how.startswith("con"):
            message.app_attempt_id.attemptId, message.id = 1, 2

    stage.beat(cleanup)
    told = SendMessage(MASTER, ContainerOver(KEY, Process(TASK, 0.5), killed=True))
    assert stage.after == [*([Stop(TASK)] if begun else []), told]
    assert stage.states() == [(2, 3, KILLED)]
    assert stage.tell(Timer(woken(said).token, 0.5)) == []


def test_whoever_calls_is_answered(stage: Stage) -> None:
    """An application master's container is started; that it is over is said once the ResourceManager has heard."""
    launch = type("Launch", (), {"localResources": []})()
    first = stage.start()
    key, process = ContainerKey(7, 1, 1), Process(MASTER)
    started = StartContainer(None, key, first[0].message.id, b"", launch, process)  # type: ignore[union-attr]
    stage.masters.launched_as = Launched(b"body", started=[started], told=[Note("told")])
    said = stage.tell(Called(Ticket(3, 4), CONTAINERS, "startContainers", b""))
    assert said[:3] == [
        Note("called by another process: startContainers"),
        Answer(Ticket(3, 4), b"body"),
        Note("told"),
    ]
    stage.tell(Timer(woken(said).token, 0.0))
    stage.masters.launched_as = Launched(b"no", "java.io.IOException", stopped=[KEY])
    said = stage.tell(Called(Ticket(3, 5), CONTAINERS, "stopContainers", b""))
    assert said[1] == Answer(Ticket(3, 5), b"no", "java.io.IOException")
    assert stage.tell(MessageReceived(Ended(MASTER))) == []
    assert stage.masters.ended == []
    stage.beat()
    assert stage.masters.ended == [ContainerOver(key, process, killed=False)]


def test_a_container_is_started_once(stage: Stage) -> None:
    """A second start of the same is counted."""
    stage.start()
    assert Note("container started twice") in stage.start()
    assert len(stage.states()) == 1


def test_the_container_of_another_play_fetches_nothing(stage: Stage) -> None:
    """Its files went with that play; it ends at once, and the ResourceManager is told."""
    launch = type("Launch", (), {"localResources": [resource("/staging/job.xml")]})()
    identity: Any = schema().message("hadoop.yarn.ContainerIdProto")()
    identity.app_attempt_id.application_id.id, identity.app_attempt_id.application_id.cluster_timestamp = 7, 1
    identity.app_attempt_id.attemptId, identity.id = 1, 2
    foreign = StartContainer(None, KEY, identity.SerializeToString(), b"", launch, None)
    stage.masters.launched_as = Launched(b"answer", started=[foreign])
    said = stage.tell(Called(Ticket(0, 0), CONTAINERS, "startContainers", b""))
    assert not [each for each in said if isinstance(each, Send)]
    assert stage.states() == [(2, 3, 0)]
