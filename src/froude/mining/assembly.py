"""Every call of every type at its place: steps, periodic calls and effects under their templates' ids."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from froude.mining.canonical import Token
from froude.mining.events import Leaves
from froude.mining.flows import Timeline
from froude.mining.relocation import Channel, Relocation
from froude.mining.structure import Occurrence, TypeFound


@dataclass(slots=True)
class EffectFound:
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


@dataclass(slots=True)
class Assembly:
    """All occurrences, by what they are of."""

    steps: dict[str, list[Occurrence]]
    """By template id; so are the others."""
    periodic: dict[str, list[Occurrence]]
    effects: dict[str, list[EffectFound]]
    """By node type."""
    timeline: Timeline
    lost: Counter[str]
    """Effects by node type whose cause has no place in any pattern."""

    def all(self) -> list[Occurrence]:
        """Every occurrence."""
        own = [one for listed in (*self.steps.values(), *self.periodic.values()) for one in listed]
        return own + [
            one for found in self.effects.values() for effect in found for one in effect.occurrences
        ]


@dataclass(frozen=True, slots=True)
class Known:
    """Ids of the templates of a workload that is already mined."""

    beats: Mapping[tuple[str, Token], str]
    """Periodic calls, by node type and token."""
    effects: Mapping[tuple[str, Token, str], str]
    """Effects, by node type, token and cause template."""


def assemble(
    types: Sequence[TypeFound],
    relocations: Mapping[tuple[str, Token], Sequence[Relocation]],
    known: Known | None = None,
) -> Assembly:
    """Put every call at its place.

    Args:
        types: with their steps placed.
        relocations: effects by role and token.
        known: ids of templates, for a workload that is already mined.
    """
    steps: dict[str, list[Occurrence]] = defaultdict(list)
    for found in types:
        for one in found.occurrences:
            steps[one.template].append(one)
    periodic = _beats(types, known.beats if known else beat_names(types))
    placed: dict[int, tuple[Occurrence, str]] = {}
    for found in types:
        mine = {id(sender) for sender in found.senders}
        beats = [one for listed in periodic.values() for one in listed if id(one.sender) in mine]
        placed.update({id(one.call): (one, found.name) for one in [*found.occurrences, *beats]})
    effects, lost = _effects(types, relocations, placed, known.effects if known else None)
    everything = [one for listed in (*steps.values(), *periodic.values()) for one in listed]
    everything += [one for found in effects.values() for effect in found for one in effect.occurrences]
    return Assembly(dict(steps), periodic, effects, Timeline(everything), lost)


def beat_names(types: Sequence[TypeFound]) -> dict[tuple[str, Token], str]:
    """Template ids of periodic calls, by node type and token."""
    names = {}
    for found in types:
        tokens = sorted({call.token for sender in found.senders for call in sender.periodic})
        for number, token in enumerate(tokens, 1):
            names[found.name, token] = f"{found.name}.p{number}"
    return names


def _beats(types: Sequence[TypeFound], names: Mapping[tuple[str, Token], str]) -> dict[str, list[Occurrence]]:
    made: dict[str, list[Occurrence]] = defaultdict(list)
    for found in types:
        for node, sender in found.numbered():
            beats: Counter[str] = Counter()
            for call in sender.periodic:
                name = names.get((found.name, call.token))
                if name is None:
                    continue
                made[name].append(Occurrence(sender.run, node, sender, name, call, {name: beats[name]}))
                beats[name] += 1
    return dict(made)


def _effects(
    types: Sequence[TypeFound],
    relocations: Mapping[tuple[str, Token], Sequence[Relocation]],
    placed: Mapping[int, tuple[Occurrence, str]],
    known: Mapping[tuple[str, Token, str], str] | None,
) -> tuple[dict[str, list[EffectFound]], Counter[str]]:
    home = {id(sender): (found.name, node) for found in types for node, sender in found.numbered()}
    made: dict[tuple[str, Token, str], EffectFound] = {}
    numbers: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    listed = [
        (token, one)
        for (_, token), found in sorted(relocations.items(), key=lambda item: item[0])
        for one in found
    ]
    for token, relocation in listed:
        for caused in sorted(relocation.caused, key=lambda c: (c.sender.run, c.call.order)):
            name, node = home.get(id(caused.sender), ("", 0))
            cause, cause_type = placed.get(id(caused.cause), (None, ""))
            key = (name, token, cause.template if cause else "")
            if not name or cause is None or (known is not None and key not in known):
                lost[name] += 1
                continue
            if key not in made:
                numbers[name] += 1
                template = known[key] if known is not None else f"{name}.e{numbers[name]}"
                made[key] = EffectFound(template, token, relocation.channel, cause.template, cause_type)
            made[key].occurrences.append(
                Occurrence(
                    caused.sender.run,
                    node,
                    caused.sender,
                    made[key].template,
                    caused.call,
                    dict(cause.indices),
                    dict(cause.last),
                    cause,
                    caused.index,
                )
            )
    by_type: dict[str, list[EffectFound]] = defaultdict(list)
    for (name, _, _), effect in made.items():
        causes = [one for one, _ in placed.values() if one.template == effect.cause]
        elements = sum(elements_of(one.call.response or {}, effect.channel.each) for one in causes)
        effect.share = round(min(1.0, len(effect.occurrences) / elements), 3) if elements else 1.0
        by_type[name].append(effect)
    return dict(by_type), lost


def elements_of(leaves: Leaves, field_path: str) -> int:
    """Number of elements of a repeated field."""
    prefix = field_path + "["
    return len({path[len(prefix) :].partition("]")[0] for path in leaves if path.startswith(prefix)})
