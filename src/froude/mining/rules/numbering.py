"""Numbers for the nodes of a type: by what they call themselves where they count, else by who came first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from froude.base.units import Quantity
from froude.messages.rows import Row
from froude.mining.fit.patterns import SLOT
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import MinedType, place

Scales = Sequence[Mapping[str, Quantity]]


def renumber(mined: MinedType, scales: Scales = ()) -> None:
    """Put the senders of a type into the order in which their arguments count, and place their calls anew.

    An argument counts where, in every run, one of its numbers takes each value from some base on exactly once
    over the nodes, with the same base in every run: `/job/client-0`, `/job/client-1`. It may count by a Scale
    variable, where numbers go on from node to node.
    """
    order = _counting(mined, scales)
    if order is None:
        return
    mined.senders.sort(key=lambda sender: (sender.run, order[id(sender)]))
    place(mined)


def _counting(mined: MinedType, scales: Scales) -> dict[int, int] | None:
    by_run: dict[int, list[Sender]] = defaultdict(list)
    for sender in mined.senders:
        by_run[sender.run].append(sender)
    if max((len(senders) for senders in by_run.values()), default=0) < 2:
        return None
    first: dict[str, dict[int, Row]] = defaultdict(dict)
    for occurrence in mined.occurrences:
        first[occurrence.template].setdefault(id(occurrence.sender), occurrence.call.request)
    for requests in first.values():
        if len(requests) < len(mined.senders):
            continue
        for path in next(iter(requests.values())):
            numbers = _numbers({who: request.get(path) for who, request in requests.items()})
            for slot in numbers:
                if _counts(slot, list(by_run.values()), scales):
                    return slot
    return None


def _numbers(values: dict[int, object]) -> list[dict[int, int]]:
    """Each slot of a text, or the whole of a number, by sender; nothing where the texts have unlike numbers of slots."""
    if all(type(value) is int for value in values.values()):
        return [{who: value for who, value in values.items() if isinstance(value, int)}]
    texts = {who: value for who, value in values.items() if isinstance(value, str)}
    if len(texts) < len(values):
        return []
    pieces = {who: SLOT.split(occurrence) for who, occurrence in texts.items()}
    if len({len(piece) for piece in pieces.values()}) != 1:
        return []
    width = len(next(iter(pieces.values())))
    slots = [{who: piece[at] for who, piece in pieces.items()} for at in range(1, width, 2)]
    return [
        {who: int(n) for who, n in slot.items()}
        for slot in slots
        if all(n.isdecimal() for n in slot.values())
    ]


def _counts(slot: dict[int, int], runs: Sequence[Sequence[Sender]], scales: Scales) -> bool:
    bases = set()
    for senders in runs:
        numbers = sorted(slot[id(sender)] for sender in senders)
        bases.add(numbers[0])
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 1
        known = {1, *(q.value for q in scales[senders[0].run].values() if not q.unit)} if scales else {1}
        if (
            step < 1
            or step not in known
            or numbers != list(range(numbers[0], numbers[0] + step * len(numbers), step))
        ):
            return False
    return len(bases) == 1
