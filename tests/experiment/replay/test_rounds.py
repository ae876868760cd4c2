"""What the lines of a log do when it begins again, held against a model of a namespace."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from froude.emulation.programs.audit.commands import command_of
from froude.emulation.programs.audit.lines import REMOVAL, Line
from froude.experiment.replay.rounds import Rounds


class Namespace:
    """Files and folders; an operation gives whether it was done."""

    def __init__(self, *paths: str) -> None:
        self.kinds: dict[str, str] = {"": "folder"}
        for path in paths:
            self.do(Line(0.0, 0, "mkdirs" if path.endswith("/") else "create", path.rstrip("/")))

    def below(self, path: str) -> list[str]:
        return [each for each in self.kinds if each == path or each.startswith(f"{path}/")]

    def do(self, line: Line) -> bool:
        src, dst, kinds = line.src or "", line.dst or "", self.kinds
        if line.command in {"create", "mkdirs"}:
            kind, folders = ("file", "folder")[line.command == "mkdirs"], _above(src)
            if any(kinds.get(each, "folder") == "file" for each in folders) or kinds.get(src, kind) != kind:
                return False
            kinds.update(dict.fromkeys(folders, "folder"))
            kinds[src] = kind
            return True
        if src not in kinds:
            return False
        if line.command == "delete":
            for each in self.below(src):
                del kinds[each]
        elif line.command == "rename":
            if line.options is None and kinds.get(dst) == "folder":
                dst = f"{dst}/{src.rpartition('/')[2]}"
            if (
                dst in kinds
                or kinds.get(dst.rpartition("/")[0]) != "folder"
                or f"{dst}/".startswith(f"{src}/")
            ):
                return False
            for each in self.below(src):
                kinds[dst + each.removeprefix(src)] = kinds.pop(each)
        return line.command != "open" or kinds[src] == "file"


def _above(path: str) -> list[str]:
    parts = path.split("/")[1:-1]
    return ["/" + "/".join(parts[: end + 1]) for end in range(len(parts))]


IMAGE = ("/i/", "/i/f", "/i/d/", "/i/d/g", "/i/e/h")


def a_log(seed: int, length: int) -> list[Line]:
    """Lines that are all done on the image: a log has no others, but for those that were refused."""
    rng, namespace, lines = random.Random(seed), Namespace(*IMAGE), list[Line]()
    names = "fghde"
    while len(lines) < length:
        command = rng.choice(
            ("create", "create", "mkdirs", "open", "listStatus", "delete", "rename", "setOwner")
        )
        src, dst = (
            "/i" * rng.randint(0, 1) + "".join(f"/{rng.choice(names)}" for _ in range(rng.randint(1, 3)))
            for _ in "ab"
        )
        target = dst if command == "rename" else None
        options = rng.choice((None, None, "(options=[NONE])")) if target else None
        line = Line(float(len(lines)), rng.randrange(3), command, src, dst=target, options=options)
        if namespace.do(line):
            lines.append(line)
    return lines


def rounds_of(lines: list[Line], *, image: bool = True, removes: bool = True) -> tuple[Rounds, list[Line]]:
    """What becomes of a log's lines."""
    there = Namespace(*IMAGE).kinds

    def before(paths: Iterable[str]) -> list[str] | None:
        return [path for path in paths if path in there] if image else None

    rounds = Rounds.of(lines, "~", before, removes=removes)
    return rounds, list(rounds.marked(lines))


@pytest.mark.parametrize("seed", range(100))
def test_what_was_done_once_is_done_in_each_round(seed: int) -> None:
    """Or left out; further rounds take nothing away that a copy has not made, and leave no more than two of them."""
    lines = a_log(seed, 1 + seed % 25)
    rounds, marked = rounds_of(lines)
    namespace, sizes = Namespace(*IMAGE), []
    before: set[str] = set()
    for number in range(1, 8):
        for line in filter(None, (line.of_round(number) for line in marked)):
            assert namespace.do(line), (number, line)
        own = {path for path in namespace.kinds if "~" not in path}
        before = before or own
        assert before <= own
        sizes.append(len(namespace.kinds))
    assert sizes[-1] == sizes[-2] == sizes[3]
    assert len(rounds.remarks()) == 1 + bool(rounds.counts["left out"])


def test_a_folder_is_deleted_by_the_user_that_made_it() -> None:
    """With what others made in it later; they may not delete it."""
    lines = [
        Line(0.0, 0, "mkdirs", "/new"),
        Line(1.0, 1, "create", "/new/a"),
        Line(2.0, 2, "create", "/other"),
    ]
    _, marked = rounds_of(lines)
    removals = [
        (line.src, line.client)
        for line in filter(None, (line.of_round(4) for line in marked))
        if line.options
    ]
    assert removals == [("/new~2", 0), ("/other~2", 2)]


def test_a_round_has_names_of_its_own() -> None:
    """With the number of the round behind the topmost path that the log makes; what is read stays where it was."""
    lines = [
        Line(0.0, 0, "mkdirs", "/i/new"),
        Line(1.0, 0, "create", "/i/new/a"),
        Line(2.0, 1, "open", "/i/f"),
        Line(3.0, 0, "rename", "/i/new/a", dst="/i/b"),
        Line(4.0, 0, "rename", "/i/f", dst="/i/g"),
        Line(5.0, 1, "open", "/i/g"),
        Line(6.0, 1, "rollEditLog"),
        Line(7.0, 1, "delete", "/i/d/g", allowed=False),
    ]
    _, marked = rounds_of(lines)
    paths = [(line.src, line.dst) for line in filter(None, (line.of_round(5) for line in marked))]
    assert paths[:2] == [("/i/new~5", None), ("/i/new~5/a", None)]
    assert ("/i/new~5/a", "/i/b~5") in paths
    assert not {("/i/f", None), ("/i/f", "/i/g"), ("/i/g", None)}.intersection(paths)
    removals = [
        line for line in filter(None, (line.of_round(5) for line in marked)) if line.options == REMOVAL
    ]
    assert [line.src for line in removals] == ["/i/new~3", "/i/b~3"]
    assert not [line for line in marked if line.of_round(3) and line.options == REMOVAL]
    assert [command_of(line) is not None for line in removals] == [True, True]


def test_without_an_image_a_folder_shows_by_what_is_read_in_it() -> None:
    """It was there before it was made; and where nothing is to be removed, nothing is."""
    lines = [Line(0.0, 0, "mkdirs", "/i"), Line(1.0, 0, "create", "/i/a"), Line(2.0, 0, "open", "/i/f")]
    _, marked = rounds_of(lines, image=False, removes=False)
    assert [line.src for line in filter(None, (line.of_round(2) for line in marked))] == [
        "/i",
        "/i/a~2",
        "/i/f",
    ]
    assert len(marked) == 3


def test_what_is_moved_into_a_folder_has_its_copy_there() -> None:
    """Of the image or of the log; without an image the folder shows by what is read in it, or by what is made in it.

    A log has the folder as `dst`. With options `dst` is the new path itself, as it is where there is no folder.
    """
    lines = [
        Line(0.0, 0, "create", "/in/a"),
        Line(1.0, 0, "rename", "/in/a", dst="/i/d"),
        Line(2.0, 1, "open", "/i/d/a"),
        Line(3.0, 1, "listStatus", "/i/d"),
        Line(4.0, 0, "create", "/in/b"),
        Line(5.0, 0, "rename", "/in/b", dst="/new/b", options="(options=[NONE])"),
        Line(6.0, 0, "mkdirs", "/new/c"),
        Line(7.0, 0, "rename", "/new/b", dst="/new/c/"),
        Line(8.0, 0, "delete", "/new/c/b"),
        Line(9.0, 0, "create", "/new/c/e"),
        Line(10.0, 0, "rename", "/new/c/e", dst="/new/c/b"),
        Line(11.0, 0, "create", "/in/x"),
        Line(12.0, 0, "rename", "/in/x", dst="/i/e"),
        Line(13.0, 0, "open", "/i/e/h"),
        Line(14.0, 0, "mkdirs", "/i"),
    ]
    for image in (True, False):
        rounds, marked = rounds_of(lines, image=image, removes=False)
        found = {
            line.at_s: (line.src, line.dst) for line in filter(None, (line.of_round(2) for line in marked))
        }
        assert found[1.0][1] == found[2.0][0] == "/i/d/a~2"
        assert found[3.0] == ("/i/d", None)
        assert found[7.0][1] == found[8.0][0] == found[10.0][1]
        assert found[7.0][1] in {"/new/c~2/b", "/new/c/b~2"}
        assert marked[1].of_round(1) == lines[1]._replace(copied=marked[1].copied)
        assert "/i/d" not in rounds.own | rounds.gone
        assert found[12.0][1] == "/i/e/x~2"
        assert rounds.counts["left out"] == 0


def test_a_folder_into_which_something_of_the_image_is_moved_stays() -> None:
    """What is moved is there once; the folder is read in each round."""
    lines = [
        Line(0.0, 0, "rename", "/i/f", dst="/i/d"),
        Line(1.0, 0, "open", "/i/d/f"),
        Line(2.0, 0, "listStatus", "/i/d"),
    ]
    for image in (True, False):
        _, marked = rounds_of(lines, image=image)
        assert list(filter(None, (line.of_round(2) for line in marked))) == lines[2:]


def test_a_rename_with_options_replaces_a_folder() -> None:
    """One that is empty; its `dst` is the new path."""
    lines = [
        Line(0.0, 0, "mkdirs", "/new"),
        Line(1.0, 0, "mkdirs", "/e"),
        Line(2.0, 0, "rename", "/new", dst="/e", options="(options=[OVERWRITE])"),
    ]
    for image in (True, False):
        _, marked = rounds_of(lines, image=image, removes=False)
        assert [line.copied for line in marked][2] == ["/new~\0", "/e~\0"]


def test_snapshots_of_folders_that_were_there_are_for_the_first_round() -> None:
    """A name of a snapshot is there once; in a folder of a round's own there is one in each."""
    lines = [
        Line(0.0, 0, "createSnapshot", "/i/d"),
        Line(1.0, 0, "mkdirs", "/i/new"),
        Line(2.0, 0, "createSnapshot", "/i/new"),
    ]
    rounds, marked = rounds_of(lines, removes=False)
    assert [line.src for line in filter(None, (line.of_round(2) for line in marked))] == ["/i/new~2"] * 2
    assert rounds.counts["left out"] == 1
