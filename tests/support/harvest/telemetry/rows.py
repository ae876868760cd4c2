"""Tables of samples."""

from __future__ import annotations


def rows(servers: str, values: str, *, head: str = "time,server,cpu") -> str:
    """A sample a minute of each server and value."""
    return f"{head}\n" + "".join(
        f"{60 * n},{server},{value}\n" for n, value in enumerate(values.split()) for server in servers.split()
    )
