"""What players let each other know."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.context import Cause
from froude.emulation.programs.events import NodeId, SendMessage, Stop
from froude.emulation.programs.hdfs.blocks import Block
from froude.emulation.programs.hdfs.datanode import BlockWritten
from froude.emulation.sharing import Came, Codec, Let, News, Notice, Over, Relay, Share
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema
from froude.workload.rules import Special
from froude.workload.types import Moment
from testbed.plans import CLIENT

NODES = st.builds(NodeId, st.sampled_from(["client", "datanode"]), st.integers(0, 20))
NOTICES = st.one_of(
    st.builds(
        SendMessage, NODES, st.builds(BlockWritten, st.builds(Block, *[st.integers(0, 9)] * 3), st.text())
    ),
    st.builds(Let, NODES, NODES),
    st.builds(Stop, NODES),
    st.builds(Came, NODES, st.sampled_from(Moment), st.floats(0, 1e6)),
    st.builds(News, st.text(), st.tuples(st.text(), st.sampled_from(Special), st.binary())),
    st.just(Over()),
)


@given(st.integers(1, 9), NODES)
def test_each_node_has_one_player(players: int, node: NodeId) -> None:
    """A share of all nodes until it is that of one of several."""
    assert Share().own(node)
    for first in (0, 1):
        shares = [Share().take(first + number, players, first) for number in range(players)]
        assert [share.own(node) for share in shares].count(True) == 1


@given(st.lists(NOTICES, max_size=9))
def test_notices_cross_as_they_are(notices: list[Notice]) -> None:
    """With the types of their values."""
    codec = Codec(Schema({}, {}))
    read = codec.loads(codec.dumps(notices))
    assert read == notices
    assert [type(each) for each in read] == [type(each) for each in notices]


def test_a_message_of_the_schema_crosses_with_the_notice(hadoop: Hadoop) -> None:
    """A cause has its request and its answer; the other process has classes of its own."""
    here, there = hadoop.schema(), Schema.from_bytes(hadoop.schema().to_bytes())
    request = here.method(CLIENT, "getFileInfo").request(src="/a")  # type: ignore[call-arg]
    cause = Cause(1, request, None, (0,), {"client.L1": 2}, ("L1",))
    (read,) = Codec(there).loads(Codec(here).dumps([SendMessage(NodeId("client", 1), cause)]))
    assert type(read.message.request) is not type(request)
    assert read.message.request.SerializeToString() == request.SerializeToString()
    assert read.message[2:] == cause[2:]


@given(st.integers(2, 5), st.lists(NOTICES, max_size=20), st.integers(0, 4), st.integers(0, 1))
def test_the_first_player_hands_on_to_whom_a_notice_is_for(
    players: int, notices: list[Notice], sender: int, first: int
) -> None:
    """What is for one node to its player, everything else to all but the sender, in order; here may be no nodes."""
    sender %= players
    relay = Relay(players, first)
    shown = {0: relay.hand_on(notices, sender), **relay.out}
    assert len(shown) == players + first
    for player in shown:
        wanted = [
            notice
            for notice in notices
            if player != sender
            and (
                not isinstance(notice, SendMessage | Let | Stop)
                or first + notice.node.number % players == player
            )
        ]
        assert shown[player] == wanted


def test_a_player_alone_has_nobody_to_let_know() -> None:
    """And nothing is collected for others."""
    share = Share()
    share.tell(Over())
    share.spread("made", "client", "create", "/a")
    assert share.out == []
    share.take(0, 2).spread("made", "client", "create", "/a")
    assert share.out == [News("made", ("client", "create", "/a"))]
