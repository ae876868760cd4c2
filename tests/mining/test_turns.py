"""Jobs whose rounds, nodes and names take turns, mined from end to end."""

from __future__ import annotations

from dataclasses import replace

from froude.mining.check.prediction import Prediction, predict_recording
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Event, Recording
from froude.workload.scale import Scale
from froude.workload.types import Repeat, Workload
from froude.workload.walk import repeats
from tests.support.mining.events import event

TEAMS = ("ads", "lab", "ops")


def _recording(events: list[Event], **scale: int) -> Recording:
    ordered = sorted(events, key=lambda each: each.start_s)
    numbered = [replace(each, order=order, call_id=order) for order, each in enumerate(ordered)]
    return Recording(numbered, Scale.of(**scale), "CID-" + "-".join(map(str, scale.values())))


def _checked(workload: Workload, run: Recording) -> Prediction:
    """The prediction of a run, of which nothing is silently wrong."""
    prediction = predict_recording(workload, run)
    assert prediction.silent_share == prediction.silent_sequences == 0
    return prediction


def _shifts(hosts: int, shifts: int) -> Recording:
    """A log of two blocks by day and of one by night, one replica less afterwards, under names that say so."""
    events = []
    for host in range(hosts):
        at = 1000.0 * host
        for shift in range(shifts):
            day = shift % 2 == 0
            src = f"/log/host-{host}/{shift:03d}-{'day' if day else 'night'}.log"
            methods = [
                "create",
                *["addBlock"] * (2 if day else 1),
                "complete",
                *([] if day else ["setReplication"]),
            ]
            for method in methods:
                at += 0.01 * len(events)
                request = {"src": src, "replication": 2 if day else 1} if method == "create" else {"src": src}
                events.append(event(0, method, request, {"result": True}, client=f"c{host}", start_s=at))
    return _recording(events, hosts=hosts, shifts=shifts)


def test_rounds_in_turn_are_predicted_wherever_the_job_ends() -> None:
    """After a day as well as after a night; every value is right at a size never seen."""
    workload = mine_recordings([_shifts(1, 9), _shifts(4, 14), _shifts(3, 7), _shifts(2, 17)])
    (client,) = workload.node_types
    assert [str(loop.times) for loop in repeats(client.steps)] == ["shifts", "-1*L1%2 + 2", "L1%2"]
    prediction = _checked(workload, _shifts(8, 34))
    assert prediction.sequence_share == prediction.row("all").share == 1.0
    assert not workload.questions


def _users(users: int, files: int) -> Recording:
    """Users who are dealt out to teams, each with a command of its own; then a command a team for all its members."""
    events = []
    for user in range(users):
        home = f"/teams/{TEAMS[user % 3]}/u{user + 1}"
        events += [
            event(0, "mkdirs", {"src": home}, client=f"u{user}", start_s=100.0 * user),
            *(
                event(
                    0,
                    "create",
                    {"src": f"{home}/f{file}"},
                    client=f"u{user}",
                    start_s=100.0 * user + 1 + file,
                )
                for file in range(files)
            ),
        ]
    for place, team in enumerate(TEAMS):
        events += [
            event(
                0,
                "rename",
                {"src": f"/teams/{team}/u{user + 1}"},
                client=team,
                start_s=9e4 + 100 * place + user,
            )
            for user in range(place, users, 3)
        ]
    return _recording(events, users=users, files=files)


def test_users_who_are_dealt_out_are_one_type_and_their_teams_share_them() -> None:
    """One rule gives each user's team, and how many members each team has follows from its place among them."""
    workload = mine_recordings([_users(5, 4), _users(3, 7), _users(8, 2), _users(7, 5)])
    assert [str(node.count) for node in workload.node_types] == ["users", "1", "1", "1"]
    loops = [loop for node in workload.node_types[1:] for loop in repeats(node.steps)]
    assert [str(loop.times) for loop in loops] == [
        "ceil((users) / 3)",
        "ceil((users - 1) / 3)",
        "ceil((users - 2) / 3)",
    ]
    prediction = _checked(workload, _users(16, 14))
    assert prediction.sequence_share == 1.0


def _offsets(messages: int) -> Recording:
    """Two consumers that look at messages, and write after every fourth how far they are: a text of so many bytes."""
    events = []
    for consumer in range(2):
        sent = [("mkdirs", {"src": "/group"})]
        for message in range(1, messages + 1):
            sent.append(("look", {"src": f"/bus/m{message}"}))
            if message % 4 == 0:
                sent.append(("complete", {"src": "/offset", "last.numBytes": len(f"{message}\n")}))
        sent.append(("end", {"src": "/group"}))
        events += [
            event(0, method, request, client=f"c{consumer}", start_s=at**1.1 + consumer / 7)
            for at, (method, request) in enumerate(sent)
        ]
    return _recording(events, messages=messages)


def test_a_line_through_two_rounds_is_asked() -> None:
    """A length of two digits and then of three is no line, as no two numbers are; the calls are all the same known."""
    workload = mine_recordings([_offsets(5), _offsets(9), _offsets(14), _offsets(7)])
    prediction = _checked(workload, _offsets(28))
    assert prediction.sequence_share == 1.0
    assert [question.path for question in workload.questions] == ["last.numBytes"]
    assert "two nodes or rounds alone" in workload.questions[0].text


def test_a_loop_that_always_runs_twice_has_no_third_round() -> None:
    """A line over its two rounds is no guess."""

    def run(files: int) -> Recording:
        events = [
            event(0, method, {"src": f"/f{file}", "length": 7 * part + 3}, start_s=10.0 * file + part + late)
            for file in range(files)
            for part in range(2)
            for late, method in enumerate(("open", "read", "seek", "read", "skip", "read", "stat"))
        ]
        return _recording(events, files=files)

    workload = mine_recordings([run(3), run(5), run(8)])
    assert [isinstance(step, Repeat) for step in workload.node_types[0].steps] == [True]
    assert not workload.questions
    assert _checked(workload, run(20)).row("all").share == 1.0


def _hours(hosts: int, hours: int) -> Recording:
    """Hosts of three services that write a log an hour, and delete old ones every fourth hour."""
    events = []
    for host in range(hosts):
        sent, swept = [], 0
        for hour in range(hours):
            log = f"/log/{('web', 'auth', 'mail')[host % 3]}/h{hour % 6}/host{host + 1}_{hour:04d}"
            sent.append(("create", {"src": log, "replication": 1 + (host + hour) % 2}))
            sent += [("addBlock", {"src": log})] * (2 if hour % 3 == 0 else 1)
            sent.append(("complete", {"src": log, "size": (451_424, 180_000, 180_000)[hour % 3]}))
            if hour % 4 == 3:
                sent += [("delete", {"src": f"/done/{old:04d}"}) for old in range(swept, hour - 4)]
                swept = max(swept, hour - 4)
                sent.append(("stat", {"src": "/done"}))
        sent.append(("end", {"src": "/log"}))
        events += [
            event(0, method, request, {"result": True}, client=f"c{host}", start_s=at**1.1 + host / 7)
            for at, (method, request) in enumerate(sent)
        ]
    return _recording(events, hosts=hosts, hours=hours)


def test_several_periods_are_predicted_together() -> None:
    """Of two hosts, of three hours and of four, and folders by six: all come out at twice the size."""
    workload = mine_recordings([_hours(2, 19), _hours(5, 9), _hours(1, 11), _hours(3, 14)])
    assert len(workload.node_types) == 1
    prediction = _checked(workload, _hours(10, 38))
    assert prediction.sequence_share == 1.0
    assert prediction.row("all").share > 0.99


def _uploads(servers: int, uploads: int, spoilt: set[tuple[int, int]]) -> Recording:
    """Servers take uploads side by side, and take those that arrived spoilt again."""
    events = []
    for server in range(servers):
        sent = ["mkdirs"]
        for upload in range(uploads):
            sent += ["create", "complete"]
            if (server, upload) in spoilt:
                sent += ["delete", "create", "complete"]
            sent += ["rename2", "setPermission"]
        events += [
            event(0, method, {"src": f"/up/{server}"}, {}, client=f"c{server}", start_s=at**1.1 + server / 7)
            for at, method in enumerate([*sent, "getContentSummary"])
        ]
    return _recording(events, servers=servers, uploads=uploads)


def test_a_server_that_came_to_no_branch_is_of_the_type_of_those_that_did() -> None:
    """Which uploads arrive spoilt is chance: all servers are one type, and how often is asked about."""
    runs = [
        _uploads(2, 9, {(0, 2), (0, 7), (1, 4)}),
        _uploads(4, 5, {(0, 1), (1, 4), (2, 0)}),  # the last server never deleted anything
        _uploads(3, 7, {(0, 3), (1, 1), (2, 5), (2, 6)}),
        _uploads(1, 12, {(0, 0), (0, 5), (0, 11)}),
    ]
    workload = mine_recordings(runs)
    (server,) = workload.node_types
    assert str(server.count) == "servers"
    again = {loop.id: loop for loop in repeats(server.steps)}
    assert sorted(str(loop.times) for loop in again.values() if loop.drawn is None) == ["uploads"]
    assert [question.number for question in workload.questions] == [
        loop.id for loop in again.values() if loop.drawn is not None
    ]
    assert predict_recording(workload, _uploads(6, 15, {(0, 3), (5, 1)})).silent_share == 0.0
