"""What many command lines are tried on: all of it for the first of a sort, one in turn for the others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

Case = TypeVar("Case")


def sampled(
    cases: Iterable[tuple[Case, str]], options: Sequence[str], sort: Callable[[Case], Hashable]
) -> list[ParameterSet]:
    """Each case with what it is tried on; all options for a case that is not the first of its sort take long.

    Args:
        cases: each with its name in the test's.
        options: what there is to try.
        sort: cases of one sort read or write in the same way.
    """
    sorts: set[Any] = set()
    parameters = []
    for number, (case, label) in enumerate(cases):
        if (key := sort(case)) in sorts:
            parameters.append(pytest.param(case, [options[number % len(options)]], id=label))
            parameters.append(pytest.param(case, options, id=f"{label}, all", marks=pytest.mark.long))
        else:
            parameters.append(pytest.param(case, options, id=label))
        sorts.add(key)
    return parameters
