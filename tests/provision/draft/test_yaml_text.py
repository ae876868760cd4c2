"""The file that a draft is written as."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.provision.draft.build import build
from froude.provision.draft.table import Grouping
from froude.provision.draft.types import Access, Caller, Draft
from froude.provision.draft.yaml_text import blanks, to_text
from froude.provision.inputs.read import Parts, parse, parts_of, read_parts
from froude.provision.inputs.tree import Flaw, FlawedInputError, Flaws
from froude.provision.types import Op
from tests.support.provision.draft.build import jobs
from tests.support.provision.draft.table import log_of, read

BLANK = "is blank"


def flaws_of(draft: Draft, folder: Path) -> tuple[Flaw, ...]:
    """What `validate` finds in it."""
    (folder / "a.yaml").write_text(to_text(draft))
    with pytest.raises(FlawedInputError) as error:
        read_parts([folder / "a.yaml"])
    return error.value.flaws


def filled(draft: Draft, folder: Path) -> Parts:
    """It with every blank filled in."""
    text = to_text(draft).replace("memory: blank", "memory: 1GB").replace("time: blank", "time: 1s")
    text = text.replace("record_size: blank", "record_size: 1KB").replace("size: blank", "size: 1GB")
    text = text.replace("replication: blank", "replication: 3")
    (folder / "b.yaml").write_text(text.replace("rate: blank", "rate: 1"))
    return read_parts([folder / "b.yaml"])


@pytest.mark.parametrize("audited", [False, True])
def test_validate_finds_the_blanks_and_nothing_else(tmp_path: Path, audited: bool) -> None:
    """Each named, on the line where it stands."""
    log = log_of([read("/a/f", context="CLI"), read("/b/f", user="u")]) if audited else jobs()
    draft = build(log, Grouping())
    flaws = flaws_of(draft, tmp_path)
    assert len(flaws) == len(blanks(draft)) == to_text(draft).replace("`blank`", "").count("blank")
    lines = to_text(draft).splitlines()
    for flaw in flaws:
        assert f"{BLANK}: " in flaw.message
        assert flaw.line is not None
        assert "blank" in lines[flaw.line - 1]
    assert any("compute time of task" in flaw.message for flaw in flaws)


def test_filled_in_it_is_an_application(tmp_path: Path) -> None:
    """With the numbers of the draft."""
    draft = build(jobs(), Grouping())
    parts = filled(draft, tmp_path)
    assert parts.application is not None
    assert parts.sla is not None
    assert parts.application.task("mr_ann").operations[0].record_size == 20.0  # type: ignore[union-attr]
    assert parts.application.dataset("out").size == 500.0
    assert parts.sla.targets[0].rate == pytest.approx(2 / 60, rel=1e-3)


def test_hostile_names_stay_within_their_lines(tmp_path: Path) -> None:
    """Paths, users and contexts may hold anything."""
    nasty = "x: {[&*!|>'\"%@`\n\u2028\x85\x1b]0;# - blank"
    log = log_of(
        [read(f"/{nasty}/{nasty}/f", user=nasty), read("/b/f", context=nasty), read("/null/f", user="on")]
    )
    parts = filled(build(log, Grouping()), tmp_path)
    assert parts.application is not None
    assert len(parts.application.tasks) == 3


_NAMES = st.sampled_from(["a", "b", "B", "job_1699999999999_0001", "dt=3", "_temporary", "", "é", "null"])
_ACCESSES = st.builds(
    Access,
    st.none() | st.floats(0, 1e10),
    st.builds(
        Caller, st.text(max_size=5), st.none() | st.text(max_size=9), st.none() | st.sampled_from("xyz")
    ),
    st.sampled_from(Op),
    st.sampled_from(["open", "create"]),
    st.lists(_NAMES, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts)),
    st.none() | st.integers(0, 1 << 63).map(float),
    st.integers(1, 5),
    st.integers(0, 3),
)


@settings(max_examples=30)
@given(st.lists(_ACCESSES, min_size=1, max_size=12), st.floats(0.01, 1), st.floats(1, 1e4))
def test_any_draft_reads_back(accesses: list[Access], share: float, window_s: float) -> None:
    """Whatever was seen: nothing is wrong with it but its blanks."""
    draft = build(log_of(accesses), Grouping(share=share), window_s=window_s)
    flaws = Flaws()
    parts = parts_of(parse(to_text(draft).encode(), "a.yaml", flaws), flaws)
    assert [flaw for flaw in flaws.found() if BLANK not in flaw.message] == []
    assert len(flaws.found()) == len(blanks(draft))
    assert parts.application is not None
    assert len(parts.application.tasks) == len(draft.tasks)
