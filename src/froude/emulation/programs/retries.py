"""Which errors of a NameNode its clients wait out, and for how long."""

from __future__ import annotations

_WAITED_OUT = frozenset({"NotReplicatedYetException", "RetriableException", "SafeModeException"})
_RETRIES, _FIRST_S = 8, 0.4
"""As dfs.client.block.write.locateFollowingBlock: 400 ms, doubled each time."""


def retry_s(error: str, retries: int) -> float | None:
    """Seconds until a client makes a call again that failed; None if it does not.

    Args:
        error: class of the error, with its package or without.
        retries: how often the call was made again already.
    """
    if error.rpartition(".")[2] not in _WAITED_OUT or retries >= _RETRIES:
        return None
    return float(_FIRST_S * 2**retries)
