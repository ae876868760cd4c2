"""A round as JSON, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from froude.cache.control.types import Decision, Outcome, Record, plain, record_of
from froude.cache.monitor.limits import Limits


def test_a_round_as_json_takes_it() -> None:
    """Limits by name, the outcome as a word."""
    decision = Decision("exact", {"vm1": Limits(5)})
    fields = plain(Record(3, 1.5, "asked", Outcome.DRY, decision, before={"vm1": Limits(1, 2)}))
    assert json.loads(json.dumps(fields)) == fields
    assert (fields["outcome"], fields["limits"]["vm1"]["cache_bytes"]) == ("dry-run", 5)
    assert fields["before"]["vm1"] == {"cache_bytes": 1, "iops": 2, "bytes_per_s": None}
    assert record_of(json.loads(json.dumps(fields))) == Record(
        3, 1.5, "asked", Outcome.DRY, decision, before={"vm1": Limits(1, 2)}
    )


@pytest.mark.parametrize("limits", [{"iops": "many"}, {"iops": 0}, {"iops": 1.5}, {"cache_bytes": -1}, 7])
def test_what_is_no_limit(limits: Any) -> None:
    """The error says where it stands."""
    fields = plain(Record(3, 1.5, "asked", Outcome.DRY, Decision("exact", {})))
    with pytest.raises(ValueError, match=r"after\.vm1"):
        record_of(fields | {"after": {"vm1": limits}})
