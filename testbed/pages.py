"""Code blocks of the documentation, and a shell that runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def page_blocks(page: str, language: str = "sh") -> list[str]:
    """The texts of one page's blocks, in their order, those that stand elsewhere as well.

    Args:
        page: its name.
        language: which blocks.
    """
    return [text for kind, text in BLOCK.findall((ROOT / page).read_text()) if kind == language]


def run_shell(text: str, folder: Path, *, timeout_s: float = 200) -> subprocess.CompletedProcess[str]:
    """Run commands as one types them, stopping at the first that fails.

    Args:
        text: the commands.
        folder: where.
        timeout_s: how long they may take.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FROUDE_W")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", text],
        cwd=folder,
        env={**kept, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
