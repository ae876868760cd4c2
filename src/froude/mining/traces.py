"""Mining Traces from end to end: what they must have, their pattern, and how well each size follows from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.progress import Progress, Silent
from froude.base.summary import counted
from froude.mining.check.prediction import predict_recording
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording, recordings_of
from froude.trace.types import Trace
from froude.workload.scale import Scale, size_of
from froude.workload.types import LeftOut, Workload

_FEWEST_SIZES = 3
"""Sizes of which one can be left out: from a single other size nothing can be extrapolated."""


def mine(
    traces: Sequence[Trace],
    *,
    progress: Progress | None = None,
    workers: parallel.Workers = 1,
    check: bool = True,
) -> Workload:
    """Mine the scale-free pattern of a job.

    Args:
        traces: one a run, at scales as different as possible; several runs at one scale are welcome.
        progress: where to show what is going on.
        workers: decode the traces in parallel; see `froude.base.parallel`.
        check: whether each size is predicted from the others, which takes as many minings as there are sizes.

    Returns:
        The workload. What no rule was found for is in its questions; what limits extrapolation in its
        findings; how well each size follows from the others in `recorded.left_out`.

    Raises:
        InputError: no trace, a trace without payloads, or one whose payloads do not decode.
    """
    if not traces:
        raise InputError(
            "there is nothing to mine", allowed="one trace or more, better three at different scales"
        )
    for number, trace in enumerate(traces, 1):
        if not trace.calls:
            remedy = "Was the job run against the proxy's address? `froude trace show` says who was seen"
            raise InputError("has no calls", place=f"trace {number}", remedy=remedy)
        if not trace.meta.fidelity.payload:
            remedy = "Record with `froude capture proxy`, which sees payloads; an audit log has none"
            raise InputError("has no payloads to mine", place=f"trace {number}", remedy=remedy)
        if not trace.meta.fidelity.response:
            remedy = "Import it again from a table with a column `response`, or columns `response.NAME`"
            raise InputError("has no responses to mine", place=f"trace {number}", remedy=remedy)
    with (progress or Silent()).task(f"decoding {counted(sum(len(t.calls) for t in traces), 'call')}"):
        recordings = recordings_of(traces, workers)
    workload = mine_recordings(recordings, progress=progress)
    hashes = tuple(trace.lineage.content_hash for trace in traces if trace.lineage is not None)
    each_left_out = left_out(recordings, progress=progress) if check else ()
    recorded = replace(workload.recorded, traces=hashes, left_out=each_left_out)
    return replace(workload, recorded=recorded)


def left_out(recordings: Sequence[Recording], *, progress: Progress | None = None) -> tuple[LeftOut, ...]:
    """How well the calls at each size are predicted by what is mined from the other sizes; takes as many minings.

    Args:
        recordings: the runs; of several at one size the first is predicted.
        progress: shows which size it is at.

    Returns:
        One a size, in order of the runs; none of fewer than three sizes, or of a size that the others cannot be
        extrapolated to, such as one with a variable of its own.
    """
    by_size: dict[str, list[Recording]] = {}
    for recording in recordings:
        by_size.setdefault(size_of(recording.scale), []).append(recording)
    if len(by_size) < _FEWEST_SIZES:
        return ()
    figures = []
    with (progress or Silent()).task("each size from the others", total=len(by_size)) as task:
        for size, runs in by_size.items():
            task.say(size)
            others = [each for other, listed in by_size.items() if other != size for each in listed]
            try:
                prediction = predict_recording(mine_recordings(others), runs[0])
            except InputError:
                prediction = None
            if prediction is not None and prediction.fitness is not None and prediction.precision is not None:
                worst = prediction.worst
                name = None if worst is None else worst.node_type
                scale = Scale(dict(runs[0].scale))
                figures.append(LeftOut(scale, prediction.fitness, prediction.precision, name))
            task.advance()
    return tuple(figures)
