"""The spool of calls."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.channel import PlayedCall
from froude.emulation.programs.events import NodeId
from froude.emulation.recorder import Spool, read_spool
from froude.emulation.settings import Record
from froude.hadoop.release.distribution import Hadoop
from froude.trace.redact import Redactor

TEXT = st.text(max_size=12)
CALLS = st.builds(
    lambda node, service, protocol, method, sent_s, answered_s, request, response, error: PlayedCall(
        node, 3, 17, 2, service, protocol, method, sent_s, sent_s, answered_s, request,
        response if answered_s is not None and error is None else None, error, None if error is None else "why",
    ),
    st.builds(NodeId, TEXT, st.integers(0, 2**31)), TEXT, TEXT, TEXT, st.floats(0, 1e6), st.none() | st.floats(0, 1e6),
    st.binary(max_size=40), st.binary(max_size=40), st.none() | TEXT,
)  # fmt: skip


class Unchanged(Redactor):
    """Keeps messages as they are, so that what is read is what was written."""

    def __init__(self) -> None:
        """Needs no schema."""

    def request(self, _protocol: str, _method: str, payload: bytes) -> bytes:
        """As it came."""
        return payload

    def response(self, _protocol: str, _method: str, payload: bytes) -> bytes:
        """As it came."""
        return payload


@given(calls=st.lists(CALLS, max_size=12), cut=st.integers(0, 60))
def test_a_spool_reads_back_as_far_as_it_is_whole(
    calls: list[PlayedCall], cut: int, tmp_path_factory: object
) -> None:
    """Whole, it gives every call; cut anywhere, a beginning of them and no error."""
    out = io.BytesIO()
    spool = Spool(out, Record.FULL, Seeds(1), Unchanged())
    for call in calls:
        spool.call(call)
    path = Path(tmp_path_factory.mktemp("spool")) / "spool"  # type: ignore[attr-defined]
    path.write_bytes(out.getvalue())
    assert list(read_spool(path)) == calls
    path.write_bytes(out.getvalue()[: max(15, len(out.getvalue()) - cut)])
    part = list(read_spool(path))
    assert part == calls[: len(part)]


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    """Another file is no spool."""
    (tmp_path / "x").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="no spool"):
        list(read_spool(tmp_path / "x"))


def test_samples_hold_the_first_nodes_and_some_others() -> None:
    """Three first nodes always; of the others about one in twenty; the same ones for one seed."""
    spools = [Spool(io.BytesIO(), Record.SAMPLED, Seeds(5), Unchanged()) for _ in range(2)]
    chosen = [[n for n in range(2000) if spool.wants(NodeId("c", n))] for spool in spools]
    assert chosen[0] == chosen[1]
    assert chosen[0][:3] == [0, 1, 2]
    assert 60 < len(chosen[0]) < 150
    assert not Spool(io.BytesIO(), Record.SUMMARY, Seeds(5), Unchanged()).wants(NodeId("c", 0))


CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


def _located_block(hadoop: Hadoop, password: bytes) -> bytes:
    """An answer to addBlock, whose token opens the block to whoever holds it."""
    answer = hadoop.schema().method(CLIENT, "addBlock").response()
    block = answer.block
    block.b.poolId, block.b.blockId, block.b.generationStamp = "BP-1", 1, 1
    block.offset, block.corrupt = 0, False
    token = block.blockToken
    token.identifier, token.password, token.kind, token.service = b"who", password, "HDFS_BLOCK_TOKEN", ""
    return bytes(answer.SerializeToString())


def test_no_secret_reaches_the_disk(hadoop: Hadoop, tmp_path: Path) -> None:
    """A token's password is not in the spool's bytes; what is there still reads as the answer."""
    password = b"a password of a block token"
    out = io.BytesIO()
    spool = Spool(out, Record.FULL, Seeds(1), Redactor(hadoop.schema(), b"k" * 32))
    answer = _located_block(hadoop, password)
    assert password in answer
    spool.call(
        PlayedCall(NodeId("c", 0), 0, 1, 0, "namenode", CLIENT, "addBlock", 0, 0, 1, None, answer, None, None)
    )
    assert password not in out.getvalue()
    (tmp_path / "spool").write_bytes(out.getvalue())
    (back,) = read_spool(tmp_path / "spool")
    assert back.response is not None
    assert b"HDFS_BLOCK_TOKEN" in back.response


def test_a_message_that_does_not_decode_is_left_out(hadoop: Hadoop, tmp_path: Path) -> None:
    """It may hold anything; the call itself stays."""
    out = io.BytesIO()
    spool = Spool(out, Record.FULL, Seeds(1), Redactor(hadoop.schema(), b"k" * 32))
    damaged = _located_block(hadoop, b"x" * 40)[:-20]
    spool.call(
        PlayedCall(
            NodeId("c", 0), 0, 1, 0, "namenode", CLIENT, "addBlock", 0, 0, 1, None, damaged, None, None
        )
    )
    assert b"x" * 10 not in out.getvalue()
    (tmp_path / "spool").write_bytes(out.getvalue())
    (back,) = read_spool(tmp_path / "spool")
    assert (back.method, back.response) == ("addBlock", None)
