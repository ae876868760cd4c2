"""Several workloads as one, whose jobs run in parallel.

Daemons, such as DataNodes, are the same for all jobs. Everything else belongs to one job: the name of each node type,
call and Scale variable begins with the name of its workload, as in `upload_client` and `upload_files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, zip_longest

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
    """One of the workloads."""

    name: str
    workload: Workload
    own: Mapping[str, tuple[CallTemplate, ...]]
    """By daemon the calls that it makes for no job: its steps, its periodic calls, and effects of these."""

    @classmethod
    def of(cls, name: str, workload: Workload) -> _Part:
        # The calls of a ResourceManager to NodeManagers are those of its jobs.
        daemons = [each for each in workload.node_types if each.program not in {SCRIPTED, LAUNCHER}]
        own = {call.id for each in daemons for call in calls(each.steps)}
        own |= {periodic.call.id for each in daemons for periodic in each.periodic}
        effects = [effect for each in daemons for effect in each.effects]
        while more := {effect.call.id for effect in effects if effect.cause in own} - own:
            own |= more
        by_daemon = {each.name: tuple(call for call in templates(each) if call.id in own) for each in daemons}
        return cls(name, workload, by_daemon)


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
    parts = [_Part.of(name, workload) for name, workload in workloads.items()]
    _check(parts)
    homes: dict[str, _Part] = {}
    for part in parts:
        for daemon in part.own:
            _check_same(daemon, homes.setdefault(daemon, part), part)
    shared = {
        name for daemon, home in homes.items() for name in home.workload.node_type(daemon).count.variables
    }
    mixed = {part.name: renamed(part.workload, _names(part, homes, shared)) for part in parts}
    findings = (
        replace(each, what=f"{name}: {each.what}") for name, one in mixed.items() for each in one.findings
    )
    jobs = [each for one in mixed.values() for each in one.node_types if each.name not in homes]
    return Workload(
        (*(_joined(daemon, home, mixed) for daemon, home in homes.items()), *jobs),
        _recorded([one.recorded for one in mixed.values()]),
        tuple(each for part in parts for each in _questions(part, mixed[part.name], homes)),
        (*findings, *_remarks(parts, homes)),
    )


# --- what can be mixed ------------------------------------------------------------------------------------


def _check(parts: Sequence[_Part]) -> None:
    """Refuse names of another form, and workloads of several releases or with daemons under other names."""
    if len(parts) < 2:
        raise InputError("a mixture is of two workloads or more", found=len(parts))
    for part in parts:
        if not _NAME.fullmatch(part.name):
            allowed = "letters and digits; a hyphen before a letter"
            raise InputError("cannot name a workload in a mixture", found=part.name, allowed=allowed)
    for one, other in combinations(parts, 2):
        first, second = one.workload.recorded.release, other.workload.recorded.release
        if first and second and first != second:
            raise _differ(f"the release of {other.name}", one, second, first)
        for program, names in _by_program(one).items():
            others = _by_program(other).get(program, names)
            if sorted(names) != sorted(others):
                what = f"the node types of {other.name} with the program {program}"
                raise _differ(what, one, ", ".join(others), ", ".join(names))


def _by_program(part: _Part) -> dict[str, list[str]]:
    """The names of its daemons by program."""
    named: dict[str, list[str]] = {}
    for name in part.own:
        named.setdefault(part.workload.node_type(name).program, []).append(name)
    return named


def _check_same(name: str, home: _Part, part: _Part) -> None:
    """Refuse a daemon that is not the same in two workloads, up to times and to the values of its arguments."""
    known, daemon = home.workload.node_type(name), part.workload.node_type(name)
    if known.count != daemon.count:
        raise _differ(f"the number of {name} nodes in {part.name}", home, daemon.count, known.count)
    if len(known.periodic) != len(daemon.periodic):
        beats = (", ".join(each.call.method for each in one.periodic) or "none" for one in (daemon, known))
        raise _differ(f"the periodic calls of {name} in {part.name}", home, *beats)
    for number, pair in enumerate(zip_longest(part.own[name], home.own[name]), 1):
        found, wanted = map(_shape, pair)
        if found != wanted:
            shown = (_shown(found, wanted), _shown(wanted, found))
            raise _differ(f"call {number} of {name} in {part.name}", home, *shown)
    for periodic, other in zip(daemon.periodic, known.periodic, strict=True):
        if abs(periodic.every_s - other.every_s) > _PERIODS_APART * max(periodic.every_s, other.every_s):
            what = f"the period of {periodic.call.method} of {name} in {part.name}"
            raise _differ(what, home, f"{periodic.every_s:g} s", f"{other.every_s:g} s")


def _shape(call: CallTemplate | None) -> tuple[str, ...]:
    """What a call is, without the values of its arguments."""
    return () if call is None else (call.method, call.protocol, call.service, *sorted(call.arguments))


def _shown(shape: tuple[str, ...], other: tuple[str, ...]) -> str:
    """A call by its method, and by what the other one does not have."""
    return ", ".join((*shape[:1], *(each for each in shape[1:] if each not in other))) or "no call"


def _differ(what: str, home: _Part, found: object, expected: object) -> InputError:
    shared = "Daemons serve all jobs of a mixture"
    remedy = (
        f"{shared}: record these on clusters of one release and configuration, by the same scale variable"
    )
    return InputError(f"is not as in {home.name}", place=what, found=found, allowed=expected, remedy=remedy)


# --- one workload of several ------------------------------------------------------------------------------


def _names(part: _Part, homes: Mapping[str, _Part], shared: set[str]) -> Names:
    """The names of one workload in the mixture; daemons and their own calls have those of their home."""
    node_types, prefix = part.workload.node_types, f"{part.name}_"
    types = {each.name: each.name if each.name in part.own else f"{prefix}{each.name}" for each in node_types}
    # An effect of a daemon has the daemon's name first, as all ids begin with that of their node type.
    places = {call.id: each.name for each in node_types for call in templates(each)}
    ids = {
        name: f"{daemon}.{prefix}{name.removeprefix(f'{daemon}.')}"
        if daemon in part.own
        else f"{prefix}{name}"
        for name, daemon in places.items()
    }
    for daemon, own in part.own.items():
        ids |= {call.id: known.id for call, known in zip(own, homes[daemon].own[daemon], strict=True)}
    variables = {name for scale in part.workload.recorded.scales for name in scale} - shared
    elsewhere = {
        f"{each.name}.{index}": f"{types[each.name]}.{ids.get(index, index)}"
        for each in node_types
        for index in indices(each)
    }
    return Names(types, ids, ids | elsewhere | {name: f"{prefix}{name}" for name in variables})


def _joined(name: str, home: _Part, mixed: Mapping[str, Workload]) -> NodeType:
    """A daemon with the effects of all jobs."""
    daemon, own = mixed[home.name].node_type(name), {call.id for call in home.own[name]}
    others = (one for part, one in mixed.items() if part != home.name)
    every = (
        effect for one in others for each in one.node_types if each.name == name for effect in each.effects
    )
    return replace(daemon, effects=(*daemon.effects, *(each for each in every if each.call.id not in own)))


def _recorded(parts: Sequence[Recorded]) -> Recorded:
    """What all were mined from; clusters and traces once each."""
    return Recorded(
        scales=tuple(scale for part in parts for scale in part.scales),
        source_ids=tuple(dict.fromkeys(name for part in parts for name in part.source_ids)),
        release=next((part.release for part in parts if part.release), ""),
        traces=tuple(dict.fromkeys(name for part in parts for name in part.traces)),
    )


def _questions(part: _Part, mixed: Workload, homes: Mapping[str, _Part]) -> Iterator[Question]:
    """The questions of one workload, without those about what daemons do as in another one."""
    for question in mixed.questions:
        home = homes.get(question.node_type, part)
        own = {None, *(call.id for call in home.own.get(question.node_type, ()))}
        if home is part or question.call not in own:
            yield question


def _remarks(parts: Sequence[_Part], homes: Mapping[str, _Part]) -> Iterator[Finding]:
    """What a user of the mixture should know: whose daemons are played, and which paths several jobs make."""
    for daemon, home in homes.items():
        if any(daemon in part.own for part in parts if part is not home):
            text = f"{daemon}: its own calls and periods are those of {home.name}"
            yield Finding(text, fatal=False, node_type=daemon)
    for one, other in combinations(parts, 2):
        made = (_made(one.workload), _made(other.workload))
        same = {
            begin
            for texts, others in (made, made[::-1])
            for text in texts
            for begin in accumulate(text)
            if begin in others
        }
        if same:
            shortest = min(same, key=lambda text: (len(text), text)).rstrip("/")
            both = f"{one.name} and {other.name} both make paths that begin with {shortest or '/'}"
            yield Finding(f"{both}: equal ones clash", fatal=False)


def _made(workload: Workload) -> set[str]:
    """How the paths begin that calls make, as far as that is text; a whole path ends with a slash."""
    made = [call for each in workload.node_types for call in templates(each) if call.method in MAKES]
    rules = [call.arguments[MAKES[call.method]] for call in made if MAKES[call.method] in call.arguments]
    every = [inner for rule in rules for inner in within(rule)]
    texts = {f"{rule.value}/" for rule in every if isinstance(rule, Constant) and isinstance(rule.value, str)}
    texts |= {
        part
        for rule in every
        if isinstance(rule, Template)
        for part in rule.parts[:1]
        if isinstance(part, str)
    }
    return {text for text in texts if text.startswith("/")}
