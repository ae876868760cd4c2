"""The Workload as YAML that a person reads, edits and compares; its argument rules are in `yaml_rules`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from froude.base.documents import Section, dump_document, load_document, write_document
from froude.base.units import Quantity, parse_quantity
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Effect,
    Finding,
    Interval,
    Moment,
    NodeType,
    Periodic,
    Poll,
    Question,
    Recorded,
    Repeat,
    Rule,
    StartRule,
    Step,
    Workload,
)
from froude.workload.yaml_rules import count_field, flows, lean, read_rule, rule_field, scalar, whole

VERSION = 1


def write_workload(path: Path, workload: Workload) -> None:
    """Write a workload, whole or not at all."""
    write_document(path, "workload", VERSION, _workload_fields(workload))


def dump_workload(workload: Workload) -> str:
    """The YAML text of a workload."""
    return dump_document("workload", VERSION, _workload_fields(workload))


def read_workload(path: Path) -> Workload:
    """Read a workload.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    root, _ = load_document(path, "workload", range(1, VERSION + 1))
    return workload_from(root)


def workload_from(root: Section) -> Workload:
    """The workload of a document's root section, already known to be one."""
    nodes = root.section("nodes")
    workload = Workload(
        node_types=tuple(_node_type(nodes.section(name), name) for name in nodes.names()),
        recorded=_recorded(root.section("recorded")),
        questions=tuple(_question(section) for section in root.sections("questions")),
        findings=tuple(_finding(section) for section in root.sections("findings")),
    )
    root.finish()
    _check_references(root, workload)
    return workload


# --- writing ----------------------------------------------------------------------------------------------


def _workload_fields(workload: Workload) -> dict[str, Any]:
    recorded = workload.recorded
    fields: dict[str, Any] = {
        "recorded": lean(
            {
                "release": recorded.release,
                "source_ids": list(recorded.source_ids),
                "scales": [scale_fields(scale) for scale in recorded.scales],
                "traces": list(recorded.traces),
            }
        ),
        "nodes": {node_type.name: _node_type_fields(node_type) for node_type in workload.node_types},
    }
    if workload.questions:
        fields["questions"] = [_question_fields(question) for question in workload.questions]
    if workload.findings:
        fields["findings"] = [
            lean({"what": f.what, "fatal": f.fatal, "node_type": f.node_type, "variable": f.variable})
            for f in workload.findings
        ]
    return fields


def scale_fields(scale: Mapping[str, Quantity]) -> dict[str, Any]:
    """A Scale as YAML fields: numbers where it has no unit, text where it has."""
    return {
        name: f"{whole(quantity.value)} {quantity.unit}" if quantity.unit else whole(quantity.value)
        for name, quantity in scale.items()
    }


def _node_type_fields(node_type: NodeType) -> dict[str, Any]:
    start = node_type.start
    return lean(
        {
            "count": count_field(node_type.count),
            "program": None if node_type.program == "calls" else node_type.program,
            "user": node_type.user if isinstance(node_type.user, str | None) else rule_field(node_type.user),
            "caller_context": None
            if node_type.caller_context is None
            else rule_field(node_type.caller_context),
            "start": lean(
                {
                    "after": start.after,
                    "moment": start.moment.value if start.after else None,
                    "every": start.every if start.after else None,
                    "delay_s": start.delay_s or None,
                    "spacing_s": start.spacing_s or None,
                }
            )
            or None,
            "steps": [_step_fields(step) for step in node_type.steps] or None,
            "periodic": [_periodic_fields(periodic) for periodic in node_type.periodic] or None,
            "effects": [_effect_fields(effect) for effect in node_type.effects] or None,
        }
    )


def _step_fields(step: Step) -> dict[str, Any]:
    if isinstance(step, Repeat):
        steps = [_step_fields(inner) for inner in step.steps]
        return {"repeat": step.id, "times": count_field(step.times), "steps": steps}
    return _call_fields(step)


def _call_fields(call: CallTemplate) -> dict[str, Any]:
    poll = call.poll
    return lean(
        {
            "call": call.method,
            "id": call.id,
            "protocol": call.protocol,
            "interval_s": None if call.interval.seconds == Count() else count_field(call.interval.seconds),
            "spread_s": call.interval.spread_s or None,
            "fails": call.fails,
        }
    ) | (
        {"arguments": {path: rule_field(rule) for path, rule in call.arguments.items()}}
        | (
            {}
            if poll is None
            else {"poll": {"path": poll.path, "until": poll.until, "every_s": poll.every_s}}
        )
    )


def _periodic_fields(periodic: Periodic) -> dict[str, Any]:
    timing = {
        "every_s": periodic.every_s,
        "jitter_s": periodic.jitter_s or None,
        "while_open": periodic.while_open,
    }
    return lean(timing) | _call_fields(periodic.call)


def _effect_fields(effect: Effect) -> dict[str, Any]:
    place = {
        "cause": effect.cause,
        "cause_type": effect.cause_type,
        "each": effect.each,
        "owner": effect.owner,
        "owner_fact": effect.owner_fact,
        "batch": effect.batch,
        "share": None if effect.share == 1.0 else effect.share,
    }
    return lean(place) | _call_fields(effect.call)


def _question_fields(question: Question) -> dict[str, Any]:
    return lean(
        {
            "id": question.id,
            "text": question.text,
            "node_type": question.node_type,
            "call": question.call,
            "path": question.path,
            "examples": list(question.examples),
            "candidates": [rule_field(rule) for rule in question.candidates],
            "answered": question.answered or None,
        }
    )


# --- reading ----------------------------------------------------------------------------------------------


def _recorded(section: Section) -> Recorded:
    scales = tuple(_scale(scale) for scale in section.sections("scales"))
    recorded = Recorded(
        scales=scales,
        source_ids=tuple(map(str, section.items("source_ids"))),
        release=section.value("release", str, ""),
        traces=tuple(map(str, section.items("traces"))),
    )
    section.finish()
    return recorded


def _scale(section: Section) -> Scale:
    return Scale({name: section.convert(name, parse_quantity) for name in section.names()})


def _user(section: Section) -> str | Rule | None:
    """A name, or the rule of one."""
    if "user" in section and isinstance(section.raw("user"), Mapping):
        return read_rule(section.raw("user"), section, "user")
    return section.optional("user", str)


def _node_type(section: Section, name: str) -> NodeType:
    start = section.section("start")
    context = section.raw("caller_context")
    node_type = NodeType(
        name=name,
        count=section.convert("count", Count.parse),
        steps=_steps(section),
        periodic=tuple(_periodic(item) for item in section.sections("periodic")),
        effects=tuple(_effect(item) for item in section.sections("effects")),
        start=StartRule(
            after=start.optional("after", str),
            moment=start.convert("moment", Moment) if "moment" in start else Moment.FINISHED,
            every=start.value("every", bool, True) if "every" in start else True,
            delay_s=start.value("delay_s", float, 0.0),
            spacing_s=start.value("spacing_s", float, 0.0),
        ),
        program=section.value("program", str, "calls"),
        user=_user(section),
        caller_context=None if context is None else read_rule(context, section, "caller_context"),
    )
    start.finish()
    section.finish()
    return node_type


def _steps(section: Section) -> tuple[Step, ...]:
    return tuple(_repeat(item) if "repeat" in item else _call(item) for item in section.sections("steps"))


def _repeat(section: Section) -> Repeat:
    repeat = Repeat(section.value("repeat", str), section.convert("times", Count.parse), _steps(section))
    section.finish()
    return repeat


def _call(section: Section) -> CallTemplate:
    arguments = section.section("arguments")
    rules = {path: read_rule(arguments.raw(path), arguments, path) for path in arguments.names()}
    poll = None
    if "poll" in section:
        below = section.section("poll")
        poll = Poll(below.value("path", str), scalar(below.raw("until")), below.value("every_s", float, 0.4))
        below.finish()
    seconds = section.convert("interval_s", Count.parse) if "interval_s" in section else Count()
    call = CallTemplate(
        id=section.value("id", str),
        protocol=section.value("protocol", str),
        method=section.value("call", str),
        arguments=rules,
        interval=Interval(seconds, section.value("spread_s", float, 0.0)),
        poll=poll,
        fails=section.optional("fails", str),
    )
    section.finish()
    return call


def _periodic(section: Section) -> Periodic:
    every_s, jitter_s = section.value("every_s", float), section.value("jitter_s", float, 0.0)
    while_open = section.optional("while_open", str)
    return Periodic(_call(section), every_s, jitter_s, while_open)


def _effect(section: Section) -> Effect:
    cause, cause_type = section.value("cause", str), section.value("cause_type", str)
    names = ("each", "owner", "owner_fact", "batch")
    each, owner, owner_fact, batch = (section.optional(name, str) for name in names)
    share = section.value("share", float, 1.0) if "share" in section else 1.0
    return Effect(_call(section), cause, cause_type, each, owner, owner_fact, batch, share)


def _question(section: Section) -> Question:
    candidates = section.items("candidates")
    question = Question(
        id=section.value("id", str),
        text=section.value("text", str),
        node_type=section.value("node_type", str),
        call=section.optional("call", str),
        path=section.optional("path", str),
        examples=tuple(scalar(item) for item in section.items("examples")),
        candidates=tuple(read_rule(item, section, "candidates") for item in candidates),
        answered=section.value("answered", bool, False) if "answered" in section else False,
    )
    section.finish()
    return question


def _finding(section: Section) -> Finding:
    finding = Finding(
        what=section.value("what", str),
        fatal=section.value("fatal", bool, False) if "fatal" in section else False,
        node_type=section.optional("node_type", str),
        variable=section.optional("variable", str),
    )
    section.finish()
    return finding


def _check_references(root: Section, workload: Workload) -> None:
    """Every id that is referred to exists, so that a play cannot stumble over an edit."""
    names = {node_type.name for node_type in workload.node_types}
    ids = {call.id for node_type in workload.node_types for call in node_type.templates()}
    for node_type in workload.node_types:
        after = node_type.start.after
        if after is not None and after not in names:
            raise root.error(
                "nodes", f"{node_type.name} starts after a node type that is not there", found=after
            )
        for effect in node_type.effects:
            if effect.cause not in ids:
                raise root.error(
                    "nodes",
                    f"an effect of {node_type.name} has a cause that is not there",
                    found=effect.cause,
                )
        for call in node_type.templates():
            for path, rule in call.arguments.items():
                for flow in flows(rule):
                    if flow.call not in ids:
                        raise root.error(
                            "nodes", f"{call.id} {path} flows from a call that is not there", found=flow.call
                        )
