"""Where a node stands in its steps and their loops: the lazy form of `walk.fold`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from froude.base.units import Quantity
from froude.workload.generators import generate
from froude.workload.rounds import at_round
from froude.workload.types import CallTemplate, Flow, Repeat, Step

Elements = Callable[[Flow, Mapping[str, int]], int | None]


class _Frame:
    __slots__ = ("iteration", "loop", "position", "steps", "times")

    def __init__(self, steps: tuple[Step, ...], loop: str = "", times: int = 1) -> None:
        self.steps, self.loop, self.times = steps, loop, times
        self.position = self.iteration = 0

    def copy(self) -> _Frame:
        twin = _Frame(self.steps, self.loop, self.times)
        twin.position, twin.iteration = self.position, self.iteration
        return twin


class Cursor:
    """Where a node stands in its steps.

    The lazy form of `workload.walk.fold`: a node with a million iterations is never written out.
    """

    __slots__ = ("_elements", "_frames", "_scale", "_seed")

    def __init__(
        self,
        steps: tuple[Step, ...],
        scale: Mapping[str, Quantity],
        seed: Callable[[], int] = int,
        elements: Elements = lambda *_: None,
    ) -> None:
        """At the first call; loops of no iterations are passed by.

        Args:
            scale: at which loops are counted, as the node sees it (`workload.scale.at_node`).
            seed: of the node; asked for where a loop's number is drawn.
            elements: how many a list in an earlier answer has, for a loop in these iterations of those around it; None
                where there is no such answer yet, as for a twin that runs ahead.
        """
        self._scale = scale
        self._seed = seed
        self._elements = elements
        self._frames = [_Frame(steps)]
        self._settle()

    @property
    def call(self) -> CallTemplate | None:
        """The call it stands at; None past the last."""
        if not self._frames:
            return None
        frame = self._frames[-1]
        step = frame.steps[frame.position]
        assert isinstance(step, CallTemplate)
        return step

    @property
    def loops(self) -> dict[str, int]:
        """Iterations of the loops it stands in, outermost first."""
        return {frame.loop: frame.iteration for frame in self._frames if frame.loop}

    def is_last(self, loop: str) -> bool:
        """Whether that loop is in its last iteration; true of a loop it does not stand in."""
        return all(frame.iteration + 1 >= frame.times for frame in self._frames if frame.loop == loop)

    def advance(self) -> None:
        """Go to the next call."""
        self._frames[-1].position += 1
        self._settle()

    def copy(self) -> Cursor:
        """A twin that may run ahead."""
        twin = Cursor.__new__(Cursor)
        twin._scale, twin._seed, twin._elements = self._scale, self._seed, self._elements
        twin._frames = [frame.copy() for frame in self._frames]
        return twin

    def _settle(self) -> None:
        frames = self._frames
        while frames:
            frame = frames[-1]
            if frame.position >= len(frame.steps):
                frame.iteration += 1
                frame.position = 0
                if frame.iteration >= frame.times or not frame.steps:
                    frames.pop()
                    if frames:
                        frames[-1].position += 1
                continue
            step = frame.steps[frame.position]
            if isinstance(step, CallTemplate):
                return
            times = self._times(step)
            if times:
                frames.append(_Frame(step.steps, step.id, times))
            else:
                frame.position += 1

    def _times(self, step: Repeat) -> int:
        listed = None if step.each is None else self._elements(step.each, self.loops)
        if listed is not None:
            return listed
        return self._by_formula(step) if step.drawn is None else self._drawn(step)

    def _by_formula(self, step: Repeat) -> int:
        scale = self._scale
        if step.times.slopes and len(self._frames) > 1:  # it may depend on the rounds around it
            for loop, number in self.loops.items():
                scale = at_round(scale, loop, number)
        return step.times.whole_at(scale)

    def _drawn(self, step: Repeat) -> int:
        """A number of iterations that a twin draws, too: it follows from the place."""
        assert step.drawn is not None
        number = generate(step.drawn, Random(f"{self._seed()} {step.id} {self.loops}"), 0.0)
        return max(0, round(number)) if isinstance(number, int | float) else 0
