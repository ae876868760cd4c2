"""The comment of a pull request: verdict and what decides first, the rest folded up, nothing interpreted."""

from __future__ import annotations

from dataclasses import replace

from froude.experiment.compare.compare import compare
from froude.experiment.figures.comment import comment
from tests.support.experiment import comparisons


def test_what_a_reviewer_reads_first() -> None:
    """Then a table with a row for each measure that decides; on what it was measured is folded up."""
    found = compare(**comparisons.arms(4, 1.3))
    text = comment(found, {"cores": "2", "release": "3.5.0"})
    first, folded = text.split("<details>", 1)
    lines = first.splitlines()
    assert lines[0].startswith("<!-- Froude: comparison; ")
    assert lines[2] == "### Is the candidate slower? Yes, it is worse"
    assert lines[4].startswith("The candidate is slower: ")
    rows = [line for line in lines if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [row.measure for row in found.deciding]
    assert rows[0].startswith("| `mean` | **slower** | ")
    assert "| cores | `2` | `2` |" in folded
    assert "Compared: 4 runs of the baseline, 4 of the candidate" in folded
    assert text.count("<details>") == text.count("</details>")


def test_names_are_shown_as_they_are() -> None:
    """Neither a cell's end nor HTML nor a link: whatever a run, a machine or a method is called."""
    found = compare(**comparisons.arms(4))
    row = replace(found.rows[0], measure="p99(a|b`<img>)")
    odd = replace(
        found,
        rows=(row,),
        remarks=("[x](y) <script> | *z*",),
        left_out={"a|`b": "it failed: <b>"},
        differences=(("JVM|x", "one|two", "<i>"),),
    )
    text = comment(odd, {})
    assert r"| ``p99(a\|b`<img>)`` |" in text
    assert r"- \[x\](y) \<script\> \| \*z\*" in text
    assert r"| JVM\|x | `one\|two` | `<i>` |" in text
    assert r"- left out: ``a|`b``: it failed: \<b\>" in text


def test_too_few_runs_have_no_table() -> None:
    """The verdict is that there are not enough."""
    text = comment(compare(**comparisons.arms(2)), {})
    assert "Not enough runs to say" in text
    assert "| `" not in text
