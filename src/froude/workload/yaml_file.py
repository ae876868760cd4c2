"""The Workload as YAML that a person reads, edits and compares; its argument rules are in `yaml_rules`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.files import atomic_write_text
from froude.base.units import Quantity, parse_quantity
from froude.documents.artifact import Lineage, Origin, hash_fields, parse_hash
from froude.documents.lineage import dump_sealed, lineage_of, open_document, opened
from froude.documents.migrate import Migrations, same
from froude.documents.reading import Section, dump_document, parse_document
from froude.workload import yaml_timing
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    EACH,
    SCRIPTED,
    Actor,
    CallTemplate,
    Effect,
    Finding,
    Flow,
    Generated,
    LeftOut,
    NodeType,
    Periodic,
    Poll,
    Question,
    Recorded,
    Repeat,
    Rule,
    Side,
    Step,
    Wait,
    Workload,
)
from froude.workload.walk import flows, fold, rules, templates
from froude.workload.yaml_old import to_version_2
from froude.workload.yaml_rules import count_field, lean, read_rule, rule_field, scalar, whole
from froude.workload.yaml_shared import expand, share

MIGRATIONS = Migrations("workload", 3, {1: to_version_2, 2: same})
_SHORTEST_S = 1e-3
"""Of periods: a play cannot beat faster."""
_SECONDS = (0.0, yaml_timing.LONGEST_S)
_MOST_FOLLOWING = 1000
"""Calls of one kind that may follow others of one cause."""
_DRAWS = "gauge"
"""The generator that may say how often a loop is run."""


def write_workload(path: Path, workload: Workload, origin: Origin | None = None) -> Lineage:
    """Write a workload with its lineage, whole or not at all.

    Args:
        origin: how it came to be; without one, that it comes from the traces it was mined from.

    Raises:
        InputError: what stands there is no regular file.
        MissingError: it cannot be written.
    """
    origin = origin or Origin(inputs=workload.recorded.traces)
    lineage = lineage_of(MIGRATIONS, _workload_fields(workload), origin)
    write_with_lineage(path, workload, lineage, origin.tags)
    return lineage


def write_with_lineage(path: Path, workload: Workload, lineage: Lineage, tags: tuple[str, ...] = ()) -> None:
    """Write a workload that has a lineage already, such as the one that a plan is made of.

    Args:
        path: the file; one that is there is replaced.
        lineage: what the file shall say of its making; it is not made anew.
        tags: words by which a workspace finds it.

    Raises:
        InputError: what stands there is no regular file.
        MissingError: no space, or no right to write there.
        AssertionError: the text would not read back as this workload, so nothing is written.
    """
    text = dump_sealed(MIGRATIONS, _workload_fields(workload), lineage, tags)
    _read_back(text, workload, path)
    atomic_write_text(path, text)


def _read_back(text: str, workload: Workload, path: Path) -> None:
    """Make sure that a workload's text is read as that workload: the next command has nothing else."""
    try:
        again = workload_from(opened(parse_document(text.encode(), str(path)), MIGRATIONS).root)
    except InputError as error:
        raise AssertionError(f"a workload cannot be read as it is written: {error}") from error
    for field in fields(Workload):
        read, wrote = getattr(again, field.name), getattr(workload, field.name)
        if read != wrote:
            raise AssertionError(f"{path}: {field.name} would be read as {read!r:.300}, not {wrote!r:.300}")


def workload_hash(workload: Workload) -> str:
    """The content hash of a workload."""
    return hash_fields(_workload_fields(workload))


def dump_workload(workload: Workload) -> str:
    """The YAML text of a workload, without lineage."""
    return dump_document(MIGRATIONS.kind, MIGRATIONS.newest, _workload_fields(workload))


@dataclass(frozen=True, slots=True)
class WorkloadFile:
    """A workload as it stands in a file."""

    workload: Workload
    content: str
    """The hash of what the file holds now: what is made from it names this one."""
    lineage: Lineage | None
    """None for a file written by hand, or by a Froude that kept no lineage in it."""

    @property
    def edited(self) -> bool:
        """Whether somebody changed it since it was written, which is what the form is for."""
        return self.lineage is not None and self.lineage.content_hash != self.content


def open_workload(path: Path) -> WorkloadFile:
    """Read a workload and what its lineage says.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    document = open_document(path, MIGRATIONS)
    return WorkloadFile(workload_from(document.root), document.content, document.lineage)


def read_workload(path: Path) -> Workload:
    """Read a workload; one that was edited is as good as another.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    return open_workload(path).workload


def workload_from(root: Section) -> Workload:
    """The workload of a document's root section, already known to be one."""
    root = expand(root)
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
                "left_out": [
                    lean({**asdict(each), "scale": scale_fields(each.scale)}) for each in recorded.left_out
                ],
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
    return share(fields)


def scale_fields(scale: Mapping[str, Quantity]) -> dict[str, Any]:
    """A Scale as YAML fields: numbers where it has no unit, text where it has."""
    return {
        name: f"{whole(quantity.value)} {quantity.unit}" if quantity.unit else whole(quantity.value)
        for name, quantity in scale.items()
    }


def _node_type_fields(node_type: NodeType) -> dict[str, Any]:
    return lean(
        {
            "count": count_field(node_type.count),
            "or_count": [count_field(rival) for rival in node_type.rivals],
            "program": None if node_type.program == SCRIPTED else node_type.program,
            "user": node_type.user if isinstance(node_type.user, str | None) else rule_field(node_type.user),
            "caller_context": None
            if node_type.caller_context is None
            else rule_field(node_type.caller_context),
            "container": None
            if node_type.container is None
            else yaml_timing.container_fields(node_type.container),
            "in_any_order": [", ".join(pair) for pair in node_type.in_any_order],
            "start": yaml_timing.start_fields(node_type.start) or None,
            "or_start": None if node_type.or_start is None else yaml_timing.start_fields(node_type.or_start),
            "steps": _step_fields(node_type.steps) or None,
            "periodic": [_periodic_fields(periodic) for periodic in node_type.periodic] or None,
            "effects": [_effect_fields(effect) for effect in node_type.effects] or None,
        }
    )


def _step_fields(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    def repeat(segment: Repeat, body: list[dict[str, Any]]) -> dict[str, Any]:
        drawn = {} if segment.drawn is None else {"drawn": rule_field(segment.drawn)}
        rivals = {"or_times": [count_field(rival) for rival in segment.rivals]} if segment.rivals else {}
        each = {} if segment.each is None else {"each": rule_field(segment.each)}
        head = {"repeat": segment.id, "times": count_field(segment.times)}
        return head | rivals | drawn | each | {"steps": body}

    return fold(steps, _call_fields, repeat)


def _call_fields(call: CallTemplate) -> dict[str, Any]:
    poll = call.poll
    return lean(
        {
            "call": call.method,
            "id": call.id,
            "protocol": call.protocol,
            "service": call.service or None,
            "callee": None if call.callee is None else rule_field(call.callee),
            **yaml_timing.timing_fields(call.timing),
            "fails": call.fails,
            "confirmed_by": call.confirmed_by,
            "after": None if call.after is None else asdict(call.after),
            "awaits": None if call.awaits is None else yaml_timing.awaited_fields(call.awaits),
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
        "pause_s": periodic.pause_s,
        "opened_by": list(periodic.opened_by),
        "closed_by": list(periodic.closed_by),
    }
    return lean(timing) | _call_fields(periodic.call)


def _effect_fields(effect: Effect) -> dict[str, Any]:
    place = {
        "cause": effect.cause,
        "cause_type": None if effect.cause.rpartition(".")[0] == effect.cause_type else effect.cause_type,
        "each": effect.each,
        "actor": None if effect.actor is Actor.SELF else effect.actor.value,
        "owner": effect.owner,
        "owner_fact": effect.owner_fact,
        "share": None if effect.share == 1.0 else effect.share,
        "following": effect.following or None,
        "carried_by": effect.carried_by,
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
        traces=section.converted("traces", parse_hash),
        left_out=tuple(_left_out(each) for each in section.sections("left_out")),
    )
    section.finish()
    return recorded


def _left_out(section: Section) -> LeftOut:
    figures = LeftOut(
        scale=_scale(section.section("scale")),
        fitness=section.value("fitness", float, within=(0.0, 1.0)),
        precision=section.value("precision", float, within=(0.0, 1.0)),
        worst=section.optional("worst", str),
    )
    section.finish()
    return figures


def _scale(section: Section) -> Scale:
    return Scale({name: section.convert(name, parse_quantity) for name in section.names()})


def _user(section: Section) -> str | Rule | None:
    """A name, or the rule of one."""
    if "user" in section and isinstance(section.raw("user"), Mapping):
        return read_rule(section.raw("user"), section, "user")
    return section.optional("user", str)


def _node_type(section: Section, name: str) -> NodeType:
    context = section.raw("caller_context")
    node_type = NodeType(
        name=name,
        count=section.convert("count", _things),
        steps=_steps(section),
        periodic=tuple(_periodic(item) for item in section.sections("periodic")),
        effects=tuple(_effect(item) for item in section.sections("effects")),
        start=yaml_timing.read_start(section.section("start")),
        or_start=yaml_timing.read_start(section.section("or_start")) if "or_start" in section else None,
        program=section.value("program", str, SCRIPTED),
        user=_user(section),
        caller_context=None if context is None else read_rule(context, section, "caller_context"),
        rivals=section.converted("or_count", _things),
        container=yaml_timing.read_container(section.section("container"))
        if "container" in section
        else None,
        in_any_order=tuple(_pair(text, section) for text in section.items("in_any_order")),
    )
    section.finish()
    return node_type


def _pair(text: Any, section: Section) -> tuple[str, str]:
    """Two methods, `create, mkdirs`."""
    first, comma, second = (part.strip() for part in str(text).partition(","))
    if not (first and comma and second):
        raise section.error("in_any_order", "two methods", found=str(text), allowed="create, mkdirs")
    return first, second


def _steps(section: Section) -> tuple[Step, ...]:
    return tuple(_repeat(item) if "repeat" in item else _call(item) for item in section.sections("steps"))


def _repeat(section: Section) -> Repeat:
    drawn = read_rule(section.raw("drawn"), section, "drawn") if "drawn" in section else None
    if drawn is not None and not (isinstance(drawn, Generated) and drawn.generator == _DRAWS):
        raise section.error("drawn", "draws no number of iterations", allowed=f"generated: {_DRAWS}")
    each = read_rule(section.raw("each"), section, "each") if "each" in section else None
    if each is not None and not (isinstance(each, Flow) and EACH in each.path):
        raise section.error("each", "is not a list of an earlier answer", allowed=f"from: a path with {EACH}")
    rivals = section.converted("or_times", _things)
    name, times = section.value("repeat", str), section.convert("times", _things)
    repeat = Repeat(name, times, _steps(section), drawn, rivals, each)
    section.finish()
    return repeat


def _call(section: Section) -> CallTemplate:
    arguments = section.section("arguments")
    rules = {path: read_rule(arguments.raw(path), arguments, path) for path in arguments.names()}
    poll = None
    if "poll" in section:
        below = section.section("poll")
        every_s = below.value("every_s", float, 0.4, within=_SECONDS)
        poll = Poll(below.value("path", str), below.convert("until", scalar), every_s)
        below.finish()
    callee = section.raw("callee")
    call = CallTemplate(
        id=section.value("id", str),
        protocol=section.value("protocol", str),
        method=section.value("call", str),
        arguments=rules,
        timing=yaml_timing.read_timing(section),
        poll=poll,
        fails=section.optional("fails", str),
        service=section.optional("service", str) or "",
        callee=None if callee is None else read_rule(callee, section, "callee"),
        after=_wait(section.section("after")) if "after" in section else None,
        confirmed_by=section.optional("confirmed_by", str),
        awaits=yaml_timing.read_awaited(section.section("awaits")) if "awaits" in section else None,
    )
    section.finish()
    return call


def _wait(section: Section) -> Wait:
    texts = [section.value(name, str) for name in ("argument", "method", "made", "node_type")]
    up = section.value("up", int, within=(0, 100))
    section.finish()
    return Wait(texts[0], up, *texts[1:])


def _periodic(section: Section) -> Periodic:
    every_s = section.value("every_s", float, within=(_SHORTEST_S, yaml_timing.LONGEST_S))
    jitter_s = section.value("jitter_s", float, 0.0, within=_SECONDS)
    opened_by, closed_by = (tuple(map(str, section.items(name))) for name in ("opened_by", "closed_by"))
    pause_s = section.value("pause_s", float, within=_SECONDS) if "pause_s" in section else None
    return Periodic(_call(section), every_s, jitter_s, opened_by, closed_by, pause_s)


def _effect(section: Section) -> Effect:
    cause = section.value("cause", str)
    cause_type = section.value("cause_type", str, cause.rpartition(".")[0])
    each, owner, owner_fact = (section.optional(name, str) for name in ("each", "owner", "owner_fact"))
    actor = section.value("actor", Actor, Actor.SELF)
    share = section.value("share", float, 1.0, within=(0, 1))
    following = section.value("following", int, 0, within=(0, _MOST_FOLLOWING))
    carried_by = section.optional("carried_by", str)
    call = _call(section)
    return Effect(call, cause, cause_type, each, actor, owner, owner_fact, share, following, carried_by)


def _things(text: Any) -> Count:
    """A number of nodes or iterations; one that does not follow the Scale is not below zero."""
    count = Count.parse(text)
    if not count.variables and count.intercept < 0:
        raise InputError("is no number of things", found=text, allowed="0 or more")
    return count


def _question(section: Section) -> Question:
    candidates = section.items("candidates")
    question = Question(
        id=section.value("id", str),
        text=section.value("text", str),
        node_type=section.value("node_type", str),
        call=section.optional("call", str),
        path=section.optional("path", str),
        examples=section.converted("examples", scalar),
        candidates=tuple(read_rule(item, section, "candidates") for item in candidates),
        answered=section.value("answered", bool, False),
    )
    section.finish()
    return question


def _finding(section: Section) -> Finding:
    finding = Finding(
        what=section.value("what", str),
        fatal=section.value("fatal", bool, False),
        node_type=section.optional("node_type", str),
        variable=section.optional("variable", str),
    )
    section.finish()
    return finding


def _check_references(root: Section, workload: Workload) -> None:
    """Every name that is referred to exists, so that a play cannot stumble over an edit."""
    names = {node_type.name for node_type in workload.node_types}
    every = Counter(call.id for node_type in workload.node_types for call in templates(node_type))
    for call_id, times in every.items():
        if times > 1 or call_id in names:
            message = "an id of a call stands more than once, or is the name of a node type"
            raise root.error("nodes", message, found=call_id)
    for node_type in workload.node_types:
        for problem, found, allowed in _dangling(node_type, names, set(every)):
            message = f"{node_type.name}: {problem}"
            raise root.error("nodes", message, found=found, allowed=sorted(allowed))


def _dangling_starts(node_type: NodeType, names: set[str]) -> Iterator[tuple[str, object, set[str]]]:
    for start in (node_type.start, node_type.or_start):
        if start is not None and start.after not in {None, *names}:
            yield "starts after a node type that is not there", start.after, names
        if start is not None and start.follows not in {None, *names}:
            yield "runs in turn with a node type that is not there", start.follows, names


def _dangling(node_type: NodeType, names: set[str], ids: set[str]) -> Iterator[tuple[str, object, set[str]]]:
    """References of a node type to what is not there: what is wrong, the name that was found, what is there."""
    yield from _dangling_starts(node_type, names)
    for effect in node_type.effects:
        if effect.cause not in ids:
            yield f"effect {effect.call.id} has a cause that is not there", effect.cause, ids
        if effect.cause_type not in names:
            problem = f"effect {effect.call.id} has a cause of a node type that is not there"
            yield problem, effect.cause_type, names
    for periodic in node_type.periodic:
        for name in {*periodic.opened_by, *periodic.closed_by} - ids:
            yield f"{periodic.call.id} is opened or closed by a call that is not there", name, ids
    yield from _waiting_in_vain(node_type, names)
    yield from _without_list(node_type)
    if node_type.container is not None and node_type.container.of not in names:
        yield "its container is of a node type that is not there", node_type.container.of, names
    for flow in (flow for rule in rules(node_type) for flow in flows(rule)):
        if flow.call not in ids:
            yield "a value flows from a call that is not there", flow.call, ids
        if flow.node_type not in {None, *names}:
            yield "a value flows from a node type that is not there", flow.node_type, names


def _without_list(node_type: NodeType) -> Iterator[tuple[str, object, set[str]]]:
    """Loops over a list that their node cannot have when it comes to them."""
    made: set[str] = set()

    def look(steps: Sequence[Step]) -> Iterator[tuple[str, object, set[str]]]:
        for step in steps:
            if not isinstance(step, Repeat):
                made.add(step.id)
                continue
            flow = step.each
            if flow is not None and (
                flow.call not in made or flow.side is not Side.RESPONSE or flow.node_type
            ):
                yield (
                    f"{step.id} goes through no list in an answer that its node has by then",
                    flow.call,
                    made,
                )
            elif flow is not None and (flow.element is not None or flow.plus or flow.part is not None):
                yield f"{step.id} goes through a whole list, not a part of it", flow.call, made
            yield from look(step.steps)

    yield from look(node_type.steps)


def _waiting_in_vain(node_type: NodeType, names: set[str]) -> Iterator[tuple[str, object, set[str]]]:
    for call in templates(node_type):
        if call.after is not None and call.after.node_type not in names:
            yield f"{call.id} waits for a node type that is not there", call.after.node_type, names
        if call.after is not None and call.after.argument not in call.arguments:
            yield f"{call.id} waits for what it does not name", call.after.argument, set(call.arguments)
        for name in set(() if call.awaits is None else call.awaits.ended) - names:
            yield f"{call.id} waits for the end of a node type that is not there", name, names
