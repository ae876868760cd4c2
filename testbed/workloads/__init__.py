"""Mined workloads that are in the repository, recorded on release 3.5.0."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent
WORKLOADS = {"demo": _FOLDER / "upload-and-read.yaml", "README": _FOLDER / "put-and-move.yaml"}
"""The demo's job, and README's, by the job's usual name."""
OTHERS = {
    "look-up": _FOLDER / "look-up.yaml",
    "rename-and-delete": _FOLDER / "rename-and-delete.yaml",
}
"""Two more: clients that make folders and look them up four times, and clients that create, rename and delete files
without blocks."""
