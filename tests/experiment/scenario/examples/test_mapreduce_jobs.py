"""The program of ready jobs: what it asks of Hadoop, and what its mappers and reducers make of lines."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from froude.experiment.scenario.examples import mapreduce_jobs as jobs

PROGRAM = Path(jobs.__file__)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs on the PATH that note their words, and print centres."""
    for name in ("hdfs", "yarn"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {tmp_path}/asked\necho "0\t1.0 2.0"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path / "asked"


def test_jobs_of_a_size(asked: Path) -> None:
    """As many files, maps and reducers as the size says."""
    assert jobs.main(["upload,teragen,terasort,wordcount,distcp", "3"]) == 0
    lines = asked.read_text().splitlines()
    assert lines[0] == "hdfs dfs -mkdir /text"
    assert lines[1].count("/text-00") == 3
    assert lines[2:] == [
        "yarn examples teragen -Dmapreduce.job.maps=3 6000 /rows",
        "yarn examples terasort -Dmapreduce.job.reduces=3 /rows /sorted",
        "yarn examples wordcount -Dmapreduce.job.reduces=3 /text /counts",
        "yarn distcp -m 3 /text /copy",
    ]


def test_kmeans_begins_each_iteration_with_what_the_last_one_found(asked: Path) -> None:
    """Mappers are given the centres beside them."""
    assert jobs.main(["kmeans", "2"]) == 0
    lines = [line for line in asked.read_text().splitlines() if "streaming" in line or "-cat" in line]
    assert [line.split()[-1] for line in lines[1::2]] == [f"/centres-{i}/part-*" for i in (1, 2, 3)]
    assert all("/centres " in line and "mapreduce_jobs.py map-kmeans" in line for line in lines[::2])


def test_points_go_to_the_nearest_centre_and_centres_to_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One iteration by hand."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "centres").write_text("0\t0.0 0.0\n1\t10.0 10.0\n")
    mapped = list(jobs.map_kmeans(["1 2\n", "9 9\n", "3 4\n"]))
    assert mapped == ["0\t1 2", "1\t9 9", "0\t3 4"]
    assert list(jobs.reduce_kmeans(sorted(mapped))) == ["0\t2.000 3.000", "1\t9.000 9.000"]


def test_words_are_found_in_their_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a streaming job runs it: lines in, lines out."""
    monkeypatch.setenv("mapreduce_map_input_file", "hdfs://namenode:1/text/text-001")
    mapped = subprocess.run(
        [sys.executable, PROGRAM, "map-invertedindex"],
        input="b a\na\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert mapped == "a\ttext-001\nb\ttext-001\n"
    lines = ["a\ttext-001\n", "a\ttext-000\n", "b\ttext-001\n"]
    assert list(jobs.reduce_invertedindex(lines)) == ["a\ttext-000 text-001", "b\ttext-001"]


@pytest.fixture
def pyspark(asked: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A Java of release 17 and a PySpark of release 4 that notes its words; where it is."""
    home = asked.parent / "pyspark"
    for program, said in (
        (asked.parent / "bin" / "java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2"),
        (home / "bin" / "spark-submit", f'echo "$YARN_CONF_DIR" spark-submit "$@" >> {asked}'),
    ):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{said}\n")
        program.chmod(0o755)
    monkeypatch.setenv("HADOOP_CONF_DIR", "/conf")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda _: SimpleNamespace(origin=str(home / "__init__.py"))
    )
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "4.3.0")
    return str(home)


def test_a_job_of_spark(asked: Path, pyspark: str) -> None:
    """Spark runs this very file, with as many executors as the size says."""
    assert jobs.main(["spark", "3"]) == 0
    (line,) = asked.read_text().splitlines()
    assert line.startswith("/conf spark-submit --master yarn ")
    assert "--num-executors 3 " in line
    assert line.endswith(f" {PROGRAM} spark-words 3")
    assert jobs.spark_home() == Path(pyspark)


@pytest.mark.parametrize(
    ("version", "said"),
    [('"11.0.2"', "does not support Java 11; it needs 17, 21"), ('"1.8.0_402"', "does not support Java 8")],
)
def test_a_java_that_spark_does_not_support(
    version: str, said: str, asked: Path, pyspark: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Is said before anything runs."""
    assert pyspark
    (asked.parent / "bin" / "java").write_text(f"#!/bin/sh\necho 'openjdk version {version}' >&2\n")
    assert jobs.main(["spark", "2"]) == 1
    assert f"spark: PySpark 4.3.0 {said}" in capsys.readouterr().err
    assert not asked.exists()


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how to get it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert jobs.main(["spark", "2"]) == 1
    assert f"spark: PySpark is not there: {sys.executable} -m pip install pyspark" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["upload"], ["nothing", "2"], ["upload", "0"], ["upload", "x"]])
def test_what_it_is_not_asked_rightly(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """It says how."""
    assert jobs.main(words) == 2
    assert "usage: mapreduce_jobs.py JOB,JOB,... SIZE" in capsys.readouterr().err


def test_a_program_that_fails_ends_it(asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the job's name; those behind it are not begun."""
    (asked.parent / "bin" / "yarn").write_text("#!/bin/sh\nexit 3\n")
    assert jobs.main(["teragen,upload", "1"]) == 1
    assert capsys.readouterr().err.startswith("teragen: ")
    assert not asked.exists()
