"""Every call of every type at its place: steps, periodic calls and effects under their templates' ids."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from froude.messages.rows import EMPTY
from froude.mining.effects.causes import Channel, is_report
from froude.mining.effects.relocation import Relocation
from froude.mining.history.timeline import Timeline
from froude.mining.read.canonical import Logical, Token
from froude.mining.read.elements import elements_of
from froude.mining.shape.structure import MinedType, Occurrence
from froude.workload.types import Actor


@dataclass(slots=True)
class MinedEffect:
    """Effects of one kind, of one causing template."""

    template: str
    token: Token
    channel: Channel
    cause: str
    """Template of the causing calls."""
    cause_type: str
    occurrences: list[Occurrence] = field(default_factory=list)
    share: float = 1.0
    """Of the causing calls' elements that name a known node."""
    like: list[Occurrence] = field(default_factory=list)
    """Of a report that was seen of other causes alone: those of theirs."""


@dataclass(slots=True)
class Placement:
    """All occurrences, by what they are of."""

    steps: dict[str, list[Occurrence]]
    """By template id; so are the others."""
    periodic: dict[str, list[Occurrence]]
    effects: dict[str, list[MinedEffect]]
    """By node type."""
    timeline: Timeline
    lost: Counter[str]
    """Effects by node type whose cause has no place in any pattern."""
    causes_of_lost: list[tuple[Logical, Logical]]
    """Of each of them the call, and its cause."""

    def all(self) -> list[Occurrence]:
        """Every occurrence."""
        own = [
            occurrence for listed in (*self.steps.values(), *self.periodic.values()) for occurrence in listed
        ]
        return own + [
            occurrence
            for effects in self.effects.values()
            for effect in effects
            for occurrence in effect.occurrences
        ]


@dataclass(frozen=True, slots=True)
class Known:
    """Ids of the templates of a workload that is already mined."""

    beats: Mapping[tuple[str, Token], str]
    """Periodic calls, by node type and token."""
    effects: Mapping[tuple[str, Token, str, int], str]
    """Effects, by node type, token, cause template, and which of those that follow others."""


def placement_of(
    types: Sequence[MinedType],
    relocations: Mapping[tuple[str, Token], Sequence[Relocation]],
    known: Known | None = None,
) -> Placement:
    """Put every call at its place.

    Args:
        relocations: effects by role and token.
        known: ids of templates, for a workload that is already mined.
    """
    steps: dict[str, list[Occurrence]] = defaultdict(list)
    for mined in types:
        for occurrence in mined.occurrences:
            steps[occurrence.template].append(occurrence)
    periodic = _beats(types, known.beats if known else beat_names(types))
    placed: dict[int, tuple[Occurrence, str]] = {}
    for mined in types:
        own_senders = {id(sender) for sender in mined.senders}
        beats = [
            occurrence
            for listed in periodic.values()
            for occurrence in listed
            if id(occurrence.sender) in own_senders
        ]
        placed.update(
            {id(occurrence.call): (occurrence, mined.name) for occurrence in [*mined.occurrences, *beats]}
        )
    effects, lost, causes = _effects(types, relocations, placed, known.effects if known else None)
    everything = [occurrence for listed in (*steps.values(), *periodic.values()) for occurrence in listed]
    everything += [
        occurrence for mined in effects.values() for effect in mined for occurrence in effect.occurrences
    ]
    return Placement(dict(steps), periodic, effects, Timeline(everything), lost, causes)


def beat_names(types: Sequence[MinedType]) -> dict[tuple[str, Token], str]:
    """Template ids of periodic calls, by node type and token."""
    names = {}
    for mined in types:
        tokens = sorted({call.token for sender in mined.senders for call in sender.periodic})
        for number, token in enumerate(tokens, 1):
            names[mined.name, token] = f"{mined.name}.p{number}"
    return names


def _beats(types: Sequence[MinedType], names: Mapping[tuple[str, Token], str]) -> dict[str, list[Occurrence]]:
    by_template: dict[str, list[Occurrence]] = defaultdict(list)
    for mined in types:
        for node, sender in mined.numbered():
            beats: Counter[str] = Counter()
            for call in sender.periodic:
                name = names.get((mined.name, call.token))
                if name is None:
                    continue
                by_template[name].append(
                    Occurrence(sender.run, node, sender, name, call, {name: beats[name]})
                )
                beats[name] += 1
    return dict(by_template)


def _effects(
    types: Sequence[MinedType],
    relocations: Mapping[tuple[str, Token], Sequence[Relocation]],
    placed: dict[int, tuple[Occurrence, str]],
    known: Mapping[tuple[str, Token, str, int], str] | None,
) -> tuple[dict[str, list[MinedEffect]], Counter[str], list[tuple[Logical, Logical]]]:
    home = {
        id(sender): (listed_relocations.name, node)
        for listed_relocations in types
        for node, sender in listed_relocations.numbered()
    }
    by_key: dict[tuple[str, Token, str, int], MinedEffect] = {}
    numbers: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    causes_of_lost = []
    listed = [
        (token, occurrence)
        for (_, token), listed_relocations in sorted(relocations.items(), key=lambda item: item[0])
        for occurrence in listed_relocations
    ]
    loops: dict[tuple[str, int], tuple[Mapping[str, int], Mapping[str, bool]]] = {}
    for token, relocation in _causes_first(listed):
        for caused in sorted(relocation.caused, key=lambda c: (c.sender.run, c.call.order)):
            name, node = home.get(id(caused.sender), ("", 0))
            cause, cause_type = placed.get(id(caused.cause), (None, ""))
            key = (name, token, cause.template if cause else "", relocation.channel.following)
            if not name or cause is None or (known is not None and key not in known):
                lost[name] += 1
                causes_of_lost.append((caused.call, caused.cause))
                continue
            if key not in by_key:
                numbers[name] += 1
                template = known[key] if known is not None else f"{name}.e{numbers[name]}"
                by_key[key] = MinedEffect(template, token, relocation.channel, cause.template, cause_type)
            prefix = "" if cause_type == name else f"{cause_type}."
            occurrence = Occurrence(
                caused.sender.run,
                node,
                caused.sender,
                by_key[key].template,
                caused.call,
                *_loops_of(cause, prefix, loops),
                cause,
                caused.index,
                relocation.channel.each,
            )
            by_key[key].occurrences.append(occurrence)
            placed[id(caused.call)] = (occurrence, name)
    if known is None:
        _complete_reports(by_key, numbers)
    by_type: dict[str, list[MinedEffect]] = defaultdict(list)
    causes: dict[str, list[Occurrence]] = {effect.cause: [] for effect in by_key.values()}
    for occurrence, _ in placed.values():
        if occurrence.template in causes:
            causes[occurrence.template].append(occurrence)
    for (name, *_), effect in by_key.items():
        callee = effect.channel.actor is Actor.CALLEE
        shapes = Counter(
            (each.call.request if callee else each.call.response or EMPTY).shape
            for each in causes[effect.cause]
        )
        elements = sum(
            number * len(elements_of(shape.places, effect.channel.each)) for shape, number in shapes.items()
        )
        # Of a report never seen of this cause half as much as if it had been seen once.
        seen = len(effect.occurrences) or 0.5
        effect.share = round(min(1.0, seen / elements), 3) if elements else 1.0
        by_type[name].append(effect)
    return dict(by_type), lost, causes_of_lost


def _loops_of(
    cause: Occurrence, prefix: str, known: dict[tuple[str, int], tuple[Mapping[str, int], Mapping[str, bool]]]
) -> tuple[Mapping[str, int], Mapping[str, bool]]:
    """The loops of a cause as those of its effects, which share them as causes do."""
    key = (prefix, id(cause.indices))
    if key not in known:
        known[key] = (
            {prefix + loop: number for loop, number in cause.indices.items()},
            {prefix + loop: last for loop, last in cause.last.items()},
        )
    return known[key]


def _complete_reports(by_key: dict[tuple[str, Token, str, int], MinedEffect], numbers: Counter[str]) -> None:
    """Give each cause the kinds of reports that others of its role have: which states are seen is a matter of time."""
    groups: dict[tuple[object, ...], list[tuple[str, MinedEffect]]] = defaultdict(list)
    for (name, token, *_), effect in by_key.items():
        if is_report(token):
            cause = effect.occurrences[0].cause
            role = cause.sender.role.name if cause is not None else ""
            groups[name, token[:2], role, effect.channel].append((name, effect))
    for listed in groups.values():
        kinds = {effect.token: effect for _, effect in listed}
        causes = {(effect.cause, effect.cause_type): name for name, effect in listed}
        for (cause_id, cause_type), name in causes.items():
            for token, seen in sorted(kinds.items()):
                key = (name, token, cause_id, 0)
                if key not in by_key:
                    numbers[name] += 1
                    template = f"{name}.e{numbers[name]}"
                    by_key[key] = MinedEffect(
                        template, token, seen.channel, cause_id, cause_type, like=seen.occurrences
                    )


def _causes_first(listed: Sequence[tuple[Token, Relocation]]) -> Iterator[tuple[Token, Relocation]]:
    """Relocations in an order in which a cause that is itself an effect comes before what it causes."""
    waiting = list(listed)
    while waiting:
        open_ = {id(caused.call) for _, relocation in waiting for caused in relocation.caused}
        free = [each for each in waiting if not any(id(caused.cause) in open_ for caused in each[1].caused)]
        yield from free or waiting
        waiting = [each for each in waiting if each not in free] if free else []
