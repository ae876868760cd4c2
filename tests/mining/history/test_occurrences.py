"""Where values stand: what a look at every call would find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.mining.history.chronology import Chronology
from froude.mining.history.occurrences import Seen
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.types import CALLEE_HOST, CALLEE_PORT, Scalar, Side
from tests.support.mining.events import calls, event

_VALUES: list[Scalar] = [1, True, 1.0, "one", b"one", 70_000, 70_000.0, None, ""]
_LEAVES = st.dictionaries(st.sampled_from(["a", "b.c", "block.numBytes"]), st.sampled_from(_VALUES))
_CALLS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), _LEAVES, _LEAVES, st.booleans()), max_size=12
)


def _made(drawn: list[tuple[int, int, dict, dict, bool]]) -> Chronology:
    senders = {(run, at): Sender(run, f"s{at}", Role(f"r{at}"), []) for run in range(2) for at in range(2)}
    senders |= {
        (run, 2): Sender(run, "s2", Role("r2", program="datanode", emulated=True), []) for run in range(2)
    }
    made = []
    for order, (run, at, request, response, answered) in enumerate(drawn):
        raw = event(order, "m", request, response, answered=answered, start_s=order, end_s=order + 1.5)
        made.append(Occurrence(run, 0, senders[run, at], f"t{at}.c{order % 2}", calls(raw)[0]))
    return Chronology(made)


@given(_CALLS, st.data())
def test_places_are_those_that_a_look_at_every_call_finds(drawn: list, data: st.DataObject) -> None:
    """Of its own node's calls or of others', of a value's own type in these, each once and in order."""
    known = _made(drawn)
    if not known.occurrences:
        return
    taker = data.draw(st.sampled_from(known.occurrences))
    value, others = data.draw(st.sampled_from(_VALUES)), data.draw(st.booleans())
    found: dict[tuple[str, Side, str], None] = {}
    for number, each in enumerate(known.occurrences):
        if each.run != taker.run or (each.sender is taker.sender) == others:
            continue
        for side in Side:
            leaves = dict((each.call.request if side is Side.REQUEST else each.call.response) or {})
            if side is Side.REQUEST and others and each.sender.role.emulated:
                leaves.pop("block.numBytes", None)
            if known.exists(side)[number] >= known.sent[taker.number]:
                continue
            for path, seen in leaves.items():
                if seen == value and (not others or type(seen) is type(value)):
                    found[each.template, side, path] = None
        if not others and known.sent[number] < known.sent[taker.number]:
            target = each.call.event.target
            for path, seen in ((CALLEE_HOST, target.host), (CALLEE_PORT, target.port)):
                if seen == value:
                    found[each.template, Side.REQUEST, path] = None
    places = Seen(known, taker.run).before(taker, value, others=others)
    assert [(place.template, place.side, place.path) for place in places] == list(found)


def test_places_are_in_the_order_in_which_the_value_came_there() -> None:
    """Not in that of the leaves."""
    said = [
        (0, 0, {"a": a, "b.c": b}, {}, True) for a, b in (("x", "one"), ("x", "x"), ("one", "x"), ("x", "x"))
    ]
    known = _made(said)
    places = Seen(known, 0).before(known.occurrences[3], "one", others=False)
    assert [(place.template, place.path) for place in places] == [("t0.c0", "b.c"), ("t0.c0", "a")]


def test_other_nodes_may_have_what_is_not_said_of_a_thing_that_was_told() -> None:
    """How long a block is, a DataNode says as it was told: nobody takes it from there."""
    leaves = {"block.numBytes": 70_000, "a": "one"}
    known = _made([(0, 2, leaves, {"b.c": "one"}, True), (0, 0, {"a": 70_000}, {}, True)])
    seen = Seen(known, 0)
    node, client = known.occurrences
    assert list(seen.shared(70_000)) == [(client, Side.REQUEST, "a")]
    assert list(seen.shared("one")) == [(node, Side.REQUEST, "a"), (node, Side.RESPONSE, "b.c")]
    assert not list(seen.shared("never said"))
