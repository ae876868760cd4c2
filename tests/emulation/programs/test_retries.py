"""Errors that clients of a NameNode wait out."""

from __future__ import annotations

import pytest

from froude.emulation.programs.retries import retry_s


@pytest.mark.parametrize(
    "error",
    [
        "org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException",
        "org.apache.hadoop.ipc.RetriableException",
        "SafeModeException",
    ],
)
def test_pauses_double_and_end_after_eight(error: str) -> None:
    """As Hadoop's client does between addBlock calls: 0.4 s, 0.8 s, …, and then the error stands."""
    assert [retry_s(error, number) for number in range(9)] == [
        *(pytest.approx(0.4 * 2**number) for number in range(8)), None,
    ]  # fmt: skip


def test_other_errors_stand_at_once() -> None:
    """Whatever is no trouble of the moment."""
    assert retry_s("java.io.FileNotFoundException", 0) is None
    assert retry_s("x.NotReplicatedYetExceptionHandler", 0) is None
