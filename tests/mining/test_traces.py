"""Mining Traces: what they must have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.mining.traces import mine
from froude.trace.types import Trace
from tests.support.trace.making import small_trace


def test_nothing_to_mine() -> None:
    """No trace is an error of the caller."""
    with pytest.raises(InputError):
        mine([])


def test_a_trace_without_calls_is_no_run_of_the_job() -> None:
    """Nobody called through the proxy: the pattern of nothing would be taken for the job's."""
    with pytest.raises(InputError, match="trace 2: has no calls"):
        mine([small_trace(), replace(small_trace(), calls=())])


@pytest.mark.parametrize("side", ["payload", "response"])
def test_a_trace_without_payloads_or_responses_is_refused(side: str) -> None:
    """An audit log has neither: nothing could be mined of its arguments."""
    trace = small_trace()
    fidelity = replace(trace.meta.fidelity, **{side: False})
    bare: Trace = replace(trace, meta=replace(trace.meta, fidelity=fidelity))
    with pytest.raises(InputError, match=f"trace 1: has no {side}s to mine"):
        mine([bare])
