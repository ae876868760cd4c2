"""Which clients belong together, and what is theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.experiment.replay.growth_bundles import Bundles, find_bundles
from testbed.growing_log import lines, log_of


def _bundles(folder: Path, *calls: tuple[str, str, str, str | None]) -> Bundles:
    """Of (user, command, src, dst)."""
    line = lines(1, 1)[0]
    return find_bundles(
        log_of(
            [
                replace(line, user=user, ip=f"10.0.0.{len(user)}", command=command, src=src, dst=dst)
                for user, command, src, dst in calls
            ],
            folder,
        ),
        {},
    )


def test_who_changes_apart_is_apart(tmp_path: Path) -> None:
    """Each has the topmost folder that it alone changes; a shared folder is nobody's."""
    found = _bundles(
        tmp_path,
        ("a", "create", "/user/a/x/1", None),
        ("a", "rename", "/user/a/x/1", "/user/a/y"),
        ("bb", "create", "/user/bb/1", None),
        ("bb", "create", "/tmp/bb", None),
        ("a", "create", "/tmp/a", None),
    )
    assert found.count == 2
    assert set(found.own) == {"/user/a", "/user/bb", "/tmp/bb", "/tmp/a"}


def test_who_changes_the_same_is_together(tmp_path: Path) -> None:
    """Also by removing a folder above."""
    found = _bundles(tmp_path, ("a", "create", "/data/x/y/1", None), ("bb", "delete", "/data/x/y", None))
    assert found.count == 1
    assert set(found.own) == {"/data/x"}


def test_readers_of_other_users_stay_apart(tmp_path: Path) -> None:
    """They are counted; making a folder joins nobody."""
    found = _bundles(
        tmp_path, ("a", "mkdirs", "/data/x", None), ("a", "create", "/data/x/1", None),
        ("bb", "open", "/data/x/1", None), ("bb", "mkdirs", "/data/x", None),
    )  # fmt: skip
    assert (found.count, found.foreign) == (2, 2)
    assert set(found.own) == {"/data/x/1"}


def test_who_names_a_snapshot_changes_its_folder(tmp_path: Path) -> None:
    """Nothing in `.snapshot` is a path of its own."""
    found = _bundles(tmp_path, ("a", "renameSnapshot", "/data/x/.snapshot/1", "/data/x/.snapshot/2"))
    assert all(".snapshot" not in path for path in found.own)
    assert found.own
