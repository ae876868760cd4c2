"""A further run read by a workload that is already mined: whose calls are whose, and where each stands."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from froude.base.units import Quantity
from froude.mining.effects.aftereffects import trace_following
from froude.mining.effects.causes import Channel
from froude.mining.effects.relocation import Key, trace_back
from froude.mining.history.placement import Known, Placement, placement_of
from froude.mining.read.canonical import Token
from froude.mining.read.events import Recording
from froude.mining.read.jobs import application_of, applications_of
from froude.mining.read.knowledge import BATCHES, CLIENT, PATH, REPORTS, ROLES, SHELL
from froude.mining.read.lanes import put_in_order
from froude.mining.read.periodic import Period
from froude.mining.read.senders import Conventions, Sender, senders_of
from froude.mining.shape.labels import Reading, label, worded
from froude.mining.shape.segments import Item, Loop
from froude.mining.shape.structure import MinedType, Names, Occurrence, place
from froude.workload.rules import number_at
from froude.workload.scale import term_of
from froude.workload.types import (
    NODE,
    CallTemplate,
    Cases,
    Constant,
    Cycle,
    Effect,
    Flow,
    NodeType,
    Poll,
    Rule,
    Scalar,
    Scaled,
    Side,
    Step,
    Template,
    Unknown,
    Workload,
)
from froude.workload.types import (
    Counter as CounterRule,
)
from froude.workload.walk import calls, fold, parts, repeats, templates

_ORDINAL = re.compile(r"-\d+$")
_NO_RULES: Mapping[tuple[str, str], Rule] = {}
_NUMBER_RULES = 6
"""Arguments by which nodes are numbered; a few suffice."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A run as a workload sees it."""

    types: tuple[MinedType, ...]
    placement: Placement
    unmatched: tuple[Sender, ...]
    """Senders of a kind that the workload does not have."""


def match(workload: Workload, recording: Recording) -> Matched:
    """Read a run by a workload.

    Args:
        workload: what was mined, from other runs.
        recording: the run to read, decoded.

    Returns:
        Its calls by the workload's templates, and what fits nowhere.
    """
    tokens = {call.id: token_of(call) for node in workload.node_types for call in templates(node)}
    senders, _ = senders_of([recording], _conventions(workload, tokens))
    channels = _channels(workload, tokens)
    relocations = trace_following(senders, trace_back(senders, channels), channels)
    put_in_order(senders, {role_name(node): node.in_any_order for node in workload.node_types})
    types = [_as_found(node, tokens) for node in workload.node_types]
    unmatched = _assign([s for s in senders if s.calls], types, workload, recording.scale)
    for mined in types:
        place(mined)
        _number(mined, workload.node_type(mined.name), recording.scale)
    beats = {(n.name, tokens[p.call.id]): p.call.id for n in workload.node_types for p in n.periodic}
    effects = {
        (n.name, tokens[e.call.id], e.cause, e.following): e.call.id
        for n in workload.node_types
        for e in n.effects
    }
    return Matched(tuple(types), placement_of(types, relocations, Known(beats, effects)), tuple(unmatched))


def role_name(node: NodeType) -> str:
    """The name of a node type's role: `map` of `map-2`, `shell` of the `put` of a shell, else `client`."""
    names = {role.name for role in ROLES}
    for name in (node.name, _ORDINAL.sub("", node.name)):
        if name in names:
            return name
    return SHELL.name if node.caller_context == Constant("CLI") else CLIENT.name


def token_of(call: CallTemplate) -> Token:
    """What a template's calls look like in a sequence; for an element of a batch, its kind too."""
    batch, report = BATCHES.get(call.method), REPORTS.get(call.method)
    kind = ""
    if report is not None:
        constants = {path: rule.value for path, rule in call.arguments.items() if isinstance(rule, Constant)}
        kind = report.kind_of(constants)
    if batch is not None:
        rule = call.arguments.get(f"{batch.outer}[0].{batch.inner}[0].{batch.kind}")
        kind = str(rule.value) if isinstance(rule, Constant) else ""
    return call.protocol, call.method, kind


def items_of(steps: Sequence[Step], tokens: Mapping[str, Token]) -> tuple[Item, ...]:
    """Steps as a pattern.

    Args:
        steps: of a node type.
        tokens: what the calls of each template look like, by its id.
    """

    def call(template: CallTemplate) -> Item:
        return tokens[template.id]

    return tuple(fold(steps, call, lambda _, body: Loop(tuple(body))))


def _conventions(workload: Workload, tokens: Mapping[str, Token]) -> Conventions:
    polls: dict[Token, Poll] = {}
    periods: dict[str, dict[Token, Period]] = defaultdict(dict)
    for node in workload.node_types:
        polls.update({tokens[call.id]: call.poll for call in templates(node) if call.poll is not None})
        for periodic in node.periodic:
            periods[role_name(node)][tokens[periodic.call.id]] = Period(
                periodic.every_s, periodic.jitter_s, periodic.pause_s
            )
    return Conventions(polls, dict(periods))


def _channels(workload: Workload, tokens: Mapping[str, Token]) -> dict[Key, list[Channel]]:
    channels: dict[Key, dict[Channel, None]] = defaultdict(dict)
    for node in workload.node_types:
        for effect in node.effects:
            channels[role_name(node), tokens[effect.call.id]][channel_of(effect, tokens)] = None
    return {key: list(listed) for key, listed in channels.items()}


def channel_of(effect: Effect, tokens: Mapping[str, Token]) -> Channel:
    """The way from cause to acting node that an effect describes.

    Args:
        tokens: what each call template of the workload is seen as, by its id.
    """
    return Channel(
        tokens[effect.cause],
        effect.actor,
        effect.each or "",
        effect.owner or "",
        effect.owner_fact or "",
        effect.following,
    )


def _as_found(node: NodeType, tokens: Mapping[str, Token]) -> MinedType:
    role = next((role for role in ROLES if role.name == role_name(node)), ROLES[-1])
    names = Names(
        tuple(call.id for call in calls(node.steps)), tuple(segment.id for segment in repeats(node.steps))
    )
    return MinedType(
        node.name, role, [], items_of(node.steps, {**tokens, **_labelled(node, tokens)}), names=names
    )


def _labelled(node: NodeType, tokens: Mapping[str, Token]) -> dict[str, Token]:
    """Tokens with labels, of the steps whose methods are called about paths of several wordings."""
    arguments = {(call.id, path): rule for call in calls(node.steps) for path, rule in call.arguments.items()}
    wordings: dict[Token, dict[str, str]] = defaultdict(dict)
    for call in calls(node.steps):
        if PATH in call.arguments:
            wordings[tokens[call.id]][call.id] = _wording(call.arguments[PATH], arguments)
    return {
        call: (*token[:2], label(wording))
        for token, each in wordings.items()
        if len(set(each.values())) > 1 and not any(wording.startswith(".*") for wording in each.values())
        for call, wording in each.items()
    }


def _assign(
    senders: Sequence[Sender], types: Sequence[MinedType], workload: Workload, scale: Mapping[str, Quantity]
) -> list[Sender]:
    """Give each sender to the type by which it parses best, of its job's first; of equals to the first not full."""
    unmatched: list[Sender] = []
    readings = {mined.name: Reading(mined.pattern) for mined in types}
    nodes = {node.name: node for node in workload.node_types}
    wanted = {node.name: node.count.whole_at(scale) for node in workload.node_types}
    filled: Counter[str] = Counter()
    masters: dict[int, set[str]] = defaultdict(set)
    """By application: the types that its master may be of, one once it is known."""
    for sender in senders:
        choices = [mined for mined in types if role_name(nodes[mined.name]) == sender.role.name]
        if not choices:
            unmatched.append(sender)
            continue
        application = application_of(sender)
        of_job = [mined for mined in choices if _is_of(masters[application or 0], nodes[mined.name])]
        ranks = {}
        for mined in of_job or choices:
            parse = readings[mined.name].parse(sender)
            cost = float("inf") if parse is None else parse.cost // 1
            ranks[mined.name] = -cost, _alike(sender, nodes[mined.name])
        best = [mined for mined in choices if ranks.get(mined.name) == max(ranks.values())]
        chosen = next((mined for mined in best if filled[mined.name] < wanted[mined.name]), best[0])
        filled[chosen.name] += 1
        chosen.senders.append(sender)
        if application is not None and chosen.name in masters[application]:
            masters[application] = {chosen.name}
        submitted = applications_of(sender)
        started = [n.name for n in nodes.values() if n.container and n.container.of == chosen.name]
        for at, number in enumerate(submitted):
            masters[number] = {started[at]} if len(started) == len(submitted) else set(started)
    return unmatched


def _is_of(masters: Collection[str], node: NodeType) -> bool:
    """Whether a type's nodes are masters of an application, or its tasks."""
    if node.container is None:
        return not masters
    return (node.name if node.container.priority is None else node.container.of) in masters


def _alike(sender: Sender, node: NodeType) -> int:
    """How many of the names in a sender's first calls are worded as a type's are, whatever their numbers."""
    first: dict[str, Mapping[str, Scalar]] = {}
    for call in sender.own:
        first.setdefault(call.token[1], call.request)
    templates_of: dict[str, CallTemplate] = {}
    for template in calls(node.steps):
        templates_of.setdefault(template.method, template)
    return sum(
        re.fullmatch(_wording(rule), value) is not None
        for method, request in first.items()
        if method in templates_of
        for path, rule in templates_of[method].arguments.items()
        if isinstance(value := request.get(path), str)
    )


def _wording(rule: Rule, arguments: Mapping[tuple[str, str], Rule] = _NO_RULES) -> str:
    """A regular expression of what a rule gives at any place.

    Args:
        arguments: rules by call and leaf, where flows from requests are followed.
    """

    def wording(part: Rule) -> str:
        return _wording(part, arguments)

    match rule:
        case Constant(str(text)):
            return re.escape(text)
        case CounterRule() | Scaled():
            return "[0-9a-z]+"
        case Cycle(values, _):
            return f"(?:{'|'.join(re.escape(str(value)) for value in values)})"
        case Cases():
            return f"(?:{'|'.join(map(wording, parts(rule)))})"
        case Template():
            return "".join(re.escape(part) if isinstance(part, str) else wording(part) for part in rule.parts)
        case Flow(call, Side.REQUEST, path, part=None) if (call, path) in arguments:
            rest = {place: each for place, each in arguments.items() if place != (call, path)}
            return _wording(arguments[call, path], rest)
        case Unknown(examples) if examples and all(isinstance(each, str) for each in examples):
            return f"(?:{'|'.join(dict.fromkeys(worded(str(each)) for each in examples))})"
        case _:
            return ".*"


# --- numbers of nodes -------------------------------------------------------------------------------------


def _number(mined: MinedType, node: NodeType, scale: Mapping[str, Quantity]) -> None:
    """Order the senders so that the arguments that count nodes come out right."""
    if len(mined.senders) < 2:
        return
    telling = [
        (c.id, path, rule) for c in calls(node.steps) for path, rule in c.arguments.items() if _counts(rule)
    ]
    if not telling:
        return
    first: dict[tuple[int, str], Occurrence] = {}
    for occurrence in mined.occurrences:
        first.setdefault((id(occurrence.sender), occurrence.template), occurrence)
    free = list(range(len(mined.senders)))
    order: dict[int, int] = {}
    for sender in mined.senders:
        scores = {n: _score(n, sender, telling[:_NUMBER_RULES], first, scale) for n in free}
        best = max(free, key=lambda n: (scores[n], -n))
        if scores[best]:
            order[id(sender)] = best
            free.remove(best)
    rest = iter(free)
    mined.senders.sort(key=lambda sender: order[id(sender)] if id(sender) in order else next(rest))
    place(mined)


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
        occurrence = first.get((id(sender), template))
        if occurrence is not None and path in occurrence.call.request:
            pattern = _pattern(rule, {NODE: number, **occurrence.indices}, scale)
            score += re.fullmatch(pattern, str(occurrence.call.request[path])) is not None
    return score


def _pattern(rule: Rule, indices: Mapping[str, int], scale: Mapping[str, Quantity]) -> str:
    """A regular expression of what a rule gives, as far as indices decide it."""
    match rule:
        case CounterRule():
            return re.escape(rule.digits(number_at(rule, lambda name: indices.get(name, 0), scale)))
        case Cycle(values, counter):
            return re.escape(
                str(values[number_at(counter, lambda name: indices.get(name, 0), scale) % len(values)])
            )
        case Template(parts):
            return "".join(
                re.escape(part) if isinstance(part, str) else _pattern(part, indices, scale) for part in parts
            )
        case _:
            return ".*"


def _counts(rule: Rule) -> bool:
    """Whether a rule counts nodes."""
    match rule:
        case CounterRule():
            return any(term_of(name).names[-1] == NODE for name in rule.steps)
        case Template():
            return any(_counts(part) for part in parts(rule))
        case _:
            return False
