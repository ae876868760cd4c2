"""The JSON Schema of `run.json` that the documentation shows is the one that is written."""

from __future__ import annotations

import json
from pathlib import Path

from froude.emulation.run.summary import RunSummary

_SCHEMA = Path(__file__).parents[1] / "docs" / "reference" / "run.schema.json"


def test_the_documented_schema_is_the_one_that_is_written() -> None:
    """Made anew by `python -m tests.test_run_schema`."""
    assert json.loads(_SCHEMA.read_text()) == RunSummary.model_json_schema()


if __name__ == "__main__":
    _SCHEMA.write_text(json.dumps(RunSummary.model_json_schema(), indent=2) + "\n")
