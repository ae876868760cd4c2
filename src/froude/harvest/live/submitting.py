"""How a job is told where to run: the words of its command, or the fields that are posted; nothing is started here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from froude.base.errors import InputError
from froude.harvest.live.attributes import expression

_OPTIONS = "{options}"
_ATTRIBUTES = "{attributes}"
_PLACES = ("{label}", "{master_label}", _ATTRIBUTES, "{containers}")
_HADOOP = frozenset(("hadoop", "mapred", "yarn"))
_TOOLS = frozenset(("distcp", "streaming"))
"""Words of `mapred` and `hadoop` whose options follow at once."""
_MOST_CONTAINERS = 1 << 40
_ALLOWED = (
    "yarn jar JAR NAME …, mapred streaming …, spark-submit …, "
    "or one with {options}, {label}, {master_label}, {attributes} or {containers} in it"
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a job, or a part of it, shall run."""

    label: str
    """Of all its containers; empty for any node."""
    master_label: str
    """Of its application master."""
    attributes: str
    """The placement constraint that names its classes."""
    containers: int
    """The most that it uses at once."""


def command_for(words: Sequence[str], target: Target) -> list[str]:
    """The words of a command that runs where it shall.

    A word `{options}` stands for options of MapReduce, and `{label}`, `{master_label}`, `{attributes}` and
    `{containers}` within a word for what they say. Without any, options go where known commands take theirs.

    Raises:
        InputError: it is no command that is known, and has no such place.
    """
    options = mapreduce_options(target)
    if _OPTIONS in words or any(_holds(words, place) for place in _PLACES):
        out: list[str] = []
        for word in words:
            out.extend(options if word == _OPTIONS else [_filled(word, target)])
        return out
    program = PurePath(words[0]).name
    if program == "spark-submit":
        return [words[0], *spark_options(target), *words[1:]]
    if program in _HADOOP and len(words) > 1:
        at = _place_of_options(words)
        if at is not None:
            return [*words[:at], *options, *words[at:]]
    raise InputError(
        "does not say where a label goes", place="command", found=" ".join(words[:4]), allowed=_ALLOWED
    )


def mapreduce_options(target: Target) -> list[str]:
    """Options of a MapReduce job.

    Source: `MRJobConfig.JOB_NODE_LABEL_EXP` and `AM_NODE_LABEL_EXP` of Hadoop.
    """
    named = {
        "mapreduce.job.node-label-expression": target.label,
        "mapreduce.job.am.node-label-expression": target.master_label,
    }
    return [f"-D{name}={value}" for name, value in named.items() if value]


def spark_options(target: Target) -> list[str]:
    """Options of spark-submit.

    Source: "Running Spark on YARN", Spark's documentation.
    """
    named = {
        "spark.yarn.executor.nodeLabelExpression": target.label,
        "spark.yarn.am.nodeLabelExpression": target.master_label,
    }
    return [word for name, value in named.items() if value for word in ("--conf", f"{name}={value}")]


def submission_for(fields: Mapping[str, Any], target: Target, application: str) -> dict[str, Any]:
    """What is posted to a ResourceManager to run an application where it shall.

    Args:
        fields: an application submission context as its REST interface takes it.
        application: the id that it was given.
    """
    labels = {
        "app-node-label-expression": target.label,
        "am-container-node-label-expression": target.master_label,
    }
    return {
        **fields,
        "application-id": application,
        **{name: value for name, value in labels.items() if value},
    }


def splits_by_attributes(words: Sequence[str]) -> bool:
    """Whether a command says by attributes where it runs, and can so be split where nodes have no labels."""
    return _holds(words, _ATTRIBUTES)


def targets_of(
    answer: Mapping[str, Any], containers: int, *, split: bool, by_attributes: bool = False
) -> list[Target]:
    """Where a job shall run, from the answer of the class-selection API.

    Args:
        split: whether a job over several classes is one job a class; else it runs on the one with the most room.
        by_attributes: whether the job goes where attributes say.

    Returns:
        One, or with `split` one a class that has a share of the job's containers, where something tells them apart.

    Raises:
        KeyError: the answer has not the form of the API's.
        ValueError: likewise: a class has a number of containers that cannot be.
    """
    shares = [_share(part["containers"]) for part in answer["classes"]]
    parts = [(part["label"], share) for part, share in zip(answer["classes"], shares, strict=True) if share]
    labels, attributes = bool(answer["label"]), bool(answer["attributes"])
    if split and len(parts) > 1 and (labels or (attributes and by_attributes)):
        return [
            Target(
                name if labels else "",
                name if labels else "",
                expression([name]) if attributes else "",
                share,
            )
            for name, share in parts
        ]
    return [Target(answer["label"], answer["master_label"], answer["attributes"], containers)]


def _share(containers: object) -> int:
    if isinstance(containers, bool) or not (
        isinstance(containers, int | float) and 0 <= containers <= _MOST_CONTAINERS
    ):
        raise ValueError(f"containers {containers!r}"[:80])
    return int(containers)


def _place_of_options(words: Sequence[str]) -> int | None:
    """Before which word generic options stand: behind a jar and the name of its program, where it has one."""
    if words[1] in _TOOLS:
        return 2
    if words[1] == "examples":  # of Froude's own homes
        return 3 if len(words) > 2 else None
    if words[1] != "jar" or len(words) < 3:
        return None
    return 4 if len(words) > 3 and not words[3].startswith("-") else 3


def _holds(words: Sequence[str], place: str) -> bool:
    return any(place in word for word in words)


def _filled(word: str, target: Target) -> str:
    for place in _PLACES:
        word = word.replace(place, str(getattr(target, place.strip("{}"))))
    return word
