"""Other names: the same structure, nothing that tells."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.fsimage.anonymise import Names

NAMES = Names(bytes(range(32)))
_PART = st.text("abcdefgh.=_-\u00e4", min_size=1, max_size=12)


@given(st.lists(_PART, max_size=6), st.lists(_PART, max_size=6))
def test_paths_keep_their_shape(left: list[str], right: list[str]) -> None:
    """Depth, and how many folders two paths share."""
    paths = ["/" + "/".join(parts) for parts in (left, right)]
    others = [NAMES.path(path).split("/") for path in paths]
    parts = [path.split("/") for path in paths]
    assert [len(each) for each in others] == [len(each) for each in parts]
    for at in range(min(map(len, parts))):
        assert (others[0][at] == others[1][at]) == (parts[0][at] == parts[1][at])


@given(st.text(max_size=300))
def test_any_text_has_another_name(text: str) -> None:
    """A path stays one, no component is too long for HDFS, and nothing breaks."""
    other = NAMES.path(text)
    assert all(len(part) <= 255 for part in NAMES.path(f"/{text}".replace("/", "_")).split("/"))
    assert (not text) == (not other)
    for f in (NAMES.user, NAMES.group, NAMES.host, NAMES.permission, NAMES.context):
        f(text)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/user",
        "/.reserved/raw/user",
        "/.reserved/.inodes/16390",
        "/tmp/_temporary/_SUCCESS",
        "/user/.Trash/Current",
        "/tmp/.snapshot",
        "/tmp/part-m-00001",
    ],
)
def test_what_hdfs_and_jobs_treat_on_its_own_stays(path: str) -> None:
    """Folders of the system, marks of jobs, numbers of parts."""
    assert NAMES.path(path) == path


def test_what_tells_something_does_not() -> None:
    """Names, partitions, the extensions that are names; common ones and leading marks stay."""
    other = NAMES.path("/user/john.smith/db.db/year=2026/part-00000.snappy.parquet._COPYING_")
    assert not any(word in other for word in ("john", "smith", "2026", "year"))
    assert other.endswith("/part-00000.snappy.parquet._COPYING_")
    assert NAMES.path("/_hidden").startswith("/_")
    assert NAMES.path("/.hidden").startswith("/.")
    assert NAMES.path("/a.smith").split(".")[1] != "smith"


def test_a_home_folder_is_called_as_its_user() -> None:
    """Realm and host apart; a group of the same name, too."""
    assert NAMES.path("/user/alice") == f"/user/{NAMES.user('alice')}"
    user, realm = NAMES.user("alice/nn1.example.com@EXAMPLE.COM").split("@")
    assert user.split("/")[0] == NAMES.user("alice") == NAMES.group("alice")
    assert realm == NAMES.user("bob@EXAMPLE.COM").split("@")[1]
    assert NAMES.user("hdfs") == "hdfs"
    assert NAMES.permission("alice:ops:rw-r--r--") == f"{NAMES.user('alice')}:{NAMES.group('ops')}:rw-r--r--"


def test_lists_and_contexts_are_taken_apart() -> None:
    """Each path of a list, each word of a context."""
    assert NAMES.path("[/a, /b]") == f"[{NAMES.path('/a')}, {NAMES.path('/b')}]"
    assert NAMES.context("CLI") == "CLI"
    other = NAMES.context("mr_attempt_16_0001,clientIp:10.0.0.1")
    assert other.startswith("mr_attempt_")
    assert ",clientIp:" in other
    assert "10.0.0.1" not in other


def test_addresses_stay_addresses() -> None:
    """Of a private net; hosts do not."""
    assert NAMES.host("192.168.1.7").startswith("10.")
    assert NAMES.host("fe80::1").startswith("fd00::")
    assert "example" not in NAMES.host("nn1.example.com")
    assert NAMES.host("") == ""


def test_the_key_is_all_that_names_follow_from() -> None:
    """The same one gives the same names, elsewhere as well; another gives others."""
    assert pickle.loads(pickle.dumps(NAMES)).path("/a/b") == NAMES.path("/a/b")
    assert Names(bytes(16)).path("/a/b") != NAMES.path("/a/b")
    with pytest.raises(ValueError, match="16 to 64"):
        Names(b"short")
