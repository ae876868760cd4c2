"""Mined workloads that are in the repository: the demo's job, and README's, recorded on release 3.5.0."""

from __future__ import annotations

from pathlib import Path

WORKLOADS = {
    "demo": Path(__file__).parent / "upload-and-read.yaml",
    "README": Path(__file__).parent / "put-and-move.yaml",
}
"""By the job's usual name."""
