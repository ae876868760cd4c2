"""What the results of the tests are made of."""

from __future__ import annotations

import json

from benchmarks.results_suite import counts_of, mutant_rows, outcomes

MUTANT = {
    "module": "base/units.py",
    "line": 41,
    "before": "a  <\n b",
    "after": "a <= b",
    "start": 7,
    "statement": "",
}


def test_mutants_that_nothing_notices_are_shown_with_their_reason() -> None:
    """Those that compute the same are no part of the share."""
    fates = ["own tests"] * 34 + [
        "package's tests",
        "timeout",
        "survived",
        "survived",
        "equivalent",
        "equivalent",
    ]
    text = json.dumps(
        [{"mutant": MUTANT, "fate": fate, "why": "so" * (fate == "equivalent")} for fate in fates]
    )
    noticed, share, *others = mutant_rows([(3, outcomes(text))])
    assert (noticed.value, noticed.met) == (36, True)
    assert share.value == 100 * 36 / 38
    assert noticed.conditions == "seed 3, 40 drawn, 2 of them compute the same"
    assert [each.value for each in others] == ["survived"] * 2 + ["equivalent"] * 2
    assert others[0].measure == "base/units.py:41"
    assert others[0].conditions == "seed 3: `a < b` → `a <= b`: no test notices it"
    assert others[-1].conditions.endswith(": so")


def test_the_numbers_of_tests_are_of_pytests_last_line() -> None:
    """Whatever `make` writes before and after it."""
    output = "All checks passed!\n12 passed in 1 s\n===== 1 failed, 7063 passed, 9 skipped, 2 errors in 401.25s =====\n"
    assert counts_of(output) == {"failed": 1, "passed": 7063, "skipped": 9, "error": 2}
    assert not counts_of("make: *** [lint] Error 1")
