"""Run folders, and things that `with` starts and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import MissingError, TargetError
from froude.hadoop.cluster.run_folder import RunFolder, Startable


class Thing(Startable):
    """Starts in a folder, or fails."""

    def __init__(self, wanted: Path | None = None, *, fails: BaseException | None = None) -> None:
        self.run_folder = RunFolder("thing", wanted)
        self.fails = fails
        self.stops: list[bool] = []

    def start(self) -> None:
        """Make the folder."""
        self.folder = self.run_folder.make()
        with self._coming_up():
            if self.fails is not None:
                raise self.fails

    def stop(self, *, keep: bool = False) -> None:
        """Leave the folder."""
        self.stops.append(keep)
        self.run_folder.leave(keep=keep)


def test_a_temporary_folder_goes_and_a_named_one_stays(tmp_path: Path) -> None:
    """Both are for their owner alone."""
    with Thing() as thing:
        assert thing.folder.stat().st_mode & 0o777 == 0o700
    assert not thing.folder.exists()
    with Thing(tmp_path / "a" / "named") as named:
        assert named.folder.stat().st_mode & 0o777 == 0o700
    assert named.folder.is_dir()
    assert (thing.stops, named.stops) == ([False], [False])


@pytest.mark.parametrize(("error", "kept"), [(TargetError("died"), True), (KeyboardInterrupt(), False)])
@pytest.mark.parametrize("early", [True, False])
def test_a_log_that_an_error_names_is_kept(error: BaseException, kept: bool, early: bool) -> None:
    """Whether it does not come up, or ends later; after anything else nothing is left."""
    thing = Thing(fails=error if early else None)
    with pytest.raises(type(error)), thing:
        raise error
    assert thing.stops == [kept]
    assert thing.folder.exists() is kept
    thing.run_folder = RunFolder("thing", None)
    if kept:
        thing.folder.rmdir()


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    """One clear error."""
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingError, match="file"):
        RunFolder("thing", tmp_path / "file").make()
    assert not RunFolder("thing", None).leave(keep=False)
