"""Events run in order of time, priority and scheduling, whatever is scheduled and cancelled meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.events import Event, Events

TIMES = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
PRIORITIES = st.integers(-1, 1)


def test_events_run_in_order_of_time_then_priority_then_scheduling() -> None:
    """With their arguments, and `now` is the time of each."""
    events, seen = Events(), list[tuple[str, float]]()
    for time_s, priority, name in [
        (2.0, 0, "c"),
        (1.0, 0, "a"),
        (2.0, -1, "b"),
        (2.0, 0, "d"),
        (1.5, 9, "x"),
    ]:
        events.schedule(time_s, lambda name: seen.append((name, events.now)), name, priority=priority)
    events.run()
    assert seen == [("a", 1.0), ("x", 1.5), ("b", 2.0), ("c", 2.0), ("d", 2.0)]
    assert (events.now, events.next_s) == (2.0, math.inf)


def test_a_run_includes_its_end() -> None:
    """Events at that time run, those that they schedule for it too, later ones do not; `now` is the end."""
    events, seen = Events(), list[float]()
    for time_s in (1.0, 2.0, math.nextafter(2.0, 3.0)):
        events.schedule(time_s, lambda: seen.append(events.now))

    def schedule_another() -> None:
        events.schedule(events.now, seen.append, -1.0)

    events.schedule(2.0, schedule_another)
    events.run(1.5)
    assert (seen, events.now, events.next_s) == ([1.0], 1.5, 2.0)
    events.run(2.0)
    assert (seen, events.now) == ([1.0, 2.0, -1.0], 2.0)
    events.run(9.0)
    assert (len(seen), events.now) == (4, 9.0)
    events.run(8.0)
    assert events.now == 9.0


def test_a_callback_names_the_time_of_its_next_call() -> None:
    """After what was scheduled for that time before, with the same priority, until it returns None."""
    events, seen = Events(), list[tuple[str, float]]()

    def again(name: str) -> float | None:
        seen.append((name, events.now))
        return events.now + 1 if events.now < 3 else None

    events.schedule(1.0, again, "a")
    events.schedule(2.0, again, "b")
    events.schedule(2.0, again, "first", priority=-1)
    events.run(2.5)
    assert seen == [("a", 1.0), ("first", 2.0), ("b", 2.0), ("a", 2.0)]
    assert events.next_s == 3.0
    events.run()
    assert seen[4:] == [("first", 3.0), ("b", 3.0), ("a", 3.0)]


def test_an_iterator_of_times_is_a_process() -> None:
    """A callback that names the times that an iterator gives is called at each, until its end."""
    events, seen = Events(), list[float]()

    def process(spacing_s: float) -> Callable[[], float | None]:
        times = iter([spacing_s, 2 * spacing_s, 3 * spacing_s])
        return lambda: seen.append(events.now) or next(times, None)

    events.schedule(0.0, process(1.0))
    events.schedule(0.0, process(0.75))
    events.run()
    assert seen == [0.0, 0.0, 0.75, 1.0, 1.5, 2.0, 2.25, 3.0]


def test_a_late_event_does_not_turn_time_back() -> None:
    """It runs next, in order of its own time, and `now` stays."""
    events, seen = Events(5.0), list[tuple[str, float]]()
    for time_s, name in [(2.0, "b"), (6.0, "c"), (1.0, "a")]:
        events.schedule(time_s, lambda name: seen.append((name, events.now)), name)
    assert events.next_s == 1.0
    events.step()
    events.run()
    assert seen == [("a", 5.0), ("b", 5.0), ("c", 6.0)]


def test_catching_up_runs_all_that_is_due_at_one_time() -> None:
    """`now` is the same for all late events; an earlier time changes nothing."""
    events, seen = Events(), list[float]()
    for time_s in (1.0, 2.0, 4.0):
        events.schedule(time_s, lambda: seen.append(events.now))
    events.catch_up(3.0)
    events.catch_up(2.0)
    assert (seen, events.now, events.next_s) == ([3.0, 3.0], 3.0, 4.0)


def test_a_cancelled_event_does_not_run() -> None:
    """Also from a callback of the same time; to cancel one that has run, or twice, changes nothing."""
    events, seen = Events(), list[str]()
    first = events.schedule(1.0, seen.append, "a")
    second = events.schedule(1.0, seen.append, "b")
    events.schedule(1.0, lambda: events.cancel(second), priority=-1)
    events.schedule(1.0, seen.append, "c")
    events.run()
    for event in (first, second, second):
        events.cancel(event)
    assert seen == ["a", "c"]


def test_without_events_there_is_no_step() -> None:
    """An error; a run ends at once."""
    events = Events(1.0)
    with pytest.raises(IndexError):
        events.step()
    events.run()
    assert events.now == 1.0


def test_an_error_of_a_callback_leaves_the_others() -> None:
    """It is raised, and the events after it run at the next call."""
    events, seen = Events(), list[str]()
    events.schedule(1.0, [].pop)
    events.schedule(2.0, seen.append, "next")
    with pytest.raises(IndexError):
        events.run()
    events.run()
    assert seen == ["next"]


class Model:
    """What `Events` shall do, by a list that is searched."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[tuple[float, int, int, Callable[[], float | None]]] = []
        self.serial = 0

    @property
    def next_s(self) -> float:
        return min((event[0] for event in self.waiting), default=math.inf)

    def schedule(self, time_s: float, callback: Callable[[], float | None], *, priority: int) -> object:
        self.serial += 1
        self.waiting.append((time_s, priority, self.serial, callback))
        return self.waiting[-1]

    def cancel(self, event: object) -> None:
        self.waiting = [each for each in self.waiting if each is not event]

    def step(self) -> None:
        first = min(self.waiting, key=lambda event: event[:3])
        self.cancel(first)
        self.now = max(self.now, first[0])
        again_s = first[3]()
        if again_s is not None:
            self.schedule(again_s, first[3], priority=first[1])

    def run(self, until_s: float) -> None:
        while self.next_s <= until_s:
            self.step()
        self.now = max(self.now, until_s)


class World:
    """Events whose callbacks schedule and cancel others, as a plan says."""

    def __init__(self, events: Events | Model, plan: list[tuple[float, int, list[float], int]]) -> None:
        self.events = events
        self.plan = iter(plan)
        self.handles: list[Event | object] = []
        self.log: list[tuple[int, float, float]] = []

    def add(self) -> None:
        """Schedule the plan's next event."""
        at = len(self.handles)
        for time_s, priority, again, cancelled in self.plan:
            callback = partial(self.called, at, iter(again), cancelled)
            self.handles.append(self.events.schedule(time_s, callback, priority=priority))
            return

    def called(self, number: int, again: object, cancelled: int) -> float | None:
        """Schedule another one, cancel another one, and go on as long as planned."""
        self.log.append((number, self.events.now, self.events.next_s))
        self.add()
        if cancelled < len(self.handles):
            self.events.cancel(self.handles[cancelled])  # type: ignore[arg-type]
        pause_s = next(again, None)  # type: ignore[call-overload]
        return None if pause_s is None else self.events.now + pause_s


@given(
    st.lists(
        st.tuples(TIMES, PRIORITIES, st.lists(TIMES.filter(bool), max_size=3), st.integers(0, 8)), max_size=8
    ),
    st.lists(st.one_of(st.just("add"), st.just("step"), st.integers(0, 8), TIMES), max_size=12),
)
def test_any_use_is_as_of_a_sorted_list(
    plan: list[tuple[float, int, list[float], int]], uses: list[str | int | float]
) -> None:
    """Order, ties, late events, cancellation, scheduling from within callbacks, and ends of runs."""
    worlds = World(Events(), plan), World(Model(), plan)
    for use in [*uses, "add", 99.0]:
        for world in worlds:
            if use == "add":
                world.add()
            elif use == "step":
                if world.events.next_s < math.inf:
                    world.events.step()
            elif isinstance(use, int):
                if use < len(world.handles):
                    world.events.cancel(world.handles[use])  # type: ignore[arg-type]
            else:
                world.events.run(world.events.now + float(use))
        real, model = worlds
        assert real.log == model.log
        assert (real.events.now, real.events.next_s) == (model.events.now, model.events.next_s)


def test_a_time_is_a_number() -> None:
    """In no order with others, NaN would hold all of them up."""
    with pytest.raises(AssertionError, match="not a number"):
        Events().schedule(math.nan, print)
