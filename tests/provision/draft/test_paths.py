"""Kinds of folders, and the prefixes that become datasets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.draft import paths
from froude.provision.draft.paths import Folders, belongs, components, cut, generalise

ATTEMPT = "attempt_1699999999999_0001_m_000001_0"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/logs/dt=2026-11-20/part-0", ("logs",)),
        ("/logs/2026/11/20/part-0", ("logs",)),
        (f"/tera/in/_temporary/1/_temporary/{ATTEMPT}/part-0", ("tera", "in")),
        ("/user/ann/.staging/job_1699999999999_0001/job.xml", ("user", "ann", ".staging")),
        ("/tmp/hive/ann/0f8fad5b-d9cb-469f-a165-70867728950e/x", ("tmp", "hive", "ann")),
        ("/warehouse/t/.hive-staging_hive_2026/-ext-10000/f", ("warehouse", "t")),
        ("/ingest/host17/a.gz", ("ingest", "host#")),
        ("hdfs://nn:8020/a/b/c", ("a", "b")),
        ("/file", ()),
    ],
)
def test_a_folder_s_kind(path: str, kind: tuple[str, ...]) -> None:
    """Numbers, partitions, ids and temporary folders do not make folders of their own."""
    folders = Folders()
    assert folders.kinds[folders.of_file(path)] == kind


def test_named_prefixes_take_the_longest() -> None:
    """Raw components count; the rest is the root."""
    folders = Folders(frozenset({("logs",), ("logs", "2026"), ("data", "one")}))
    kinds = [folders.kinds[folders.of_file(p)] for p in ("/logs/2026/x", "/logs/x", "/data/one", "/data/two")]
    assert kinds == [("logs", "2026"), ("logs",), ("data", "one"), ()]


def test_kinds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit paths count for their first component, or for the root; nothing more is kept."""
    monkeypatch.setattr(paths, "MOST_FOLDERS", 3)
    folders = Folders()
    kinds = [folders.kinds[folders.of_file(f"/{top}/{name}/f")] for top in "ab" for name in "vwxyz"]
    assert kinds[:3] == [("a", "v"), ("a", "w"), ("a", "x")]
    assert set(kinds[3:]) <= {("a",), ("b",), ()}
    assert len(folders.kinds) <= 6


def test_a_heavy_child_is_looked_into() -> None:
    """Down to the folders that still carry the share; what is left over is the root's."""
    kinds = [("w", "a"), ("w", "b"), ("w", "c"), ("x",), ("y",)]
    assert cut(kinds, [40, 40, 2, 15, 3], [0] * 5, share=0.1) == [("w", "a"), ("w", "b"), ("x",), ()]
    assert cut(kinds, [40, 40, 2, 15, 3], [0] * 5, share=0.1, depth=1) == [("w",), ("x",), ()]
    assert cut(kinds, [40, 40, 20, 0, 0], [0] * 5, share=0.3) == [("w", "a"), ("w", "b"), ()]


def test_bytes_count_as_much_as_calls() -> None:
    """A few large files make a dataset."""
    assert cut([("small",), ("large",)], [99, 1], [1.0, 99.0], share=0.1) == [("large",), ("small",)]
    assert cut([], [], [], share=0.1) == [()]


@given(
    st.dictionaries(
        st.lists(st.sampled_from("abc"), max_size=4).map(tuple), st.integers(1, 100), min_size=1, max_size=20
    ),
    st.floats(0.01, 0.9),
)
def test_every_folder_has_a_dataset(counts: dict[tuple[str, ...], int], share: float) -> None:
    """Each kind belongs to a prefix, and every prefix but the rest carries the share itself."""
    kinds, calls = list(counts), list(counts.values())
    prefixes = cut(kinds, calls, [0.0] * len(calls), share=share)
    held = [belongs(kind, set(prefixes)) for kind in kinds]
    assert None not in held
    for prefix in prefixes:
        mass = sum(n for owner, n in zip(held, calls, strict=True) if owner == prefix)
        assert mass >= share * sum(calls) - 1e-6 or prefix == ()


@given(st.text(max_size=60))
def test_any_text_is_a_path(text: str) -> None:
    """Whatever a log holds has a kind, of bounded depth."""
    kind = generalise(components(text))
    assert all(kind)
    assert len(kind) <= paths.DEEPEST
