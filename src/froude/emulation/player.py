"""The player process: a `PlayJob` on stdin, `Status`es and one `PlayOutcome` or stated error on stdout.

Where a crew plays on other machines, it only hands on; with `--join` it is one of that crew. It ends when the play is
over, when stdin closes (the parent is gone or wants an end), or on an interrupt; what was played until then is given
back in each case.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import select
import signal
import sys
from typing import BinaryIO

from froude.base.errors import FroudeError
from froude.emulation.engine import DONE, MEASURE, Order, PlayJob, Status
from froude.emulation.playing import play_here
from froude.emulation.remote import JOIN, conduct, join


def main() -> int:
    """Play what stdin says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it and closes our stdin
    answers = os.fdopen(os.dup(1), "wb")
    if sys.argv[1:] == [JOIN]:
        os.dup2(2, 1)
        with io.TextIOWrapper(answers) as failures:
            return join(failures)
    # Other players that are forked from this one do not hold the parent's pipes open.
    os.register_at_fork(after_in_child=answers.close)
    os.register_at_fork(after_in_child=sys.stdin.close)
    os.dup2(2, 1)  # whatever prints by mistake must not end up among the answers
    job = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent process
    assert isinstance(job, PlayJob)

    def watch(status: Status) -> int:
        return _report(answers, status) and _order()

    try:
        result: object = play_here(job, watch) if job.crew is None else conduct(job, watch, _left)
    except FroudeError as error:
        result = error
    if result is None:
        return 0
    with contextlib.suppress(BrokenPipeError):
        _report(answers, result)
        answers.close()
    return 0


def _report(answers: BinaryIO, report: object) -> bool:
    try:
        pickle.dump(report, answers, protocol=5)
        answers.flush()
    except BrokenPipeError:
        return False
    return True


def _left() -> bool:
    """Whether our stdin is closed, or has an order, which there is none before a play has begun."""
    return bool(select.select([0], [], [], 0)[0])


def _order() -> Order:
    """What the parent wants: an end once our stdin is closed."""
    if not _left():
        return Order.GO_ON
    return {MEASURE: Order.MEASURE, DONE: Order.DONE}.get(os.read(0, 1), Order.END)


if __name__ == "__main__":
    sys.exit(main())
