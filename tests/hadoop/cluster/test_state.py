"""What is remembered of a cluster is believed only where a supervisor can have written it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.cluster.state import Process, State, read_process, read_state

_US = Process(name="supervisor", pid=os.getpid(), started_s=1.5)
_STATE = State(
    supervisor=_US,
    release="3.5.0",
    uri="hdfs://h:1",
    http="http://h:2",
    cluster_id="CID-1",
    block_pool_id="BP-1",
    daemons=(_US,),
    home="home",
    trace="trace",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the state is."""
    return tmp_path / "state.json"


def test_what_is_written_is_read(file: Path) -> None:
    """Whole; and nothing where there is no file."""
    assert read_state(file) is None
    file.write_text(json.dumps(_STATE.plain()))
    assert read_state(file) == _STATE
    file.write_text(json.dumps(_US.plain()))
    assert read_process(file) == _US


def _supervisor(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda state: state["supervisor"].update(fields)


@pytest.mark.parametrize(
    ("damage", "field"),
    [
        *((_supervisor(pid=pid), "supervisor.pid") for pid in (-1, 0, 1, 1.5, "x", True, 1 << 70)),
        (_supervisor(pid=None), "pid is missing"),
        *((_supervisor(started_s=at), "supervisor.started_s") for at in ("x", -1, 1e300, 10**400)),
        (_supervisor(name=5), "supervisor.name"),
        (_supervisor(more=5), "supervisor.more"),
        *((lambda s, name=name: s.update({name: 5}), name) for name in _STATE.plain()),
        (lambda s: s.update(home="a\0b"), "home"),
        (lambda s: s.update(more=1), "more"),
        (lambda s: s.pop("uri"), "uri"),
        (lambda s: s["daemons"].append(5), "daemons"),
        (lambda s: s["daemons"][0].update(pid=-1), "daemons"),
    ],
)
def test_a_field_that_no_supervisor_writes(
    damage: Callable[[dict[str, Any]], object], field: str, file: Path
) -> None:
    """One error with the file, the field and what to do."""
    state = json.loads(json.dumps(_STATE.plain()))
    damage(state)
    file.write_text(json.dumps(state))
    with pytest.raises(InputError, match=r"is not a state of a cluster.*Remove the file") as caught:
        read_state(file)
    assert field in str(caught.value) or "is not JSON of ours" in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "{}", "", "nan", "\xff"])
def test_what_is_no_state_at_all(text: str, file: Path) -> None:
    """The same error."""
    file.write_text(text, encoding="latin-1")
    for read in (read_state, read_process):
        with pytest.raises(InputError, match=r"state\.json:.*is not a state of a cluster"):
            read(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_field_of_any_kind(file: Path, data: st.DataObject) -> None:
    """A state or one error, never anything else."""
    state = json.loads(json.dumps(_STATE.plain()))
    where = data.draw(st.sampled_from([state, state["supervisor"], state["daemons"][0]]))
    kinds = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())
    where[data.draw(st.sampled_from(sorted(where)))] = data.draw(kinds)
    file.write_text(json.dumps(state))
    try:
        read = read_state(file)
    except InputError:
        return
    assert read is not None
    assert read.supervisor.alive in {True, False}
