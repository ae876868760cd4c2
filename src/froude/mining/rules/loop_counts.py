"""How often loops run, and how many nodes there are: by a formula, drawn, or by none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median, median_low

from froude.base.units import Quantity
from froude.mining.counts import Fit, fit_count, fit_dealt
from froude.mining.fit.rival_formulas import rivals
from froude.mining.rules.listings import Listings
from froude.mining.rules.questions import Questions
from froude.mining.shape.once import is_once
from froude.mining.shape.rounds import fit_first, fit_rounds
from froude.mining.shape.segments import Item, Loop
from froude.mining.shape.structure import LoopRun, MinedType
from froude.workload.scale import Count, at_node, size_of
from froude.workload.types import Finding, Flow, Generated, Repeat, Step

_CHANCE = 3
"""Times that a loop of one call was seen by which a formula may hold by chance."""
_FEWEST_NODES = 5
"""Nodes of all runs that must be seen before a loop may depend on their number: fewer would fit by chance."""
_FEW, _MOSTLY = 0.15, 0.6
"""Share of all times that a loop may have run otherwise than its formula says, and the share at each Scale that may
not have: one call of a hundred that is lost is one loop of ten, and more in a run that is short."""


_MATTERS = 0.05
"""Share of a type's calls by which all numbers that are drawn may move them before they are asked about."""
_CORRELATED, _BY_CHANCE = 0.5, 0.01
"""Kendall's tau from which a number follows a variable, and the chance of one as large where it does not."""


class LoopCounts:
    """Finds how often loops run.

    Args:
        pieces: sizes of pieces that files are cut into.
    """

    def __init__(
        self,
        scales: Sequence[Mapping[str, Quantity]],
        pieces: Sequence[int],
        types: Sequence[MinedType],
        questions: Questions,
        findings: list[Finding],
    ) -> None:
        self._scales = scales
        self._pieces = pieces
        self._questions = questions
        self._findings = findings
        self._listings: dict[str, Listings] = {}
        self._timed = self._of_time(types)
        """Bodies of loops whose number time decides."""

    def repeat(self, mined: MinedType, name: str, loop: Loop, body: tuple[Step, ...]) -> Repeat:
        """A loop with the number of its iterations."""
        seen = mined.loop_runs[name]
        counts = sorted({each.times for each in seen})
        first = fit_first([(each.rounds, each.times) for each in seen]) if is_once(loop.body[0]) else None
        fit = self._iterations(seen, mined.position) if first is None else Fit(first)
        what = f"iterations of {name} in {mined.name}"
        listed = self._over_list(mined, name, body, seen)
        if listed is not None and (listed[1] or fit.count is None or not fit.sure):
            return self._listed(mined, fit, Repeat(name, Count(0.0), body, each=listed[0]), counts)
        if fit.count is None and (usual := self._usual(seen)):
            fit = self._iterations(usual, mined.position)
            if fit.count is not None:
                self._few_other(mined, what, len(seen) - len(usual), len(seen))
        # What some did once and others not at all, whatever the Scale, is no round of anything.
        # Of two nodes alone, one with it and one without, nobody can tell.
        stray = counts == [0, 1] and (fit.count is None or len(seen) == 2)
        # Three numbers lie on a line by chance.
        few = len(seen) <= _CHANCE and len(loop.body) == 1
        timed = loop.body in self._timed and (few or fit.count is None)
        if stray or timed or (fit.count is None and self._moved(seen)):
            return self._drawn(mined, name, loop, seen, body)
        others = self._rivals(fit, seen)
        return Repeat(name, self.count(mined, fit, what, counts, others), body, rivals=others)

    def _over_list(
        self, mined: MinedType, name: str, body: Sequence[Step], seen: Sequence[LoopRun]
    ) -> tuple[Flow, bool] | None:
        """The list that a loop goes through, as `Listings.of_loop` gives it."""
        if len({each.times for each in seen}) < 2:
            return None
        if mined.name not in self._listings:
            self._listings[mined.name] = Listings(mined)
        return self._listings[mined.name].of_loop(name, body, seen)

    def _listed(self, mined: MinedType, fit: Fit, loop: Repeat, counts: Sequence[int]) -> Repeat:
        """A loop over a list, with what is assumed of its length before the list is there."""
        assert loop.each is not None
        if fit.count is not None and fit.sure:
            return replace(loop, times=fit.count)
        text = (
            f"how many elements {loop.each.call} lists follows no formula; {loop.id} has as many iterations"
        )
        self._findings.append(Finding(text, fatal=False, node_type=mined.name))
        return replace(loop, times=Count(float(median_low(counts))))

    def count(
        self, mined: MinedType, fit: Fit, what: str, seen: Sequence[int], others: Sequence[Count] = ()
    ) -> Count:
        """A formula, with what is to be asked or said of it.

        Args:
            mined: the type that it is of.
            others: further formulas that fit as well.
        """
        if fit.count is None:
            text = f"{what}: {', '.join(map(str, seen))} fit no count"
            self._findings.append(Finding(text, fatal=True, node_type=mined.name))
            return Count(float(median(seen)) if seen else 0.0)
        self._questions.number(mined.name, what, fit, others)
        return fit.count

    def _iterations(self, seen: Sequence[LoopRun], position: tuple[int, int]) -> Fit:
        """The count of a loop: by the Scale alone if that will do, else by rounds around it, or the node's number."""
        points = [(self._scales[each.run], float(each.times)) for each in seen]
        fit = fit_count(points, pieces=self._pieces)
        if fit.count is None or fit.others or not fit.sure:
            place, among = position
            dealt = fit_dealt(points, place, among) if among > 1 else None
            fit = fit if dealt is None else Fit(dealt)
        if fit.count is not None:
            return fit
        by_round = fit_rounds([(each.rounds, each.times) for each in seen])
        if by_round is not None:
            return Fit(by_round)
        points = [(at_node(self._scales[each.run], each.node), float(each.times)) for each in seen]
        if len({str(scale) for scale, _ in points}) < _FEWEST_NODES:
            return fit
        return fit_count(points, pieces=self._pieces)

    def _usual(self, seen: Sequence[LoopRun]) -> list[LoopRun]:
        """The times that a loop ran as often as it mostly did at that Scale, where all but a few are such; else none.

        A call that a capture lost makes one round of a loop look shorter, or two look like one.
        """
        by_scale: dict[str, Counter[int]] = defaultdict(Counter)
        for each in seen:
            by_scale[size_of(self._scales[each.run])][each.times] += 1
        mostly = {scale: counts.most_common(1)[0] for scale, counts in by_scale.items()}
        if any(often < _MOSTLY * by_scale[scale].total() for scale, (_, often) in mostly.items()):
            return []
        usual = [each for each in seen if each.times == mostly[size_of(self._scales[each.run])][0]]
        return usual if len(seen) - len(usual) <= _FEW * len(seen) else []

    def _few_other(self, mined: MinedType, what: str, others: int, total: int) -> None:
        text = f"{what}: {others} of {total} times another number than the formula"
        self._findings.append(Finding(text, fatal=False, node_type=mined.name))

    def _rivals(self, fit: Fit, seen: Sequence[LoopRun]) -> tuple[Count, ...]:
        """Further formulas of a loop's number that follows from the Scale alone, as far as that was seen."""
        points = [(self._scales[each.run], float(each.times)) for each in seen]
        known = {name for scale, _ in points for name in scale}
        follows = fit.count is not None and fit.count.variables and fit.count.names <= known
        return rivals(fit, points, pieces=self._pieces) if follows else ()

    def _moved(self, seen: Sequence[LoopRun]) -> bool:
        """Whether a loop ran another number of times at one and the same Scale: no formula of it says how often."""
        by_scale: dict[str, set[int]] = defaultdict(set)
        for each in seen:
            by_scale[size_of(self._scales[each.run])].add(each.times)
        return any(len(counts) > 1 for counts in by_scale.values())

    def _of_time(self, types: Sequence[MinedType]) -> set[tuple[Item, ...]]:
        """Bodies of loops that types of a role ran another number of times at one Scale, some of them by no formula."""
        loops: dict[tuple[str, tuple[Item, ...]], list[tuple[MinedType, str]]] = defaultdict(list)
        for mined in types:
            for number, loop in enumerate(_loops(mined.pattern), 1):
                loops[mined.role.name, loop.body].append((mined, f"L{number}"))
        return {
            body
            for (_, body), listed in loops.items()
            if len(listed) > 1
            and self._moved([each for mined, name in listed for each in mined.loop_runs[name]])
            and any(self._iterations(m.loop_runs[name], m.position).count is None for m, name in listed)
        }

    def _drawn(
        self, mined: MinedType, name: str, loop: Loop, seen: Sequence[LoopRun], body: tuple[Step, ...]
    ) -> Repeat:
        """A loop whose number no formula gives: drawn from the range seen, and asked about where that matters."""
        counts = [each.times for each in seen]
        low, high = min(counts), max(counts)
        drawn = Generated("gauge", {"low": low, "high": high})
        what = f"iterations of {name} in {mined.name}"
        grows = self._grows_with(seen)
        calls = sum(len(sender.tokens) for sender in mined.senders)
        inside = sum(name in occurrence.indices for occurrence in mined.occurrences)
        a_round = inside / max(1, sum(counts)) if inside else len(loop.body)
        # What all loops of a type move together is what matters.
        matters = _MATTERS * calls / len(mined.loop_runs)
        if grows or (high - low) * a_round * len(counts) > matters:
            why = (
                f"changing with {grows}, by no formula that was found"
                if grows
                else "by no formula of the Scale"
            )
            self._questions.drawn(mined.name, what, f"{low} to {high} were seen, {why}", drawn)
        else:
            text = f"{what}: {low} to {high}, by no formula of the Scale; drawn"
            self._findings.append(Finding(text, fatal=False, node_type=mined.name))
        return Repeat(name, Count(float(median_low(counts))), body, drawn)

    def _grows_with(self, seen: Sequence[LoopRun]) -> str:
        """The variable, or `node`, that a loop's number rises or falls with; empty for none."""
        from scipy.stats import kendalltau  # slow to load, and only needed here

        places = [at_node(self._scales[each.run], each.node) for each in seen]
        times = [each.times for each in seen]
        for name in sorted({name for place in places for name in place}):
            values = [place[name].value if name in place else 0.0 for place in places]
            if len(set(values)) > 1 and len(set(times)) > 1:
                tau, chance = kendalltau(values, times)
                if abs(tau) >= _CORRELATED and chance < _BY_CHANCE:
                    return name
        return ""


def _loops(items: Sequence[Item]) -> Iterator[Loop]:
    """The loops of a pattern, each before those within it, as they are numbered."""
    for item in items:
        if isinstance(item, Loop):
            yield item
            yield from _loops(item.body)
