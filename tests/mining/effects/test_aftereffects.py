"""Calls of a daemon that only follow effects are effects of the same cause."""

from __future__ import annotations

from froude.mining.effects.aftereffects import find_following, trace_following
from froude.mining.effects.causes import Caused, Channel
from froude.mining.effects.relocation import Relocation
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.workload.types import Actor
from tests.support.mining.events import calls, event

NODE = Role("nodemanager", endless=True)
LAUNCH = ("p", "startContainers", "")
CHANNEL = Channel(LAUNCH, Actor.CALLEE, "resources", "", "host")
FETCH, ASK = "getBlockLocations", "getServerDefaults"


def node(*made: tuple[str, float], role: Role = NODE):
    """A node that made these calls at these seconds, of which fetching is the effect of a launch before."""
    listed = calls(*(event(at, method, start_s=start_s) for at, (method, start_s) in enumerate(made)))
    (cause,) = calls(event(100, "startContainers"))
    sender = Sender(0, "n", role, listed, own=[call for call in listed if call.token[1] != FETCH])
    caused = [Caused(call, sender, cause) for call in listed if call.token[1] == FETCH]
    return sender, {("nodemanager", caused[0].call.token): (Relocation(CHANNEL, caused),)} if caused else {}


def test_what_follows_effects_at_once_is_an_effect() -> None:
    """Each with its number; the node keeps what it does by itself."""
    sender, effects = node(("registerNodeManager", 0.0), (FETCH, 5.0), (ASK, 5.1), (ASK, 5.2))
    found = find_following([sender], effects)
    (key,) = (key for key in found if key[1][1] == ASK)
    assert [(r.channel.following, len(r.caused)) for r in found[key]] == [(1, 1), (2, 1)]
    assert [call.token[1] for call in sender.own] == ["registerNodeManager"]


def test_what_also_comes_without_effects_is_the_nodes_own() -> None:
    """Half of it follows nothing."""
    sender, effects = node((FETCH, 5.0), (ASK, 5.1), (ASK, 30.0))
    assert set(find_following([sender], effects)) == set(effects)
    assert len(sender.own) == 2


def test_what_a_script_does_next_follows_its_script() -> None:
    """Only daemons go on by themselves."""
    sender, effects = node((FETCH, 5.0), (ASK, 5.1), (ASK, 5.2), role=Role("client"))
    assert set(find_following([sender], effects)) == set(effects)


def test_a_further_run_may_have_more_of_what_says_nothing() -> None:
    """How many threads ask is a matter of time."""
    sender, effects = node((FETCH, 5.0), (ASK, 5.1), (ASK, 5.2), (ASK, 5.3))
    key = ("nodemanager", sender.own[0].token)
    known = Channel(LAUNCH, Actor.CALLEE, "", "", "host", following=1)
    found = trace_following([sender], effects, {key: [known]})
    assert [(r.channel.following, len(r.caused)) for r in found[key]] == [(1, 3)]
    assert sender.own == []
