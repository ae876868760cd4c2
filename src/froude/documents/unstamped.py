"""Forms of Froude 0.1.0 that had no stamp: how their files begin, and where they say kind and version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Unstamped:
    """The form of one kind of document."""

    kind: str
    """As a stamp names it today."""
    field: str
    """The field by which it is known."""
    value: str | None
    """What stands in that field; None where it only has to be there."""
    version: str
    """The field that holds the version."""
    head: re.Pattern[bytes] | None = None
    """The beginning of its files; None where it stands beside a document that says what the whole is."""

    def version_of(self, fields: Mapping[str, Any]) -> object:
        """What a document gives as its version; None where it is not of this form."""
        known = self.field in fields and (self.value is None or fields[self.field] == self.value)
        return fields.get(self.version) if known else None


TRACE = Unstamped("trace", "kind", "trace", "format", re.compile(rb"\Aformat: 1\nkind: trace\n"))
PARTIAL_TRACE = Unstamped(
    "partial-trace", "kind", "partial trace", "format", re.compile(rb"\Aformat: 1\nkind: partial trace\n")
)
RUN = Unstamped("run", "froude", "run", "version", re.compile(rb"\Afroude: run\nversion: 1\n"))
RUN_FIGURES = Unstamped("run-figures", "series", None, "format")
REPORT = Unstamped(
    "report", "format", "froude-report", "version", re.compile(rb'\A\{\s*"format"\s*:\s*"froude-report"')
)
_FORMS = (TRACE, PARTIAL_TRACE, RUN, RUN_FIGURES, REPORT)


def unstamped_kind(head: bytes) -> str | None:
    """The kind of document that begins so; None for none of these forms."""
    return next((form.kind for form in _FORMS if form.head is not None and form.head.match(head)), None)
