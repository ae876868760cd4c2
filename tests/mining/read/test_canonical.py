"""Canonical forms."""

from __future__ import annotations

from froude.mining.read.canonical import find_polls, join_polls
from tests.support.mining.events import calls, event


def test_a_retry_joins_its_first_attempt() -> None:
    """Same client, same call number, same request: one logical call of two raw ones."""
    logical = calls(
        event(0, "delete", {"src": "/a"}, call_id=7), event(1, "delete", {"src": "/a"}, call_id=7)
    )
    assert len(logical) == 1
    assert len(logical[0].raw) == 2


def test_a_batch_is_split_by_element_and_kind() -> None:
    """Two blocks in one report are two calls, told apart by status; leaves around go with each."""
    request = {"registration": "x", "blocks[0].storageUuid": "DS-1"}
    for at, status in enumerate((1, 2)):
        request |= {
            f"blocks[0].blocks[{at}].block.blockId": 40 + at,
            f"blocks[0].blocks[{at}].status": status,
        }
    logical = calls(event(0, "blockReceivedAndDeleted", request))
    assert [call.token[2] for call in logical] == ["1", "2"]
    assert logical[1].request["blocks[0].blocks[0].block.blockId"] == 41
    assert logical[1].request["registration"] == "x"
    raw = {path for call in logical for _, names in call.raw for path in names}
    assert raw == set(request)


def test_lists_of_keys_and_values_are_ordered() -> None:
    """Two orders of one map are one request, and raw paths are kept."""
    left = calls(
        event(0, "submit", {"env[0].key": "B", "env[0].value": 2, "env[1].key": "A", "env[1].value": 1})
    )[0]
    right = calls(
        event(0, "submit", {"env[0].key": "A", "env[0].value": 1, "env[1].key": "B", "env[1].value": 2})
    )[0]
    assert dict(left.request) == dict(right.request)
    assert left.raw[0][1]["env[0].key"] == "env[1].key"


def test_a_poll_is_found_and_joined() -> None:
    """Asked again until true, other threads' calls between or not; a lone call is a poll that ended at once."""
    ask = {"src": "/a"}
    first = calls(
        event(0, "complete", ask, {"result": False}),
        event(1, "complete", ask, {"result": False}),
        event(2, "complete", ask, {"result": True}),
        event(3, "complete", {"src": "/b"}, {"result": False}),
        event(4, "getFileInfo", {"src": "/c"}),
        event(5, "complete", {"src": "/b"}, {"result": True}),
    )
    polls = find_polls([first])
    poll = polls[first[0].token]
    assert (poll.path, poll.until) == ("result", True)
    assert [call.token[1] for call in join_polls(first, polls)] == ["complete", "complete", "getFileInfo"]


def test_different_answers_alone_are_no_poll() -> None:
    """What ends with another value each time is not waited for."""
    logical = calls(*(event(n, "getStats", {"x": n // 2}, {"count": n}) for n in range(6)))
    assert find_polls([logical]) == {}


def test_a_failed_attempt_joins_its_repetition() -> None:
    """An error that is followed by the same request is no call of the pattern."""
    logical = calls(
        event(0, "addBlock", {"src": "/a"}, error="NotReplicatedYet"), event(1, "addBlock", {"src": "/a"})
    )
    assert len(join_polls(logical, {})) == 1
