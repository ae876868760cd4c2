"""All states of the two protocol machines and every transition; nothing else decides what may come.

A machine looks its trigger up in the table of its side; what is not there is a protocol error, the peer's or
ours according to who pulled the trigger. Closing is possible in every state and needs no row.
"""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """Where a connection stands."""

    NEW = auto()
    """Client: nothing sent. Server: the preamble is awaited."""
    NEGOTIATING = auto()
    """SASL: the offer is awaited (client) or the client's first word (server)."""
    AUTHENTICATING = auto()
    """SASL: a mechanism is at work."""
    CONTEXT = auto()
    """Server: the connection context is awaited. A client sends it in the same breath."""
    READY = auto()
    """Calls may pass."""
    CLOSED = auto()
    """Nothing more may pass."""


class Trigger(Enum):
    """What moves a machine."""

    OPEN_PLAIN = auto()
    """The preamble asks for no authentication."""
    OPEN_SASL = auto()
    OFFER = auto()
    """NEGOTIATE of the server, or of the client when the server has an offer to make."""
    CHOOSE = auto()
    """INITIATE with a mechanism."""
    CHOOSE_SIMPLE = auto()
    """INITIATE with SIMPLE; no answer follows."""
    STEP = auto()
    """CHALLENGE or RESPONSE."""
    SUCCESS = auto()
    CONTEXT = auto()
    CALL = auto()


CLIENT: dict[State, dict[Trigger, State]] = {
    State.NEW: {Trigger.OPEN_PLAIN: State.READY, Trigger.OPEN_SASL: State.NEGOTIATING},
    State.NEGOTIATING: {
        Trigger.CHOOSE: State.AUTHENTICATING,
        Trigger.CHOOSE_SIMPLE: State.READY,
        Trigger.SUCCESS: State.READY,  # a server without any SASL mechanism: go on as SIMPLE
    },
    State.AUTHENTICATING: {Trigger.STEP: State.AUTHENTICATING, Trigger.SUCCESS: State.READY},
    State.READY: {Trigger.CALL: State.READY},
    State.CLOSED: {},
}

SERVER: dict[State, dict[Trigger, State]] = {
    State.NEW: {Trigger.OPEN_PLAIN: State.CONTEXT, Trigger.OPEN_SASL: State.NEGOTIATING},
    State.NEGOTIATING: {
        Trigger.OFFER: State.NEGOTIATING,
        Trigger.CHOOSE: State.AUTHENTICATING,
        Trigger.CHOOSE_SIMPLE: State.CONTEXT,
        Trigger.SUCCESS: State.CONTEXT,
    },
    State.AUTHENTICATING: {Trigger.STEP: State.AUTHENTICATING, Trigger.SUCCESS: State.CONTEXT},
    State.CONTEXT: {Trigger.CONTEXT: State.READY},
    State.READY: {Trigger.CALL: State.READY},
    State.CLOSED: {},
}


def after(table: dict[State, dict[Trigger, State]], state: State, trigger: Trigger) -> State | None:
    """The next state, or None when the trigger is not allowed.

    Args:
        table: `CLIENT` or `SERVER`.
    """
    return table[state].get(trigger)
