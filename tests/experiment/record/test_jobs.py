"""The job that Froude brings along can be extrapolated at all."""

from __future__ import annotations

import pytest

from froude.base.errors import TargetError
from froude.experiment.record import jobs
from froude.experiment.record.jobs import BLOCK_BYTES, DEMO, FILE_BYTES, work
from tests.support.experiment.fake_hdfs import FakeHdfs


def test_scales_can_be_told_apart() -> None:
    """Every variable varies in training, and the held-out and played sizes lie outside of it."""
    for name in DEMO.held_out:
        values = {scale[name] for scale in DEMO.train}
        assert len(values) >= 2, name
        assert DEMO.held_out[name] not in values
        assert set(DEMO.play) == set(DEMO.held_out)


@pytest.fixture
def hdfs(monkeypatch: pytest.MonkeyPatch) -> FakeHdfs:
    """Where the client works."""
    fake = FakeHdfs()
    monkeypatch.setattr(jobs, "Client", fake)
    return fake


def test_it_uploads_lists_renames_reads_and_deletes(hdfs: FakeHdfs) -> None:
    """In loops of their own, in a folder of its own; nothing is left."""
    work(3, uri="hdfs://127.0.0.1:1", files=2, file_bytes=FILE_BYTES)
    folder = "/demo/client-3"
    part, done = [f"{folder}/part-0000{n}" for n in (0, 1)], [f"{folder}/done-0000{n}" for n in (0, 1)]
    assert hdfs.calls == [
        ("mkdirs", folder, 0o755),
        *(("create", path, BLOCK_BYTES, 2) for path in part),
        ("list_status", folder, False),
        *(("rename", path, to) for path, to in zip(part, done, strict=True)),
        *(("read", path) for path in done),
        *(("delete", path) for path in done),
    ]
    assert hdfs.made == [("hdfs://127.0.0.1:1", {"dfs.replication": "2", "dfs.blocksize": str(BLOCK_BYTES)})]
    assert hdfs.files == {}


def test_files_have_the_size_asked_for(hdfs: FakeHdfs, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block and a half in the demo: more than one block, the last one shorter."""
    sizes: list[int] = []
    delete = hdfs.delete

    def kept(path: str, *, recursive: bool) -> None:
        sizes.append(len(hdfs.files[path]))
        delete(path, recursive=recursive)

    monkeypatch.setattr(hdfs, "delete", kept)
    work(0, uri="hdfs://h:1", files=3, file_bytes=FILE_BYTES)
    assert sizes == [FILE_BYTES] * 3
    assert BLOCK_BYTES < FILE_BYTES < 2 * BLOCK_BYTES


def test_a_file_that_reads_back_differently_is_an_error(
    hdfs: FakeHdfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and nothing is deleted."""
    rename = hdfs.rename

    def damaging(path: str, to: str, *, overwrite: bool) -> None:
        rename(path, to, overwrite=overwrite)
        if to.endswith("1"):
            hdfs.files[to] = hdfs.files[to][:-1] + b"?"

    monkeypatch.setattr(hdfs, "rename", damaging)
    with pytest.raises(TargetError, match="done-00001: a file reads back differently"):
        work(0, uri="hdfs://h:1", files=3, file_bytes=512)
    assert "delete" not in hdfs.methods()


def test_a_folder_that_lists_another_number_is_an_error(
    hdfs: FakeHdfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as where another client works in it."""
    hdfs.files["/demo/client-0/other"] = b""
    with pytest.raises(TargetError, match="found 3; allowed: 2"):
        work(0, uri="hdfs://h:1", files=2, file_bytes=512)


def test_no_files_are_no_work(hdfs: FakeHdfs) -> None:
    """The folder is made and listed."""
    work(0, uri="hdfs://h:1", files=0, file_bytes=512)
    assert hdfs.methods() == ["mkdirs", "list_status"]
