"""What a workload says beforehand that it does not know: whatever else comes out wrong was wrong silently."""

from __future__ import annotations

import re
from collections.abc import Mapping

from froude.base.units import Quantity
from froude.workload.extrapolate import extrapolate
from froude.workload.review import open_questions
from froude.workload.scale import Scale
from froude.workload.types import Workload

_INDEX = re.compile(r"\[\d+\]")


class Announced:
    """The questions, findings and refusals of a workload at a Scale, by what they are about."""

    def __init__(self, workload: Workload, scale: Mapping[str, Quantity]) -> None:
        """Collect them.

        Args:
            workload: as mined, with or without answers.
            scale: at which it is to be used.
        """
        questions = open_questions(workload)
        refusals = extrapolate(workload, Scale(dict(scale))).refusals
        self._arguments = {(q.call, _INDEX.sub("[]", q.path or "")) for q in questions if q.call is not None}
        self._refused = {refusal.node_type for refusal in refusals if refusal.fatal}
        self._doubtful = {
            *(question.node_type for question in questions if question.call is None),
            *(finding.node_type for finding in workload.findings if finding.node_type is not None),
            *(refusal.node_type for refusal in refusals if refusal.node_type is not None),
        }

    def argument(self, template: str, path: str) -> bool:
        """Whether an argument was said to be unsure: asked about, or its whole node type or workload refused.

        A question about an element of a list is one about all of its elements.

        Args:
            template: id of its call template.
        """
        node_type = template.rpartition(".")[0]
        return (template, _INDEX.sub("[]", path)) in self._arguments or bool(
            {node_type, None} & self._refused
        )

    def sequence(self, node_type: str) -> bool:
        """Whether the number of a type's nodes, or which calls they make, was said to be unsure."""
        return node_type in self._doubtful or None in self._refused
