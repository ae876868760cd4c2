"""Where the label goes."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.harvest.live.submitting import (
    Target,
    command_for,
    mapreduce_options,
    spark_options,
    splits_by_attributes,
    submission_for,
    targets_of,
)

HERE = Target("a", "a", "rm.yarn.io/harvest-class=a", 7)
ANYWHERE = Target("", "m", "", 7)
D = ["-Dmapreduce.job.node-label-expression=a", "-Dmapreduce.job.am.node-label-expression=a"]


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("yarn jar x.jar sort in out", ["yarn", "jar", "x.jar", "sort", *D, "in", "out"]),
        ("/opt/hadoop jar x.jar -input in", ["/opt/hadoop", "jar", "x.jar", *D, "-input", "in"]),
        ("hadoop jar x.jar", ["hadoop", "jar", "x.jar", *D]),
        ("mapred streaming -input in", ["mapred", "streaming", *D, "-input", "in"]),
        ("yarn examples pi 2 10", ["yarn", "examples", "pi", *D, "2", "10"]),
        ("my.sh {options} in", ["my.sh", *D, "in"]),
        ("hive -hiveconf x={label},{master_label} {containers}", ["hive", "-hiveconf", "x=a,a", "7"]),
        (
            "ds -placement_spec f({containers}),{attributes}",
            ["ds", "-placement_spec", f"f(7),{HERE.attributes}"],
        ),
    ],
)
def test_options_go_where_a_command_takes_them(typed: str, becomes: list[str]) -> None:
    """Behind a jar and its program, behind a tool, or where the user says."""
    assert command_for(typed.split(), HERE) == becomes


def test_spark_takes_them_before_everything_else() -> None:
    """For executors and the application master."""
    words = command_for(["/spark/bin/spark-submit", "app.py"], HERE)
    assert words == [
        "/spark/bin/spark-submit",
        "--conf",
        "spark.yarn.executor.nodeLabelExpression=a",
        "--conf",
        "spark.yarn.am.nodeLabelExpression=a",
        "app.py",
    ]


@pytest.mark.parametrize("typed", ["./job.sh in", "yarn top", "yarn", "yarn examples", "hadoop fs -ls"])
def test_a_command_without_a_place_for_it_is_refused(typed: str) -> None:
    """A job that silently ran anywhere would be worse."""
    with pytest.raises(InputError, match="does not say where a label goes"):
        command_for(typed.split(), HERE)


def test_a_job_without_a_label_has_one_for_its_master() -> None:
    """And none of the others."""
    assert mapreduce_options(ANYWHERE) == ["-Dmapreduce.job.am.node-label-expression=m"]
    assert spark_options(ANYWHERE) == ["--conf", "spark.yarn.am.nodeLabelExpression=m"]
    fields = {"application-name": "x", "application-id": "?"}
    assert submission_for(fields, ANYWHERE, "application_1_2") == {
        "application-name": "x",
        "application-id": "application_1_2",
        "am-container-node-label-expression": "m",
    }
    assert submission_for({}, HERE, "i")["app-node-label-expression"] == "a"


def test_a_job_over_several_classes_is_one_or_one_a_class() -> None:
    """A class that has no share of its containers gets no job."""
    parts = [{"label": name, "containers": share} for name, share in (("a", 5), ("b", 2), ("c", 0))]
    answer = {"classes": parts, "label": "a", "master_label": "a", "attributes": "OR(…)"}
    assert targets_of(answer, 7, split=False) == [Target("a", "a", "OR(…)", 7)]
    named = "rm.yarn.io/harvest-class={}".format
    assert targets_of(answer, 7, split=True) == [
        Target("a", "a", named("a"), 5),
        Target("b", "b", named("b"), 2),
    ]
    plain = {**answer, "attributes": ""}
    assert targets_of(plain, 7, split=True) == [Target("a", "a", "", 5), Target("b", "b", "", 2)]


def test_what_nothing_tells_apart_runs_once() -> None:
    """Nodes without labels, and a command that does not ask for attributes, or nodes without those, too."""
    parts = [{"label": name, "containers": share} for name, share in (("a", 5), ("b", 2))]
    answer = {"classes": parts, "label": "", "master_label": "", "attributes": "OR(…)"}
    named = "rm.yarn.io/harvest-class={}".format
    assert targets_of(answer, 7, split=True) == [Target("", "", "OR(…)", 7)]
    both = targets_of(answer, 7, split=True, by_attributes=splits_by_attributes(["ds", "-spec={attributes}"]))
    assert both == [Target("", "", named("a"), 5), Target("", "", named("b"), 2)]
    bare = {**answer, "attributes": ""}
    assert targets_of(bare, 7, split=True, by_attributes=True) == [Target("", "", "", 7)]


def test_a_class_that_has_all_of_it() -> None:
    """Is no split."""
    parts = [{"label": "a", "containers": 7}]
    answer = {"classes": parts, "label": "a", "master_label": "a", "attributes": "OR(…)"}
    assert targets_of(answer, 7, split=True) == [Target("a", "a", "OR(…)", 7)]


@pytest.mark.parametrize("odd", [float("inf"), float("nan"), 10**400, -1, "5", [5]])
def test_shares_that_cannot_be(odd: object) -> None:
    """Of a daemon that is none."""
    answer = {
        "classes": [{"label": "a", "containers": odd}],
        "label": "a",
        "master_label": "",
        "attributes": "",
    }
    for split in (False, True):
        with pytest.raises(ValueError, match="containers"):
            targets_of(answer, 7, split=split)
