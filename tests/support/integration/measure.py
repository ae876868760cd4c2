"""Whether the fio that is installed has an engine for NBD."""

from __future__ import annotations

import subprocess


def has_nbd() -> bool:
    """Whether fio lists the engine."""
    done = subprocess.run(["fio", "--enghelp=nbd"], capture_output=True, text=True, check=False)
    return "uri" in done.stdout
