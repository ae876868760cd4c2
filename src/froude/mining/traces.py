"""Mining Traces from end to end: what they must have, their pattern, and how well each size follows from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.progress import Progress, Silent
from froude.base.summary import counted
from froude.mining.check.sizes import doubts, left_out
from froude.mining.pipeline import mine_recordings
from froude.mining.read.ends import whole
from froude.mining.read.events import recordings_of
from froude.trace.types import Trace
from froude.workload.types import Workload


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
        workers: decode and check in parallel; see `froude.base.parallel`.
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
        recordings, cut = whole(recordings_of(traces, workers))
    workload = mine_recordings(recordings, progress=progress)
    hashes = tuple(trace.lineage.content_hash for trace in traces if trace.lineage is not None)
    sizes = left_out(recordings, progress=progress, workers=workers) if check else ()
    figures = tuple(each.figures for each in sizes if each.figures is not None)
    recorded = replace(workload.recorded, traces=hashes, left_out=figures)
    questions = (*workload.questions, *doubts(workload, sizes))
    return replace(workload, recorded=recorded, questions=questions, findings=(*cut, *workload.findings))
