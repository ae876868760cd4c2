"""A duet says slower, faster, the same or undecided, and is wrong at any of its looks no more often than it says."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import pytest

from froude.experiment.compare.compare import Outcome
from froude.experiment.compare.measures import Sort
from froude.experiment.duet.slices import Slice, batches_of
from froude.experiment.duet.verdict import BATCHES, LOOKS, Look, explained, look_at
from tests.support.experiment.duets import METHODS, slices
from tests.support.seeds import examples


def decided(every: list[Slice], *, margin: float = 0.1, level: float = 0.05) -> Look:
    """The first look that is clear, else the last."""
    looks = (
        look_at(every[: len(every) * number // LOOKS], number, margin=margin, level=level)
        for number in range(1, LOOKS + 1)
    )
    return next(look for look in looks if look.clear or look.number == LOOKS)


@pytest.mark.parametrize(
    ("factor", "cpu", "spread", "outcome"),
    [
        (1.1, 1.0, 0.05, Outcome.WORSE),
        (1.0, 1.1, 0.05, Outcome.WORSE),
        (0.8, 1.0, 0.02, Outcome.BETTER),
        (1.0, 1.0, 0.05, Outcome.SAME),
        (1.04, 1.0, 0.02, Outcome.SAME),
        (1.0, 1.0, 0.9, Outcome.OPEN),
    ],
)
def test_what_is_known(factor: float, cpu: float, spread: float, outcome: Outcome) -> None:
    """Ten per cent of either measure are seen in moments that differ by far more, since both share these."""
    look = decided(slices(160, factor, cpu=cpu, spread=spread))
    assert look.outcome is outcome
    service, cost, throughput, errors = look.rows
    assert (service.measure, cost.measure) == ("service time", "CPU per call")
    assert (throughput.measure, errors.measure) == ("throughput", "errors")
    if spread < 0.1:
        assert service.low < factor - 1 < service.high
        assert cost.low < cpu - 1 < cost.high
    assert look.text.startswith(f"look {look.number} of 5: service time ")


def test_a_large_difference_ends_a_duet_soon() -> None:
    """At the second look; the first asks for more than four batches can say."""
    assert decided(slices(160, 1.5, spread=0.02)).number == 2


def test_false_differences_at_any_look() -> None:
    """No more than the level of them, though each look could be the one."""
    number, level = examples(200), 0.1
    found = Counter(
        decided(slices(60, seed=seed, spread=0.2), margin=0.001, level=level).outcome
        for seed in range(number)
    )
    false = found[Outcome.WORSE] + found[Outcome.BETTER]
    assert false / number <= level + 3 * math.sqrt(level * (1 - level) / number)
    assert found[Outcome.SAME] == 0


def test_errors_of_the_candidate_are_worse() -> None:
    """However fast its other answers are; one error in twenty thousand is none."""
    assert decided(slices(160, 0.7, errors=15.0)).outcome is Outcome.WORSE
    assert decided(slices(160, errors=0.0)).rows[3].sort is Sort.ERRORS


def test_nothing_before_every_batch_has_a_slice() -> None:
    """A look of too few slices is undecided, and has no rows."""
    look = look_at(slices(BATCHES * 2 - 1), 2, margin=0.1, level=0.05)
    assert (look.outcome, look.rows, look.clear) == (Outcome.OPEN, (), False)
    assert look.text == "look 2 of 5: nothing to compare"


def test_a_measure_that_a_batch_lacks_is_not_compared() -> None:
    """Without CPU time others may say worse, and nothing says that there is no difference."""
    without = [replace(each, cpu_s=None) for each in slices(160, 1.2)]
    look = decided(without)
    assert [row.measure for row in look.rows] == ["service time", "throughput", "errors"]
    assert look.outcome is Outcome.WORSE
    alike = [replace(each, cpu_s=None) for each in slices(160)]
    assert decided(alike).outcome is Outcome.OPEN  # whether it needs more CPU time is not known
    neither = [replace(each, service_s={}) for each in alike]
    assert decided(neither).outcome is Outcome.OPEN


def test_what_explains() -> None:
    """Every method, at the level that is given."""
    batches = batches_of(slices(80, 1.3), BATCHES * LOOKS)
    rows = list(explained(batches, 0.01, 0.1))
    assert [row.measure for row in rows] == [f"service time({name})" for name in sorted(METHODS)]
    assert {row.sort for row in rows} == {Sort.RESOURCE}
    assert [row.outcome for row in rows] == [Outcome.WORSE] * len(METHODS)
    assert all(row.level == 0.01 for row in rows)


def test_calls_that_are_not_answered_are_seen() -> None:
    """Though every answer that there is takes as long as before: in the throughput, and in seconds of silence."""
    assert decided(slices(160, throughput=0.85)).outcome is Outcome.WORSE
    assert decided(slices(160, throughput=1.2)).outcome is Outcome.BETTER
    hanging = [
        each if at % 10 else replace(each, service_s={}, calls=(each.calls[0], 0.0), cpu_s=None)
        for at, each in enumerate(slices(160))
    ]
    look = decided(hanging)
    assert (look.outcome, look.silent_s) == (Outcome.WORSE, (0.0, 12.0))
    turned = [replace(each, calls=(each.calls[1], each.calls[0])) for each in hanging]
    look = decided(turned)
    assert (look.outcome, look.silent_s[1]) == (Outcome.OPEN, 0.0)


def test_two_jvms_of_one_program_are_the_same() -> None:
    """They differ by a per cent, surely; that is less than the error that two JVMs have."""
    look = decided(slices(160, 1.012, spread=0.001), margin=0.001)
    assert look.outcome is Outcome.OPEN
    assert look.rows[0].low < 0 < look.rows[0].high


@pytest.mark.parametrize(("length", "most"), [(1, 0.1), (8, 0.16), (16, 0.2)])
def test_noise_that_lasts(length: int, most: float) -> None:
    """What disturbs so many slices in a row raises the share of false differences by little: the error grows with it."""
    number, level, false = examples(150), 0.1, 0
    for seed in range(number):
        rng = random.Random(seed)
        every = slices(160, seed=seed, spread=0.2)
        kept, state = math.exp(-1 / length), 0.0
        moved = []
        for each in every:
            state = kept * state + rng.gauss(0, 0.4 * math.sqrt(1 - kept**2))
            service = {name: (a, b * math.exp(state)) for name, (a, b) in each.service_s.items()}
            moved.append(replace(each, service_s=service))
        false += decided(moved, margin=0.001, level=level).outcome in {Outcome.WORSE, Outcome.BETTER}
    assert false / number <= most + 3 * math.sqrt(most * (1 - most) / number)
