"""Each recorded size left out in turn: how well the others predict it, and what is in doubt since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.progress import Progress, Silent
from froude.base.summary import counted
from froude.mining.check.prediction import Prediction, predict_recording, seen_by
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording
from froude.mining.rules.questions import about_steps
from froude.workload.scale import Scale, size_of
from froude.workload.types import NODES, STEPS, LeftOut, Question, Scaled, Workload
from froude.workload.walk import templates

_FEWEST_SIZES = 3
"""Sizes of which one can be left out: from a single other size nothing can be extrapolated."""
_FEWEST_OTHERS = 3
"""Sizes from which a miner that was silently wrong is itself in doubt: any line goes through two."""
_SHOWN = 3
"""Sizes that a question names."""


@dataclass(frozen=True, slots=True)
class SizeLeftOut:
    """One size, predicted from the others."""

    recording: Recording
    prediction: Prediction

    @property
    def figures(self) -> LeftOut | None:
        """For the workload's file; None where no call was made or predicted."""
        fitness, precision, worst = self.prediction.fitness, self.prediction.precision, self.prediction.worst
        if fitness is None or precision is None:
            return None
        name = None if worst is None else worst.node_type
        return LeftOut(Scale(dict(self.recording.scale)), fitness, precision, name)


def left_out(
    recordings: Sequence[Recording], *, progress: Progress | None = None, workers: parallel.Workers = 1
) -> tuple[SizeLeftOut, ...]:
    """How well the calls at each size are predicted by what is mined from the other sizes; takes as many minings.

    Args:
        recordings: the runs; of several at one size the first is predicted.
        progress: shows how many sizes are done.
        workers: mine side by side; see `froude.base.parallel`.

    Returns:
        One a size, in order of the runs; none of fewer than three sizes, or of a size that the others cannot be
        extrapolated to, such as one with a variable of its own.
    """
    by_size: dict[str, list[Recording]] = {}
    for recording in recordings:
        by_size.setdefault(size_of(recording.scale), []).append(recording)
    if len(by_size) < _FEWEST_SIZES:
        return ()
    parts = [
        (runs[0], [each for other, listed in by_size.items() if other != size for each in listed])
        for size, runs in by_size.items()
    ]
    with (progress or Silent()).task("each size from the others", total=len(parts)) as task:
        found = parallel.map(_predicted, parts, workers, lambda _: task.advance())
    return tuple(each for each in found if each is not None)


def _predicted(part: tuple[Recording, Sequence[Recording]]) -> SizeLeftOut | None:
    """A run from what is mined from others; None where they cannot be extrapolated to its size."""
    run, others = part
    with suppress(InputError):
        return SizeLeftOut(run, predict_recording(mine_recordings(others), run))
    return None


def doubts(workload: Workload, sizes: Sequence[SizeLeftOut]) -> list[Question]:
    """Questions about what came out otherwise at a size that was left out, where no question was about it.

    What the miner was silently wrong about with one size fewer it may be silently wrong about at the next size, too.

    Args:
        workload: mined from all sizes.
        sizes: each left out.

    Returns:
        At most two questions a node type, about its steps and about its number, and one an argument.
    """
    if len(sizes) <= _FEWEST_OTHERS:
        return []
    steps: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    numbers: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    arguments: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for each in sizes:
        if not each.prediction.silent and not each.prediction.silent_leaves:
            continue
        size = str(Scale(dict(each.recording.scale)))
        matched, score = seen_by(workload, each.recording)
        types: dict[int | None, str] = {
            sender.first.order: mined.name for mined in matched.types for sender in mined.senders
        }
        for difference in each.prediction.silent:
            found = numbers if difference.node else steps
            wrong = 1 if difference.node else max(len(difference.made), len(difference.missing))
            found[types.get(difference.first, difference.node_type)][size] += wrong
        for leaf in each.prediction.silent_leaves & score.rule_of.keys():
            arguments[score.rule_of[leaf]][size] += 1
    asked = [
        question
        for node_type in workload.node_types
        for question in (
            _about_steps(workload, node_type.name, steps.get(node_type.name, {})),
            _about_number(workload, node_type.name, numbers.get(node_type.name, {})),
        )
        if question is not None
    ]
    return [*asked, *_about_arguments(workload, arguments)]


def _about_steps(workload: Workload, name: str, wrong: dict[str, int]) -> Question | None:
    if not wrong or any(each.node_type == name and each.path == STEPS for each in workload.questions):
        return None
    text = f"{name}: {_at_sizes(wrong, 'call')} did not follow from the other sizes; are its steps right at other sizes?"
    return about_steps(name, text)


def _about_number(workload: Workload, name: str, wrong: dict[str, int]) -> Question | None:
    what = f"number of {name} nodes"
    asked = any(each.node_type == name and each.number == NODES for each in workload.questions)
    if not wrong or asked:
        return None
    count = workload.node_type(name).count
    text = f"{what}: {_at_sizes(wrong, 'node')} did not follow from the other sizes; is it {count} at other sizes?"
    return Question(f"{name}:{what}", text, name, candidates=(Scaled(count),))


def _about_arguments(
    workload: Workload, wrong: Mapping[tuple[str, str], dict[str, int]]
) -> Iterator[Question]:
    known = {(question.call, question.path) for question in workload.questions}
    for node_type in workload.node_types:
        for call in templates(node_type):
            for path, rule in call.arguments.items():
                if (call.id, path) in wrong and (call.id, path) not in known:
                    values = _at_sizes(wrong[call.id, path], "value")
                    what = f"{node_type.name}: {path} of {call.method} did not follow from the other sizes"
                    text = f"{what} ({values}); what gives it its value?"
                    yield Question(
                        f"{call.id}:{path}", text, node_type.name, call.id, path, candidates=(rule,)
                    )


def _at_sizes(wrong: dict[str, int], what: str) -> str:
    """How much came out otherwise, and at which sizes."""
    shown = [f"{counted(number, what)} at {size}" for size, number in wrong.items()][:_SHOWN]
    more = f" and {counted(len(wrong) - _SHOWN, 'size')} more" if len(wrong) > _SHOWN else ""
    return f"{' and '.join(shown)}{more}"
