"""Runs a command of `froude provision` that analyses, with both its outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from froude.cli.app import run

NAME = "photoshare-calibrated"


def asked(folder: Path, *command: str, code: int = 0) -> Any:
    """What it found, as its JSON says; the page is not empty.

    Args:
        folder: of the outputs.
        command: the words behind `froude provision`.
        code: how it must end.
    """
    out, page = folder / "out.json", folder / "page.html"
    assert run(["provision", *command, "-o", str(out), "--report", str(page)]) == code
    assert page.stat().st_size > 10_000
    return json.loads(out.read_text())["found"]
