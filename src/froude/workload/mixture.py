"""Several workloads as one, whose jobs run in parallel.

Daemons, such as DataNodes, are the same for all jobs. Everything else belongs to one job: the name of each node type,
call and Scale variable begins with the name of its workload, as in `upload_client` and `upload_files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product, zip_longest

from froude.base.errors import InputError
from froude.workload.references import indices
from froude.workload.renaming import Names, renamed
from froude.workload.types import (
    LAUNCHER,
    MAKES,
    SCRIPTED,
    CallTemplate,
    Constant,
    Finding,
    NodeType,
    Question,
    Recorded,
    Rule,
    Template,
    Workload,
)
from froude.workload.walk import calls, templates, within

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z][A-Za-z0-9]*)*")
"""Of a workload: it begins names in formulas; an underscore would leave open where it ends."""
_PERIODS_APART = 0.1
"""Periods of one call differ by at most this share of the longer one."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the workloads, with the calls that its daemons make by themselves."""

    name: str
    workload: Workload
    own: Mapping[str, tuple[CallTemplate, ...]]
    """Calls by daemon: its steps, its periodic calls, and the effects of these; other effects belong to the job."""

    @classmethod
    def of(cls, name: str, workload: Workload) -> _Part:
        daemons = [each for each in workload.node_types if _is_daemon(each)]
        own = {call.id for each in daemons for call in _unprompted(each)}
        effects = [effect for each in daemons for effect in each.effects]
        while more := {effect.call.id for effect in effects if effect.cause in own} - own:
            own |= more
        return cls(
            name,
            workload,
            {each.name: tuple(call for call in templates(each) if call.id in own) for each in daemons},
        )


def mixture(workloads: Mapping[str, Workload]) -> Workload:
    """Several workloads as one, whose jobs run in parallel.

    Args:
        workloads: two or more, by the names that they get in the mixture: letters, digits, and hyphens before letters.

    Returns:
        A workload with the node types of each under its name, and with the daemons of all of them once: their own calls
        are those of the first workload that has them. Its recorded runs are those of each, which leave out the variables
        of the others.

    Raises:
        InputError: a name of another form, or releases or daemons that differ.
    """
    _check_names(workloads)
    parts = [_Part.of(name, workload) for name, workload in workloads.items()]
    homes: dict[str, _Part] = {}
    for part in parts:
        for daemon in part.own:
            _check_same(daemon, homes.setdefault(daemon, part), part)
    for one, other in combinations(parts, 2):
        _check_together(one, other)
    shared = {
        name for daemon, home in homes.items() for name in home.workload.node_type(daemon).count.variables
    }
    names = {part.name: _names(part, homes, shared) for part in parts}
    for daemon, home in homes.items():
        _check_alone(daemon, home, names[home.name])
    mixed = {part.name: renamed(part.workload, names[part.name]) for part in parts}
    jobs = [each for workload in mixed.values() for each in workload.node_types if not _is_daemon(each)]
    return Workload(
        (*(_joined(daemon, home, mixed) for daemon, home in homes.items()), *jobs),
        _recorded([workload.recorded for workload in mixed.values()]),
        tuple(question for part in parts for question in _questions(part, mixed[part.name], homes)),
        (
            *(
                replace(each, what=f"{name}: {each.what}")
                for name, one in mixed.items()
                for each in one.findings
            ),
            *_remarks(parts, homes),
        ),
    )


def _is_daemon(node_type: NodeType) -> bool:
    """Whether nodes of a type serve all jobs; the calls of a ResourceManager to NodeManagers are those of its jobs."""
    return node_type.program not in {SCRIPTED, LAUNCHER}


def _unprompted(daemon: NodeType) -> Iterator[CallTemplate]:
    yield from calls(daemon.steps)
    yield from (periodic.call for periodic in daemon.periodic)


# --- what can be mixed ------------------------------------------------------------------------------------


def _check_names(workloads: Mapping[str, Workload]) -> None:
    if len(workloads) < 2:
        raise InputError("a mixture is of two workloads or more", found=len(workloads))
    for name in workloads:
        if not _NAME.fullmatch(name):
            allowed = "letters and digits; a hyphen before a letter"
            raise InputError("cannot be the name of a workload in a mixture", found=name, allowed=allowed)


def _check_together(one: _Part, other: _Part) -> None:
    """Refuse two workloads of other releases, or whose daemons of one program have other names."""
    first, second = one.workload.recorded.release, other.workload.recorded.release
    if first and second and first != second:
        raise _differ(f"the release of {other.name}", one, second, first)
    programs, others = _programs(one.workload), _programs(other.workload)
    for program in programs.keys() & others.keys():
        if programs[program] != others[program]:
            names = [", ".join(sorted(each)) for each in (others[program], programs[program])]
            raise _differ(f"the node types of {other.name} with the program {program}", one, *names)


def _programs(workload: Workload) -> dict[str, set[str]]:
    """The names of the daemons of each program."""
    daemons = [each for each in workload.node_types if _is_daemon(each)]
    return {
        each.program: {other.name for other in daemons if other.program == each.program} for each in daemons
    }


def _check_same(name: str, home: _Part, part: _Part) -> None:
    """Refuse a daemon that is not the same in two workloads, up to times and to the values of its arguments."""
    known, daemon = home.workload.node_type(name), part.workload.node_type(name)
    if known.count != daemon.count:
        raise _differ(f"the number of {name} nodes in {part.name}", home, daemon.count, known.count)
    for number, (call, expected) in enumerate(zip_longest(part.own[name], home.own[name]), 1):
        found, wanted = _shape(call), _shape(expected)
        if found != wanted:
            shown = (_shown(found, wanted), _shown(wanted, found))
            raise _differ(f"call {number} of {name} in {part.name}", home, *shown)
    for periodic, other in zip(daemon.periodic, known.periodic, strict=True):
        if abs(periodic.every_s - other.every_s) > _PERIODS_APART * max(periodic.every_s, other.every_s):
            what = f"the period of {periodic.call.method} of {name} in {part.name}"
            raise _differ(what, home, f"{periodic.every_s:g} s", f"{other.every_s:g} s")


def _check_alone(name: str, home: _Part, names: Names) -> None:
    """Refuse a daemon that waits for nodes of a job, or takes values from their calls, without a call of theirs."""
    daemon = home.workload.node_type(name)
    own = {call.id for call in home.own[name]}
    alone = replace(daemon, effects=tuple(effect for effect in daemon.effects if effect.call.id in own))
    if renamed(alone, replace(names, indices={})) != alone:
        what = "depends on its job, and cannot serve another one"
        raise InputError(what, place=f"{name} in {home.name}", remedy="Edit its start rule and its flows")


def _shape(call: CallTemplate | None) -> tuple[str, ...]:
    """What a call is, without the values of its arguments."""
    return () if call is None else (call.method, call.protocol, call.service, *call.arguments)


def _shown(shape: tuple[str, ...], other: tuple[str, ...]) -> str:
    """A call by its method, and by what the other one does not have."""
    return ", ".join((*shape[:1], *(each for each in shape[1:] if each not in other))) or "no call"


def _differ(what: str, home: _Part, found: object, expected: object) -> InputError:
    remedy = "Daemons serve all jobs of a mixture: record both on clusters of one release and configuration"
    return InputError(f"is not as in {home.name}", place=what, found=found, allowed=expected, remedy=remedy)


# --- one workload of several ------------------------------------------------------------------------------


def _names(part: _Part, homes: Mapping[str, _Part], shared: set[str]) -> Names:
    """The names of one workload in the mixture; those of daemons and of their calls are as in their home."""
    node_types = part.workload.node_types
    types = {
        each.name: each.name if each.name in part.own else f"{part.name}_{each.name}" for each in node_types
    }
    ids = {call.id: _own_id(part, each, call.id) for each in node_types for call in templates(each)}
    for daemon, own in part.own.items():
        ids |= {call.id: known.id for call, known in zip(own, homes[daemon].own[daemon], strict=True)}
    variables = {name for scale in part.workload.recorded.scales for name in scale} - shared
    counted_by = {
        f"{each.name}.{index}": f"{types[each.name]}.{ids.get(index, index)}"
        for each in node_types
        for index in indices(each)
    }
    return Names(types, ids, ids | counted_by | {name: f"{part.name}_{name}" for name in variables})


def _own_id(part: _Part, node_type: NodeType, call_id: str) -> str:
    """The id of a job's call; that of an effect of a daemon still begins with the name of the daemon."""
    daemon = f"{node_type.name}."
    if node_type.name in part.own and call_id.startswith(daemon):
        return f"{daemon}{part.name}_{call_id.removeprefix(daemon)}"
    return f"{part.name}_{call_id}"


def _joined(name: str, home: _Part, mixed: Mapping[str, Workload]) -> NodeType:
    """A daemon with the effects of all jobs."""
    own = {call.id for call in home.own[name]}
    daemon = mixed[home.name].node_type(name)
    others = [one for part, one in mixed.items() if part != home.name]
    more = [
        effect
        for one in others
        for each in one.node_types
        if each.name == name
        for effect in each.effects
        if effect.call.id not in own
    ]
    return replace(daemon, effects=(*daemon.effects, *more))


def _recorded(parts: Sequence[Recorded]) -> Recorded:
    """What all were mined from; clusters and traces once each."""
    return Recorded(
        scales=tuple(scale for part in parts for scale in part.scales),
        source_ids=_distinct(name for part in parts for name in part.source_ids),
        release=next((part.release for part in parts if part.release), ""),
        traces=_distinct(name for part in parts for name in part.traces),
    )


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _questions(part: _Part, mixed: Workload, homes: Mapping[str, _Part]) -> Iterator[Question]:
    """The questions of one workload under its new names, without those about daemons that are as in another one."""
    for question, new in zip(part.workload.questions, mixed.questions, strict=True):
        own = {call.id for call in part.own.get(question.node_type, ())}
        about_daemon = question.node_type in part.own and (question.call is None or question.call in own)
        if not (about_daemon and homes[question.node_type] is not part):
            begun = {question.call: new.call, question.node_type: new.node_type}
            yield replace(new, id=_begun(question.id, begun, part), text=_begun(question.text, begun, part))


def _begun(text: str, names: Mapping[str | None, str | None], part: _Part) -> str:
    """A text that begins with a name of a call or a node type, with the new name."""
    for old, new in names.items():
        if old is not None and text.startswith(f"{old}:"):
            return f"{new}{text.removeprefix(old)}"
    return f"{part.name}_{text}"


def _remarks(parts: Sequence[_Part], homes: Mapping[str, _Part]) -> Iterator[Finding]:
    """What a user of the mixture should know: whose daemons are played, and which paths several jobs make."""
    for daemon, home in homes.items():
        if any(daemon in part.own for part in parts if part is not home):
            yield Finding(
                f"{daemon}: its own calls and periods are those of {home.name}", fatal=False, node_type=daemon
            )
    for one, other in combinations(parts, 2):
        pairs = product(_made(one.workload), _made(other.workload))
        shared = [
            min(pair, key=len) for pair in pairs if pair[0].startswith(pair[1]) or pair[1].startswith(pair[0])
        ]
        if shared:
            below = min(shared).rstrip("/") or "/"
            text = f"{one.name} and {other.name} both make paths that begin with {below}: equal paths would clash"
            yield Finding(text, fatal=False)


def _made(workload: Workload) -> set[str]:
    """How the paths begin that calls make, as far as that is text; a whole path ends with a slash."""
    every = [call for each in workload.node_types for call in templates(each) if call.method in MAKES]
    rules = [call.arguments[MAKES[call.method]] for call in every if MAKES[call.method] in call.arguments]
    texts = [_beginning(inner) for rule in rules for inner in within(rule)]
    return {text for text in texts if text.startswith("/")}


def _beginning(rule: Rule) -> str:
    if isinstance(rule, Constant) and isinstance(rule.value, str):
        return f"{rule.value}/"
    first = rule.parts[0] if isinstance(rule, Template) and rule.parts else ""
    return first if isinstance(first, str) else ""
