"""Parts of texts, and numbers that are always as much larger than another."""

from __future__ import annotations

from collections.abc import Sequence

from froude.mining.history.timeline import Timeline, columns
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.derived_values import derived
from froude.mining.rules.evidence import Column
from froude.mining.rules.sources import Sources
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Scale
from froude.workload.types import Flow, Side, TextPart
from tests.support.mining.events import calls, event


def found(requests: Sequence[dict], answers: Sequence[dict]) -> Flow | None:
    """The derived flow of argument `x` of calls, each of which one node sends after another call's answer."""
    sender, occurrences = Sender(0, "a", Role("client"), []), []
    for n, (request, answer) in enumerate(zip(requests, answers, strict=True)):
        each = event(2 * n, "source", {}, answer), event(2 * n + 1, "taker", request)
        occurrences += [Occurrence(0, 0, sender, call.method, calls(call)[0], {"L1": n}) for call in each]
    taken = [each for each in occurrences if each.template == "taker"]
    timeline = Timeline(occurrences)
    sources = Sources(timeline, [Scale.of(files=3)])
    return derived(Column(taken, columns(taken)["x"], "x"), timeline, sources.holds)


SHARDS = [f"shard-{7 * n:04}/zone-{n % 3}" for n in range(1, 6)]


def test_a_part_of_a_text_flows() -> None:
    """What stands before or behind a character of an earlier answer."""
    answers = [{"place": shard} for shard in SHARDS]
    before = found([{"x": shard.split("/")[0]} for shard in SHARDS], answers)
    assert before == Flow("source", Side.RESPONSE, "place", part=TextPart("/", 0))
    behind = found([{"x": shard.split("/")[1]} for shard in SHARDS], answers)
    assert behind == Flow("source", Side.RESPONSE, "place", part=TextPart("/", 1))


def test_a_number_that_is_always_as_much_larger_flows() -> None:
    """From a number that was answered under another name."""
    starts = [40960, 81920, 102400, 163840]
    flow = found([{"x": at + 65536} for at in starts], [{"base": at} for at in starts])
    assert flow == Flow("source", Side.RESPONSE, "base", plus=65536)


def test_what_does_not_hold_at_every_call_is_no_flow() -> None:
    """One other value among five, and texts of which no part is meant."""
    answers = [{"place": shard} for shard in SHARDS]
    parts = [{"x": shard.split("/")[0]} for shard in SHARDS]
    assert found([*parts[:-1], {"x": "shard-9999"}], answers) is None
    assert found([{"x": shard[2:7]} for shard in SHARDS], answers) is None


def test_few_calls_and_few_values_prove_nothing() -> None:
    """Three calls, or one value at all of them, may be an accident."""
    answers = [{"place": shard} for shard in SHARDS]
    assert found([{"x": shard.split("/")[0]} for shard in SHARDS[:3]], answers[:3]) is None
    assert found([{"x": 7000}] * 5, [{"base": 6000}] * 5) is None
