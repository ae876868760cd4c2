"""Froude as users install it: without the lock, with the newest libraries that its limits allow."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_UNREACHABLE = re.compile(
    r"NewConnectionError|Temporary failure|ProxyError|timed out|SSLError|from versions: none"
)


@pytest.mark.integration
@pytest.mark.timeout(1800)
@pytest.mark.long
def test_json_stays_json_with_the_newest_libraries(tmp_path: Path) -> None:
    """`pip install '.[provision]'`, then a plan: standard output is one document, whatever HiGHS prints on load."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    words = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{ROOT}[provision]"]
    installed = subprocess.run(words, capture_output=True, text=True, check=False)
    if installed.returncode and _UNREACHABLE.search(installed.stderr):
        pytest.skip(f"no package registry is reachable: {installed.stderr.splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr
    assert sys.prefix != str(tmp_path / "venv")
    command = [
        tmp_path / "venv" / "bin" / "froude",
        "provision",
        "compile",
        "photoshare-calibrated",
        "--json",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((tmp_path / "plan.json").read_text())
