"""The guard of a placement; `froude harvest place` plays the rest against a NameNode."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import GuardError, InputError
from froude.harvest.live.hdfs import placing
from froude.harvest.live.hdfs.placing import Placing, allow_rollback, map_place
from froude.harvest.live.hdfs.plugin import Way
from froude.harvest.live.hdfs.prior import HdfsPrior

PRIOR = HdfsPrior(address="nn:8020", id="CID-1")


@pytest.mark.parametrize(
    ("typed", "few", "error"),
    [("CID-1", None, None), ("CID-2", None, GuardError), ("CID-1", "two classes", InputError)],
)
def test_only_the_named_namenode_is_changed(
    typed: str, few: str | None, error: type[Exception] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not where blocks would lack replicas."""
    monkeypatch.setattr(placing, "too_few", lambda *_: few)
    nothing: Any = SimpleNamespace(policy=SimpleNamespace(name="history"))
    todo = Placing("nn:8020", "CID-1", nothing, nothing, nothing, 3)
    if error is None:
        todo.allow(typed)
        return
    with pytest.raises(error):
        todo.allow(typed)


def test_only_what_was_changed_is_rolled_back() -> None:
    """Or what the user says is the same."""
    allow_rollback(PRIOR, "CID-1", None)
    allow_rollback(PRIOR, "CID-2", "CID-2")
    with pytest.raises(GuardError, match="say --target-is CID-2"):
        allow_rollback(PRIOR, "CID-2", None)


def test_the_usual_place_of_a_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the current folder, by its way; one that the NameNode reads already is kept to."""
    monkeypatch.chdir(tmp_path)
    assert map_place(Way.RACKS, None, None, Path("state")) == tmp_path / "racks.txt"
    monkeypatch.setattr(placing, "set_up", lambda *_: "/conf/map.tsv")
    with pytest.raises(GuardError, match="is not what the NameNode reads"):
        map_place(Way.PLUGIN, Path("other"), tmp_path, tmp_path / "state")
    with pytest.raises(GuardError, match="what it had before would be forgotten"):
        map_place(Way.PLUGIN, None, tmp_path, tmp_path / "state")
    (tmp_path / "state").touch()
    assert map_place(Way.PLUGIN, None, tmp_path, tmp_path / "state") == Path("/conf/map.tsv")
