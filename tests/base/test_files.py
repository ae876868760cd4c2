"""Files are whole or absent."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.base.files import (
    atomic_folder,
    atomic_write_all,
    atomic_write_bytes,
    atomic_write_text,
    create_file,
    file_beside,
    folder_beside,
    open_regular,
    read_at_most,
    read_bounded,
    remove_folder,
)

NOT_REPLACED = "is not replaced"
EXISTS = "already exists"


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    """Artifacts tell what a cluster stores."""
    atomic_write_text(tmp_path / "a", "x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_a_new_file_is_never_written_over(tmp_path: Path) -> None:
    """Nor is a link followed, also one to nothing."""
    with create_file(tmp_path / "a") as file:
        file.write(b"1")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to("nowhere")
    for taken in ("a", "link"):
        with pytest.raises(InputError, match=EXISTS), create_file(tmp_path / taken):
            pass
    assert (tmp_path / "a").read_bytes() == b"1"
    assert not (tmp_path / "nowhere").exists()


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    """An error while filling keeps the old folder and leaves no litter."""
    with atomic_folder(tmp_path / "t") as beside:
        (beside / "old").write_text("1")
    with pytest.raises(RuntimeError), atomic_folder(tmp_path / "t", replaces=["old"]) as beside:  # noqa: PT012
        (beside / "new").write_text("2")
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["t"]
    assert [p.name for p in (tmp_path / "t").iterdir()] == ["old"]


def test_a_folder_is_removed_with_all_in_it(tmp_path: Path) -> None:
    """Harmless where there is none."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for _ in range(2):
        remove_folder(tmp_path / "a")
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    """Replacing must be asked for."""
    with pytest.raises(InputError, match=EXISTS), atomic_folder(tmp_path):
        pass


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    """A pipe is not waited for, a device not opened; a link to a file is followed."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    assert read_bounded(tmp_path / "link", limit_bytes=9) == b"x"
    places = {
        tmp_path / "pipe": "a named pipe",
        tmp_path: "a folder",
        Path("/dev/zero"): "a device",
    }
    for place, name in places.items():
        with pytest.raises(InputError, match=f"is {name} where a file is needed"):
            read_bounded(place, limit_bytes=9)
    with pytest.raises(InputError, match="cannot be read"):
        read_bounded(tmp_path / "none\0", limit_bytes=9)


@pytest.mark.parametrize("read", ["read", "read1", "readline", "peek"])
def test_a_file_that_cannot_be_read_to_its_end_is_named(tmp_path: Path, read: str) -> None:
    """The system's error about an open file has no name: here page 0 of a process, which is never there."""
    (tmp_path / "a").symlink_to("/proc/self/mem")
    with (
        pytest.raises(InputError, match=r"a: cannot be read \(Input/output error\)"),
        open_regular(tmp_path / "a") as file,
    ):
        getattr(file, read)()


def test_a_limit_is_not_set_aside_before_it_is_needed(tmp_path: Path) -> None:
    """A file of a few bytes is read in a few bytes, however large it might be."""
    (tmp_path / "a").write_bytes(b"few")
    tracemalloc.start()
    try:
        assert read_bounded(tmp_path / "a", limit_bytes=1 << 40) == b"few"
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [100, 100_000])
def test_a_new_file_on_a_full_disk_is_named(tmp_path: Path, size: int) -> None:
    """Also where what is left in the buffer is written when the file is closed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(MissingError, match=r"a: cannot be written"), create_file(tmp_path / "a") as file:
            file.write(bytes(size))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("file", ["/proc/self/maps", "/proc/self/pagemap"])
def test_a_file_without_a_size_is_not_read(tmp_path: Path, file: str) -> None:
    """Those of the kernel may go on for terabytes; an empty file is none of them."""
    (tmp_path / "empty").touch()
    assert read_bounded(tmp_path / "empty", limit_bytes=9) == b""
    with pytest.raises(InputError, match="has no size but content"):
        read_bounded(Path(file), limit_bytes=1 << 40)


def test_a_file_that_grows_while_it_is_read_is_bounded(tmp_path: Path) -> None:
    """Beyond the limit it is refused, whatever its size was when it was opened."""
    (tmp_path / "a").write_bytes(b"x")
    with open_regular(tmp_path / "a") as file:
        (tmp_path / "a").write_bytes(b"x" * 100)
        with pytest.raises(InputError, match="is too large; found more"):
            read_at_most(file, tmp_path / "a", 10)


@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder", "/dev/null"])
def test_only_a_regular_file_is_replaced(tmp_path: Path, kind: str) -> None:
    """A link is not taken for what it points at, and a device stays one."""
    place = tmp_path / "place"
    (tmp_path / "file").write_text("kept")
    {
        "link": lambda: place.symlink_to("file"),
        "dangling": lambda: place.symlink_to("none"),
        "pipe": lambda: os.mkfifo(place),
        "folder": place.mkdir,
    }.get(kind, lambda: None)()
    place = Path(kind) if kind.startswith("/") else place
    before = place.lstat()
    with pytest.raises(InputError, match=NOT_REPLACED):
        atomic_write_text(place, "x")
    if kind != "folder":
        with pytest.raises(InputError, match=NOT_REPLACED), atomic_folder(place, replaces=[]):
            pass
    assert place.lstat().st_ino == before.st_ino
    assert (tmp_path / "file").read_text() == "kept"


def test_files_that_belong_together_are_written_all_or_none(tmp_path: Path) -> None:
    """One that cannot be written leaves the others as they were."""
    (tmp_path / "a").write_text("old")
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError, match="b: is not replaced"):
        atomic_write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"})
    with pytest.raises(MissingError, match="/c: "):
        atomic_write_all({tmp_path / "a": b"new", tmp_path / "a" / "c": b"new"})
    assert (tmp_path / "a").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_text_that_is_no_unicode_is_stated(tmp_path: Path) -> None:
    """Such as a path of other bytes."""
    with pytest.raises(InputError, match="is not Unicode"):
        atomic_write_text(tmp_path / "a", "x\udcff")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_replaced_is_there_until_the_new_one_is(tmp_path: Path) -> None:
    """And gone afterwards."""
    for number in range(2):
        with atomic_folder(tmp_path / "t", replaces=["0"]) as beside:
            (beside / f"{number}").write_text("x")
            assert (tmp_path / "t").exists() == bool(number)
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["1"]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def foreign(folder: Path, kind: str) -> None:
    """Something in a folder that is none of its parts `a` and `b`, though it may have the name of one."""
    {
        "notes.txt": lambda: (folder / "notes.txt").write_text("mine"),
        ".hidden": lambda: (folder / ".hidden").write_text("mine"),
        "x": (folder / "x").mkdir,
        "b": (folder / "b").mkdir,
        "b as a link": lambda: (folder / "b").symlink_to("a"),
    }[kind]()


@pytest.mark.parametrize("kind", ["notes.txt", ".hidden", "x", "b", "b as a link"])
@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_folder_that_holds_anything_foreign_is_not_replaced(
    tmp_path: Path, kind: str, meanwhile: bool
) -> None:
    """It is named, and stays, with all that was there; also where it came while the new folder was filled."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a").write_text("old")
    if not meanwhile:
        foreign(tmp_path / "t", kind)
    found = kind.split()[0]
    error = pytest.raises(InputError, match=rf"t: is not replaced: it holds .* found {found}. Choose another")
    with error, atomic_folder(tmp_path / "t", replaces=("a", "b")) as beside:
        (beside / "a").write_text("new")
        assert meanwhile
        foreign(tmp_path / "t", kind)
    assert (tmp_path / "t" / "a").read_text() == "old"
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == sorted(["a", found])
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_a_folder_beside_has_a_name_of_its_own(tmp_path: Path) -> None:
    """On the same disk, and gone afterwards, whatever happens."""
    with folder_beside(tmp_path / "a" / "t") as one, folder_beside(tmp_path / "a" / "t") as other:
        assert one.parent == other.parent == tmp_path / "a"
        (one / "x").write_text("1")
    with pytest.raises(KeyboardInterrupt), folder_beside(tmp_path / "a" / "t"):
        raise KeyboardInterrupt
    assert list((tmp_path / "a").iterdir()) == []


def test_read_is_bounded(tmp_path: Path) -> None:
    """A file larger than it can honestly be is refused before memory is spent."""
    (tmp_path / "big").write_bytes(b"x" * 100)
    with pytest.raises(InputError, match="100 bytes; allowed: at most 10 bytes"):
        read_bounded(tmp_path / "big", limit_bytes=10)


def test_a_full_disk_is_stated_and_leaves_nothing(tmp_path: Path) -> None:
    """Under a file-size limit the write fails with one error and no half file."""
    code = (
        "import sys, pathlib\nfrom froude.base.files import atomic_write_bytes\n"
        "from froude.base.errors import MissingError\n"
        "try:\n    atomic_write_bytes(pathlib.Path(sys.argv[1]), b'x' * 100_000)\n"
        "except MissingError as error:\n    print(error)\n"
    )

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    target = tmp_path / "out"
    command = [sys.executable, "-c", code, target]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=True)
    assert "(File too large)" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_no_right_to_write_is_stated() -> None:
    """A place that cannot be written names itself."""
    with pytest.raises(MissingError, match="/proc/froude/x: "):
        atomic_write_bytes(Path("/proc/froude/x"), b"")


_KILLED = """
import os, signal, sys
from pathlib import Path
from froude.base.files import file_beside, folder_beside

place = Path(sys.argv[1])
with (folder_beside if sys.argv[2] == "folder" else file_beside)(place) as made:
    if sys.argv[2] == "folder":
        (made / "part").write_bytes(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_error_names_the_place_that_the_folder_will_have(tmp_path: Path) -> None:
    """Not where it is until then, which is gone when the user looks."""
    with pytest.raises(InputError) as caught, folder_beside(tmp_path / "plan") as made:
        raise InputError("is wrong", file=made / "meta.yaml")
    assert caught.value.file == str(tmp_path / "plan" / "meta.yaml")


def test_hidden_files_of_a_user_stay(tmp_path: Path) -> None:
    """Whatever their names have of those that are removed."""
    names = [
        ".config.former",
        ".notes.froude",
        ".job.backup.former",
        ".notes.froude-staged",
        ".a.b.froude-former",
    ]
    for name in names:
        (tmp_path / name).mkdir()
    atomic_write_bytes(tmp_path / "other", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "other"])


def test_a_former_folder_that_is_half_removed_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed while it removes the old folder leaves what the next one removes."""
    for text in ("old", "new"):
        with monkeypatch.context() as patched, atomic_folder(tmp_path / "plan", replaces=["part"]) as made:
            (made / "part").write_text(text)
            patched.setattr("shutil.rmtree", lambda *_, **__: None)
    shutil.rmtree(tmp_path / "plan")
    atomic_write_bytes(tmp_path / "other", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("came", [False, True])
def test_a_folder_whose_successor_did_not_come_goes_back(tmp_path: Path, came: bool) -> None:
    """A process that is killed between two renames loses neither the old folder nor the new one."""
    former = tmp_path / ".plan.abcd1234.froude-former"
    former.mkdir()
    (former / "meta.yaml").write_text("old")
    if came:
        (tmp_path / "plan").mkdir()
        (tmp_path / "plan" / "meta.yaml").write_text("new")
    atomic_write_bytes(tmp_path / "other", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "plan"]
    assert (tmp_path / "plan" / "meta.yaml").read_text() == ("new" if came else "old")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, kind: str) -> None:
    """What another process still writes, and hidden files of other names, stay."""
    command = [sys.executable, "-c", _KILLED, str(tmp_path / "a"), kind]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".a.")
    with folder_beside(tmp_path / "c") as live, file_beside(tmp_path / "d") as (_, file):
        assert not left.exists()
        (tmp_path / ".mine").write_bytes(b"")
        atomic_write_bytes(tmp_path / "b", b"")
        assert live.exists()
        assert file.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine", "b", "d"]
