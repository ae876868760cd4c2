"""A job of Spark on two DataNodes and two NodeManagers, recorded; where PySpark and a Java that it supports are."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from froude.documents.store import Workspace
from froude.experiment.main_job import record_job
from froude.experiment.own_job import OwnJob
from froude.experiment.scenario.examples import mapreduce_jobs
from froude.experiment.scenario.scenario import RecordScenario, read_scenario
from froude.experiment.scenario.shipped import FOLDER
from froude.experiment.session import Hadoop
from froude.trace.files import read_trace
from froude.trace.roles import seen
from froude.workload.scale import Scale

pytestmark = [
    pytest.mark.integration,
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("pyspark") is None, reason="PySpark is not here: pip install pyspark"
    ),
]


@pytest.mark.timeout(300)
def test_a_job_of_spark(tmp_path: Path, hadoop: Hadoop) -> None:
    """Its application master registers, and its executors are started on the nodes."""
    if mapreduce_jobs.java_release() not in mapreduce_jobs.JAVAS[4]:
        pytest.skip(f"PySpark does not support Java {mapreduce_jobs.java_release()}")
    scenario = read_scenario(FOLDER / "spark.yaml").scenario
    assert isinstance(scenario, RecordScenario)
    record_job(
        OwnJob((sys.executable, mapreduce_jobs.__file__, "upload,spark", "{nodemanagers}")),
        Scale.of(datanodes=2, nodemanagers=2),
        Workspace(tmp_path),
        hadoop,
        name="spark",
        properties=dict(scenario.record.properties),
    )
    trace = read_trace(tmp_path / "traces" / "spark")
    assert (trace.meta.loss.total, seen(trace)["application master"], seen(trace)["NodeManager"]) == (0, 1, 2)
    assert sum(call.method == "startContainers" for call in trace.calls) >= 2
