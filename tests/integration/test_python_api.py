"""The chain as Python users write it, small, on real daemons: the example of the package's own docstring."""

from pathlib import Path

import pytest

import froude as fr


@pytest.mark.integration
def test_record_mine_play_report(tmp_path: Path, hadoop: fr.Hadoop) -> None:
    """Two small recorded runs give a workload that plays larger without an error of ours, and a page."""
    ws = fr.Workspace(tmp_path / "scaling")
    source = tmp_path / "file"
    source.write_bytes(b"x" * 70_000)
    for n in (1, 2):
        with (
            hadoop.cluster(datanodes=n, replication=1, fast=True) as cluster,
            ws.record(cluster, scale={"datanodes": n, "files": 2 * n}, settle_s=3.2) as recording,
        ):
            names = [str(tmp_path / f"part-{i}") for i in range(2 * n)]
            for name in names:
                Path(name).write_bytes(source.read_bytes())
            recording.shell("-put", *names, "/")
    workload = fr.mine(ws.traces())
    for question in workload.questions:
        if question.candidates:
            workload = workload.answer(question, question.candidates[0])
    plan = workload.at(datanodes=20, files=12)
    assert plan.playable, plan.refusals
    assert plan.counts["datanode"] == 20
    assert plan.calls_per_second > 20 / 4
    with hadoop.namenode(heap="512 MB", fast=True) as nn:
        run = fr.play(plan, nn, record="sampled", check_counts=False)
    assert not run.failure
    assert not run.errors
    assert run.counts["create"] == (12, 12)
    assert run.latency("addBlock").p99_ms > 0
    page = ws.report(plan, run).save(tmp_path / "report.html")
    assert page.read_text().startswith("<!")
