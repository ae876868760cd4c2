"""Messages as the one buffer that bulk decoding reads."""

from __future__ import annotations

import numpy as np

from froude.messages.steps import Payloads


def payloads(listed: list[bytes]) -> Payloads:
    """Messages behind each other."""
    ends = np.cumsum([len(each) for each in listed], dtype=np.int64)
    lengths = np.array([len(each) for each in listed], np.int64)
    return Payloads(np.frombuffer(b"".join(listed), np.uint8), ends - lengths, ends)
