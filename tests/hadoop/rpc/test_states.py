"""The tables of transitions are whole."""

from __future__ import annotations

import pytest

from froude.hadoop.rpc.states import CLIENT, SERVER, State, Trigger, after


@pytest.mark.parametrize("table", [CLIENT, SERVER])
def test_closed_is_the_end(table: dict[State, dict[Trigger, State]]) -> None:
    """Nothing leads out of CLOSED, every state has its row, and READY stays READY."""
    assert table[State.CLOSED] == {}
    for state, row in table.items():
        assert set(row.values()) <= set(table)
        assert after(table, state, Trigger.OPEN_SASL) is row.get(Trigger.OPEN_SASL)
    assert set(table[State.READY].values()) == {State.READY}


@pytest.mark.parametrize("table", [CLIENT, SERVER])
def test_ready_is_reached_from_every_state_but_the_last(table: dict[State, dict[Trigger, State]]) -> None:
    """No handshake can get stuck by the table alone."""
    for start in set(table) - {State.CLOSED}:
        reached, grew = {start}, True
        while grew:
            further = {to for state in reached for to in table[state].values()} - reached
            reached |= further
            grew = bool(further)
        assert State.READY in reached
