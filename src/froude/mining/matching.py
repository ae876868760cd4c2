"""A further run read by a workload that is already mined: whose calls are whose, and where each stands."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from froude.base.units import Quantity
from froude.mining.assembly import Assembly, Known, assemble
from froude.mining.canonical import Token
from froude.mining.events import Recording
from froude.mining.knowledge import BATCHES, ROLES
from froude.mining.parse import Automaton
from froude.mining.periodic import Period
from froude.mining.relocation import Channel, Key, trace_back
from froude.mining.segments import Item, Loop
from froude.mining.senders import Conventions, Sender, senders_of
from froude.mining.structure import Names, Occurrence, TypeFound, place
from froude.workload.types import (
    NODE,
    CallTemplate,
    Constant,
    Effect,
    NodeType,
    Poll,
    Repeat,
    Rule,
    Step,
    Template,
    Workload,
)
from froude.workload.types import (
    Counter as CounterRule,
)

_ORDINAL = re.compile(r"-\d+$")
_NUMBER_RULES = 6
"""Arguments by which nodes are numbered; a few suffice."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A run as a workload sees it."""

    types: tuple[TypeFound, ...]
    assembly: Assembly
    strangers: tuple[Sender, ...]
    """Senders of a kind that the workload does not have."""


def match(workload: Workload, recording: Recording) -> Matched:
    """Read a run by a workload."""
    tokens = {call.id: token_of(call) for node in workload.node_types for call in node.templates()}
    senders, _ = senders_of([recording], _conventions(workload, tokens))
    relocations = trace_back(senders, _channels(workload, tokens))
    types = [_as_found(node, tokens) for node in workload.node_types]
    strangers = _assign([s for s in senders if s.calls], types, workload, recording.scale)
    for found in types:
        place(found)
        _number(found, workload.node_type(found.name), recording.scale)
    beats = {(n.name, tokens[p.call.id]): p.call.id for n in workload.node_types for p in n.periodic}
    effects = {
        (n.name, tokens[e.call.id], e.cause): e.call.id for n in workload.node_types for e in n.effects
    }
    return Matched(tuple(types), assemble(types, relocations, Known(beats, effects)), tuple(strangers))


def role_name(node: NodeType) -> str:
    """The role's name in a node type's: `shell` of `shell-2`."""
    known = {role.name for role in ROLES} | {"client"}
    return node.name if node.name in known else _ORDINAL.sub("", node.name)


def token_of(call: CallTemplate) -> Token:
    """What a template's calls look like in a sequence; for an element of a batch, its kind too."""
    batch = BATCHES.get(call.method)
    kind = ""
    if batch is not None:
        rule = call.arguments.get(f"{batch.outer}[0].{batch.inner}[0].{batch.kind}")
        kind = str(rule.value) if isinstance(rule, Constant) else ""
    return call.protocol, call.method, kind


def items_of(steps: Sequence[Step], tokens: Mapping[str, Token]) -> tuple[Item, ...]:
    """Steps as a pattern."""
    return tuple(
        Loop(items_of(step.steps, tokens)) if isinstance(step, Repeat) else tokens[step.id] for step in steps
    )


def _conventions(workload: Workload, tokens: Mapping[str, Token]) -> Conventions:
    polls: dict[Token, Poll] = {}
    periods: dict[str, dict[Token, Period]] = defaultdict(dict)
    for node in workload.node_types:
        polls.update({tokens[call.id]: call.poll for call in node.templates() if call.poll is not None})
        for periodic in node.periodic:
            periods[role_name(node)][tokens[periodic.call.id]] = Period(periodic.every_s, periodic.jitter_s)
    return Conventions(polls, dict(periods))


def _channels(workload: Workload, tokens: Mapping[str, Token]) -> dict[Key, list[Channel]]:
    channels: dict[Key, dict[Channel, None]] = defaultdict(dict)
    for node in workload.node_types:
        for effect in node.effects:
            channels[role_name(node), tokens[effect.call.id]][channel_of(effect, tokens)] = None
    return {key: list(found) for key, found in channels.items()}


def channel_of(effect: Effect, tokens: Mapping[str, Token]) -> Channel:
    """The way from cause to acting node that an effect describes."""
    own = effect.owner is None
    return Channel(tokens[effect.cause], own, effect.each or "", effect.owner or "", effect.owner_fact or "")


def _as_found(node: NodeType, tokens: Mapping[str, Token]) -> TypeFound:
    role = next((role for role in ROLES if role.name == role_name(node)), ROLES[-1])
    names = Names(tuple(call.id for call in _calls(node.steps)), tuple(_loop_ids(node.steps)))
    return TypeFound(node.name, role, [], items_of(node.steps, tokens), names=names)


def _calls(steps: Sequence[Step]) -> Iterator[CallTemplate]:
    for step in steps:
        if isinstance(step, Repeat):
            yield from _calls(step.steps)
        else:
            yield step


def _loop_ids(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, Repeat):
            yield step.id
            yield from _loop_ids(step.steps)


def _assign(
    senders: Sequence[Sender], types: Sequence[TypeFound], workload: Workload, scale: Mapping[str, Quantity]
) -> list[Sender]:
    """Give each sender to the type of its role by which it parses best; of equals to the first not full."""
    strangers: list[Sender] = []
    automata: dict[str, Automaton] = {found.name: found.automaton for found in types}
    wanted = {node.name: node.count.whole_at(scale) for node in workload.node_types}
    filled: Counter[str] = Counter()
    for sender in senders:
        choices = [t for t in types if role_name(workload.node_type(t.name)) == sender.role.name]
        costs = []
        for found in choices:
            automaton = automata[found.name]
            parse = automaton.parse(sender.tokens, exact=True) or automaton.parse(sender.tokens)
            costs.append(float("inf") if parse is None else parse.cost // 1)
        if not costs:
            strangers.append(sender)
            continue
        best = [found for found, cost in zip(choices, costs, strict=True) if cost == min(costs)]
        chosen = next((found for found in best if filled[found.name] < wanted[found.name]), best[0])
        filled[chosen.name] += 1
        chosen.senders.append(sender)
    return strangers


# --- numbers of nodes -------------------------------------------------------------------------------------


def _number(found: TypeFound, node: NodeType, scale: Mapping[str, Quantity]) -> None:
    """Order the senders so that the arguments that count nodes come out right."""
    if len(found.senders) < 2:
        return
    telling = [
        (c.id, path, rule) for c in _calls(node.steps) for path, rule in c.arguments.items() if _counts(rule)
    ]
    if not telling:
        return
    first: dict[tuple[int, str], Occurrence] = {}
    for one in found.occurrences:
        first.setdefault((id(one.sender), one.template), one)
    free = list(range(len(found.senders)))
    order: dict[int, int] = {}
    for sender in found.senders:
        scores = {n: _score(n, sender, telling[:_NUMBER_RULES], first, scale) for n in free}
        best = max(free, key=lambda n: (scores[n], -n))
        if scores[best]:
            order[id(sender)] = best
            free.remove(best)
    rest = iter(free)
    found.senders.sort(key=lambda sender: order[id(sender)] if id(sender) in order else next(rest))
    place(found)


def _score(
    number: int,
    sender: Sender,
    telling: Sequence[tuple[str, str, Rule]],
    first: Mapping[tuple[int, str], Occurrence],
    scale: Mapping[str, Quantity],
) -> int:
    """How many of the telling arguments a sender's first calls have as the node of that number would."""
    score = 0
    for template, path, rule in telling:
        one = first.get((id(sender), template))
        if one is not None and path in one.call.request:
            indices = {NODE: number, **one.indices}
            times = {f"{v}*{i}": round(q.value) * n for v, q in scale.items() for i, n in indices.items()}
            pattern = _pattern(rule, indices | times)
            score += re.fullmatch(pattern, str(one.call.request[path])) is not None
    return score


def _pattern(rule: Rule, indices: Mapping[str, int]) -> str:
    """A regular expression of what a rule gives, as far as indices decide it."""
    match rule:
        case CounterRule():
            total = rule.base + sum(step * indices.get(name, 0) for name, step in rule.steps.items())
            return re.escape(rule.digits(total))
        case Template(parts):
            return "".join(
                re.escape(part) if isinstance(part, str) else _pattern(part, indices) for part in parts
            )
        case _:
            return ".*"


def _counts(rule: Rule) -> bool:
    """Whether a rule counts nodes."""
    match rule:
        case CounterRule():
            return any(name.rpartition("*")[2] == NODE for name in rule.steps)
        case Template(parts):
            return any(_counts(part) for part in parts if not isinstance(part, str))
        case _:
            return False
