"""Start rules in a workload's file."""

from __future__ import annotations

from typing import Any

from froude.documents.reading import Section
from froude.workload.start import Moment, StartRule
from froude.workload.yaml_rules import lean
from froude.workload.yaml_timing import LONGEST_S

_SECONDS = (0.0, LONGEST_S)
_FARTHEST = 1_000_000
"""Rounds between a node and the one it waits for, and nodes that are waited for."""
_SMALLEST_SHARE = 1e-6


def start_fields(start: StartRule) -> dict[str, Any]:
    """The fields of a start rule that say something."""
    counted = start.nth is not None or start.share is not None
    return lean(
        {
            "after": start.after,
            "moment": start.moment.value if start.after else None,
            "every": start.every if start.after and not counted else None,
            "nth": start.nth,
            "share": start.share,
            "delay_s": start.delay_s or None,
            "spacing_s": start.spacing_s or None,
            "within_s": start.within_s,
            "pause_s": start.pause_s,
            "follows": start.follows,
            "offset": start.offset or None,
        }
    )


def read_start(section: Section) -> StartRule:
    """A start rule.

    Raises:
        InputError: a field is wrong, or two of them contradict each other.
    """
    if "within_s" in section and "pause_s" in section:
        message = "cannot be both: nodes are beside each other, or one after another"
        raise section.error("pause_s", message, found="pause_s and within_s", allowed="one of them")
    given = [name for name in ("every", "nth", "share") if name in section]
    if len(given) > 1:
        message = "says a second time of how many nodes"
        raise section.error(given[1], message, found=" and ".join(given), allowed="one of them")
    rule = StartRule(
        after=section.optional("after", str),
        moment=section.member("moment", Moment, Moment.FINISHED),
        every=section.value("every", bool, True) if "every" in section else len(given) == 0,
        nth=section.value("nth", int, within=(1, _FARTHEST)) if "nth" in section else None,
        share=section.value("share", float, within=(_SMALLEST_SHARE, 1.0)) if "share" in section else None,
        delay_s=section.value("delay_s", float, 0.0, within=_SECONDS),
        spacing_s=section.value("spacing_s", float, 0.0, within=_SECONDS),
        within_s=section.value("within_s", float, within=_SECONDS) if "within_s" in section else None,
        pause_s=section.value("pause_s", float, within=_SECONDS) if "pause_s" in section else None,
        follows=section.optional("follows", str),
        offset=section.value("offset", int, 0, within=(-_FARTHEST, _FARTHEST)),
    )
    if rule.follows is not None and rule.pause_s is None:
        raise section.error(
            "follows", "is nothing without a pause", found=rule.follows, allowed="pause_s: SECONDS"
        )
    section.finish()
    return rule
