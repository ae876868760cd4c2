"""The spool of calls."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.core import PlayedCall
from froude.emulation.programs.events import NodeId
from froude.emulation.recorder import Record, Spool, read_spool

TEXT = st.text(max_size=12)
CALLS = st.builds(
    lambda node, protocol, method, sent_s, answered_s, request, response, error: PlayedCall(
        node, 3, 17, protocol, method, sent_s, sent_s, answered_s, request,
        response if answered_s is not None and error is None else None, error, None if error is None else "why",
    ),
    st.builds(NodeId, TEXT, st.integers(0, 2**31)), TEXT, TEXT, st.floats(0, 1e6), st.none() | st.floats(0, 1e6),
    st.binary(max_size=40), st.binary(max_size=40), st.none() | TEXT,
)  # fmt: skip


@given(calls=st.lists(CALLS, max_size=12), cut=st.integers(0, 60))
def test_a_spool_reads_back_as_far_as_it_is_whole(
    calls: list[PlayedCall], cut: int, tmp_path_factory: object
) -> None:
    """Whole, it gives every call; cut anywhere, a beginning of them and no error."""
    out = io.BytesIO()
    spool = Spool(out, Record.FULL, Seeds(1))
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
    spools = [Spool(io.BytesIO(), Record.SAMPLED, Seeds(5)) for _ in range(2)]
    chosen = [[n for n in range(2000) if spool.wants(NodeId("c", n))] for spool in spools]
    assert chosen[0] == chosen[1]
    assert chosen[0][:3] == [0, 1, 2]
    assert 60 < len(chosen[0]) < 150
    assert not Spool(io.BytesIO(), Record.SUMMARY, Seeds(5)).wants(NodeId("c", 0))
