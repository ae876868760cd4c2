"""The calls of a warm-up; `integration` makes them to a real NameNode."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

from froude.emulation.programs.events import NodeId
from froude.experiment.play.warm_up import _PROTOCOL, _QUESTIONS, _WINDOW, _Streams
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import UNKNOWN


def test_a_file_is_there_when_it_is_asked_for(hadoop: Hadoop) -> None:
    """Each step of it comes half a window of calls after the one before, in a folder of the warm-up's own."""
    streams = _Streams(hadoop.schema().subset([_PROTOCOL]), UNKNOWN)
    steps: dict[str, list[tuple[int, str]]] = {}
    for at, ready in enumerate(islice(streams._calls(2), 400)):
        request: Any = streams.schema.decode_request(_PROTOCOL, ready.method, ready.body)
        assert request.src.startswith("/froude-warm-up/2/")
        if ready.method != "getListing":
            steps.setdefault(request.src.removesuffix("-moved"), []).append((at, ready.method))
    whole = [moments for moments in steps.values() if len(moments) == 5]
    assert len(whole) > 10
    for moments in whole:
        assert [method for _, method in moments] == ["create", "getFileInfo", "complete", "rename", "delete"]
        assert all(later - earlier >= _WINDOW // 2 for (earlier, _), (later, _) in pairwise(moments))


def test_each_stream_has_a_connection_of_its_own(hadoop: Hadoop) -> None:
    """So that several of the NameNode's readers are at work."""
    streams = _Streams(hadoop.schema().subset([_PROTOCOL]), UNKNOWN)
    endpoints = {streams.endpoint(NodeId("stream", number), _PROTOCOL, "") for number in range(4)}
    assert len(endpoints) == 4


def test_a_namespace_that_is_only_asked_stays_as_it_is(hadoop: Hadoop) -> None:
    """Questions alone."""
    streams = _Streams(hadoop.schema().subset([_PROTOCOL]), UNKNOWN, _QUESTIONS)
    assert {ready.method for ready in islice(streams._calls(0), 50)} == {"getFileInfo", "getListing"}
