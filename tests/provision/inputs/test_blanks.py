"""Numbers left blank on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.provision.inputs.read import read_parts
from froude.provision.inputs.tree import FlawedInputError

TEXT = """\
froude: provision/1
sla: [{task: t, rate: blank}]
application:
  dataset:
    - {name: d, size: blank, persistent: 1, remote: 1}
  task:
    - name: t
      phase: p
      memory: blank
      operations:
        - compute: {time: blank}
        - io: {op: R, dataset: d, num_records: 1, record_size: 4KB}
  host: {cores: blank}
"""


def test_every_blank_is_named(tmp_path: Path) -> None:
    """With its line and what it belongs to, and no error follows from it."""
    (tmp_path / "a.yaml").write_text(TEXT)
    with pytest.raises(FlawedInputError) as error:
        read_parts([tmp_path / "a.yaml"])
    flaws = [(flaw.line, flaw.message.partition(":")[0]) for flaw in error.value.flaws]
    assert flaws == [
        (2, "rate of sla t is blank"),
        (5, "size of dataset d is blank"),
        (9, "memory of task t is blank"),
        (11, "compute time of task t is blank"),
        (13, "host cores is blank"),
    ]


def test_other_errors_are_told_beside_them(tmp_path: Path) -> None:
    """A blank hides nothing; a thing may be called so."""
    (tmp_path / "a.yaml").write_text(TEXT.replace("4KB", "4").replace("name: d,", "name: blank,"))
    with pytest.raises(FlawedInputError) as error:
        read_parts([tmp_path / "a.yaml"])
    found = {flaw.found for flaw in error.value.flaws}
    assert {"'4'", "'d'"} <= found
