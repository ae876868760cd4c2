"""Every command with an output: never over an input, a link, a device, or what is not its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.files import kind_of_place
from froude.cli.app import as_typed, run
from froude.cli.outputs import Output, claim, page
from froude.cli.settings import Settings
from froude.documents.lineage import dump_sealed_figures, edited_file, with_lineage
from froude.documents.migrate import Migrations
from froude.documents.recognise import kind_of
from froude.render import Report, Tone, save
from froude.trace.files import read_trace
from froude.workload.plan_file import read_plan, write_plan
from froude.workload.types import Constant, Question
from froude.workload.yaml_file import open_workload, write_workload
from tests.support.cli.command_lines import FILES, LINES, ORIGIN, PARTS, Place, make_all, recorded
from tests.support.cli.sampled import sampled

Out = pytest.CaptureFixture[str]
CASES = [(name, place) for name, line in LINES.items() for place in line.outputs]
IDS = [f"{name} {place.flag}" for name, place in CASES]
FOREIGN = b"kept\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the command lines name; it is the current one."""
    folder = tmp_path / "here"
    make_all(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(folder)
    return folder


def words(name: str, place: Place, at: str | Path, *more: str) -> list[str]:
    """The command line with one output at a place, the others at places of their own."""
    line = LINES[name]
    others = [place_ for place_ in line.outputs if place_ != place and place_.flag == "--output"]
    elsewhere = [word for other in others for word in (other.flag, f"free{other.suffix}")]
    return [*line.arguments, place.flag, str(at), *elsewhere, *more]


def refused(command: list[str], capsys: Out, *parts: str) -> None:
    """One line, exit 1, with these words."""
    code = run(command)
    err = capsys.readouterr().err
    assert code == 1, err
    assert err.count("\n") == 1, err
    for part in parts:
        assert part in err, err


def state(folder: Path) -> dict[str, object]:
    """Everything under a folder: what stands where, and its bytes."""
    contents: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        contents[str(path)] = (
            path.read_bytes() if stat.S_ISREG(mode) else (stat.S_IFMT(mode), path.lstat().st_ino)
        )
    return contents


@pytest.mark.parametrize(("name", "place"), CASES, ids=IDS)
def test_what_is_no_file_is_not_replaced(name: str, place: Place, here: Path, capsys: Out) -> None:
    """A link says where it points; a pipe, a device, and a folder or file in the other's place stay."""
    at = here / f"out{place.suffix}"
    (here / "target").write_bytes(FOREIGN)
    makers = {
        "a link to": lambda: at.symlink_to(here / "target"),
        "a link to ": lambda: at.symlink_to(here / "nothing"),
        "a named pipe": lambda: os.mkfifo(at),
        "a device": lambda: os.mknod(at, stat.S_IFCHR | 0o600, os.makedev(1, 7)),
        "a file" if place.folder else "a folder": lambda: (
            at.write_bytes(FOREIGN) if place.folder else at.mkdir()
        ),
    }
    for what, make in makers.items():
        try:
            make()
        except PermissionError:  # only root makes devices
            continue
        before = state(here)
        refused(words(name, place, at), capsys, at.name, "is not replaced", what.strip())
        refused(words(name, place, at, "--force"), capsys, at.name, "is not replaced")
        assert state(here) == before
        at.rmdir() if at.is_dir() and not at.is_symlink() else at.unlink()


@pytest.mark.parametrize(("name", "place"), CASES, ids=IDS)
def test_an_input_is_not_replaced(name: str, place: Place, here: Path, capsys: Out) -> None:
    """Not by its name, not by another path to it, not by a second name of the same file; nor a file within it."""
    if not place.folder and LINES[name].inputs:
        (here / "way").symlink_to(here)
    before = state(here)
    for read in LINES[name].inputs.values():
        targets = [here / read] if (here / read).is_dir() == place.folder else []
        targets += [here / read / part for part in PARTS.get(read, ())] if not place.folder else []
        if place.folder and (here / read).is_dir() and kind_of(here / read) is not None:
            targets.append(here / read / "inside")
        for target in targets:
            for at in (target, here / "t" / ".." / target.relative_to(here)):
                for flags in ((), ("--force",), ("--dry-run",)):
                    refused(words(name, place, at, *flags), capsys, target.name)
            if not place.folder:
                through = here / "way" / target.relative_to(here)
                refused(words(name, place, through, "--force"), capsys, target.name, "input")
                (here / "twin").hardlink_to(target)
                refused(words(name, place, "twin", "--force"), capsys, "twin", "input")
                (here / "twin").unlink()
    assert state(here) == before


_LABELLED = list(zip(CASES, IDS, strict=True))


def _sort(case: tuple[str, Place]) -> tuple[str, bool]:
    return case[1].kind, case[1].folder


@pytest.mark.parametrize(("case", "chosen"), sampled(_LABELLED, ["notes", *FILES, *PARTS], _sort))
def test_what_is_foreign_is_not_replaced(
    case: tuple[str, Place], chosen: Sequence[str], here: Path, capsys: Out
) -> None:
    """A text, and every other kind of artifact; the error says what it is and how to mean it."""
    name, place = case
    line = LINES[name]
    if place.folder:
        (here / "folder").mkdir()
        (here / "folder" / "notes").write_bytes(FOREIGN)
        others = [
            "folder",
            *(p for p in PARTS if p not in line.inputs.values() and kind_of(here / p) != place.kind),
        ]
    else:
        (here / "notes").write_bytes(FOREIGN)
        others = ["notes", *(f for f in FILES if (here / f).is_file() and f not in line.inputs.values())]
    others = [each for each in others if each in chosen] or others[:1]
    before = state(here)
    for other in others:
        if kind_of(here / other) == place.kind or (place.kind == "provision" and other == "app.xml"):
            continue
        if place.flag == "--template":  # which may be filled in, and is never replaced at all
            refused(words(name, place, other), capsys, other, "already exists")
        elif name == "report" and other.endswith((".json", "w.yaml")):  # an input, and places of figures
            refused(words(name, place, other), capsys, other)
        else:
            refused(words(name, place, other), capsys, other, "Choose another" if place.folder else "--force")
    assert state(here) == before


@pytest.mark.parametrize(("case", "folders"), sampled(_LABELLED, list(PARTS), _sort))
def test_no_artifact_is_written_into(
    case: tuple[str, Place], folders: Sequence[str], here: Path, capsys: Out
) -> None:
    """Neither in the place of a file of it nor beside one; by no way to it, and not with --force."""
    name, place = case
    for folder in folders:
        shutil.copytree(here / folder, here / f"other-{folder}")
        (here / f"way-{folder}").symlink_to(f"other-{folder}")
    before = state(here)
    for folder in folders:
        parts = (
            ()
            if place.folder
            else (f for f in PARTS[folder] if place.kind != "page" or not f.endswith(".json"))
        )
        for file in (*parts, f"new{place.suffix}", f"deep/new{place.suffix}"):
            refused(words(name, place, f"way-{folder}/{file}"), capsys, "lies in another artifact")
            command = words(name, place, f"other-{folder}/{file}", "--force")
            refused(command, capsys, f"{file}: lies in another artifact", f"other-{folder}, a ")
    assert state(here) == before


RECORDINGS = [(name, place) for name, place in CASES if place.kind in {"trace", "run"}]


@pytest.mark.parametrize(("name", "place"), RECORDINGS, ids=[name for name, _ in RECORDINGS])
def test_recordings_are_never_replaced(name: str, place: Place, here: Path, capsys: Out) -> None:
    """Nor by one of their own kind: what happened does not happen again."""
    at = {"trace": "t", "run": "r"}[place.kind]
    before = state(here)
    for flags in ((), ("--force",)):
        refused(words(name, place, at, *flags), capsys, at, "already exists", "Choose another")
    assert state(here) == before


def edited(name: str, place: Place, here: Path) -> Path:
    """An artifact of the kind that a command writes, in a place of its own, edited by a blank line."""
    at = here / f"mine{place.suffix}"
    if place.kind == "plan":
        write_plan(at, read_plan(here / "p"))
    elif place.kind == "datacenter":
        shutil.copytree(here / "dc", at)
    elif place.kind == "block-lists":
        assert run(words(name, place, at)) == 0
    elif place.kind == "page":
        save(Report("A page", "", "", Tone.GOOD), at, suffix=".none")
    elif place.suffix == ".yaml" and place.kind != "scenario":  # that has no lineage
        text = f"froude: {place.kind}/1\n# made\na: 1\n"
        at.write_text(with_lineage(text, Migrations(place.kind, 1), ORIGIN))
    else:
        at.write_text(dump_sealed_figures(Migrations(place.kind, 1), {"a": 1}, ORIGIN))
    if place.kind not in {"bill", "image", "log", "scenario", "workload"}:
        assert edited_file(at) is None
    files = sorted(at.glob("*.yaml")) if place.folder else [at]
    files[-1].write_text(files[-1].read_text() + "\n")  # of a plan its workload
    return at


WRITTEN = [
    (name, place)
    for name, place in CASES
    if place.kind not in {"trace", "run", "audit", "rates"}  # never replaced at all
]


@pytest.mark.parametrize(("name", "place"), WRITTEN, ids=[f"{name} {place.flag}" for name, place in WRITTEN])
def test_what_a_person_edited_is_not_replaced(name: str, place: Place, here: Path, capsys: Out) -> None:
    """Of any kind, by any command; the error names the file and --force, and nothing is done."""
    at = edited(name, place, here)
    capsys.readouterr()
    before = state(here)
    for flags in ((), ("--dry-run",), ("--json",)):
        code = run(words(name, place, at, *flags))
        said = capsys.readouterr()
        assert code == 1, said.err
        for part in (at.name, "is not replaced", "--force"):
            assert part in said.err
        assert "was edited" in said.err or "may be a person's work" in said.err, said.err
        assert "--json" not in flags or "error" in json.loads(said.out)
        assert state(here) == before


EDITS = {
    "comment": lambda text: text + "# mine\n",
    "blank": lambda text: text.replace(": ", ":  ", 1),
    "line ends": lambda text: text.replace("\n", "\r\n"),
    "value": lambda text: text.replace("spacing_s: 0.01", "spacing_s: 0.02"),
    "command": lambda text: text.replace("command: froude", "command: Froude"),
    "tag": lambda text: text.replace("\nrecorded", "\ntags: [mine]\nrecorded"),
    "content": lambda text: text.replace("content: ", "content: 0"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_counts(edit: str, here: Path, capsys: Out) -> None:
    """Of values, of comments and blanks, and of what it states of itself; --force loses it."""
    file = here / "mined.yaml"
    write_workload(file, recorded(), ORIGIN)
    claim(Settings(), [Output(file, "workload")])
    text = EDITS[edit](file.read_text())
    assert text != file.read_text()
    file.write_bytes(text.encode())
    refused(
        ["mine", "t", "-o", str(file)], capsys, "mined.yaml", "was edited since Froude wrote it", "--force"
    )
    assert file.read_bytes() == text.encode()
    assert run(["mine", "t", "-o", str(file), "--force"]) == 0


def test_answers_are_a_persons_work(here: Path, capsys: Out) -> None:
    """A workload that `froude review` wrote answers into is not mined again over them."""
    question = Question("q", "how many?", "client", None, None, (1, 2), (Constant(1), Constant(2)))
    file = here / "mined.yaml"
    write_workload(file, replace(recorded(), questions=(question,)), ORIGIN)
    claim(Settings(), [Output(file, "workload")])
    write_workload(file, replace(recorded(), questions=(replace(question, answered=True),)), ORIGIN)
    before = file.read_bytes()
    refused(["mine", "t", "-o", str(file)], capsys, "mined.yaml", "questions were answered", "--force")
    assert file.read_bytes() == before


def test_an_older_file_is_known_by_its_content(here: Path) -> None:
    """Without a seal the values of its lineage count; a document without a lineage is a person's work."""
    file = here / "w.yaml"
    text = re.sub(r"\n  text: .*", "", file.read_text())
    file.write_text(text)
    claim(Settings(), [Output(file, "workload")])
    for other in (text.replace("spacing_s: 0.01", "spacing_s: 0.02"), "froude: workload/3\nnodes: {}\n"):
        file.write_text(other)
        with pytest.raises(InputError, match=r"w\.yaml: "):
            claim(Settings(), [Output(file, "workload")])


def test_a_sweep_does_not_replace_its_edited_answer(here: Path, capsys: Out) -> None:
    """Runs are added to its folder; `sweep.json` in it is an artifact as any other."""
    (here / "sweep").mkdir()
    text = dump_sealed_figures(Migrations("swept", 1), {}, ORIGIN)
    (here / "sweep" / "sweep.json").write_text(text + "\n")
    refused(["sweep", "sw.yaml", "-o", "sweep"], capsys, "sweep.json: is not replaced: it was edited")


QUICK = [
    (name, place)
    for name, place in CASES
    if name
    in {
        "mine", "extrapolate", "report", "provision convert", "provision draft", "provision compile",
        "provision evaluate", "provision import",
    }
    and place.flag not in {"--template", "--bill"}  # nothing shows whether a bill was edited
]  # fmt: skip


@pytest.mark.parametrize(("name", "place"), QUICK, ids=[f"{name} {place.flag}" for name, place in QUICK])
def test_its_own_kind_is_replaced_and_with_force_another(
    name: str, place: Place, here: Path, capsys: Out
) -> None:
    """What a command wrote it writes again; an empty file is free; --force takes a foreign file's place."""
    if name.startswith("provision") and name.split()[1] in {"compile", "evaluate"}:
        pytest.importorskip("highspy")
    at = here / f"out{place.suffix}"
    for _ in range(2):
        assert run(words(name, place, at)) in {0, 3}, capsys.readouterr().err
        assert (kind_of(at) or place.kind) == place.kind
    if not place.folder:
        for flags, data in (((), b""), (("--force",), FOREIGN)):
            at.write_bytes(data)
            assert run(words(name, place, at, *flags)) in {0, 3}, capsys.readouterr().err
            assert at.stat().st_size > len(FOREIGN)


def test_figures_beside_a_page_are_an_output_too(here: Path, capsys: Out) -> None:
    """`froude play --json > run.json`, then a report to `run.html`: the results stay."""
    (here / "run.json").write_text('{"bottleneck": "neither"}')
    refused(["report", "r", "-o", "run.html"], capsys, "run.json: is not replaced", "--force")
    assert not (here / "run.html").exists()
    assert run(["report", "r", "-o", "page.html", "--static"]) == 0
    assert run(["report", "r", "-o", "page.html", "--static"]) == 0
    refused(["report", "r", "-o", "page.json"], capsys, "is the place of the figures")


def test_review_writes_into_its_input(here: Path, capsys: Out) -> None:
    """On purpose; a link is refused before any answer is given."""
    (here / "link.yaml").symlink_to("w.yaml")
    refused(["review", "link.yaml", "--accept"], capsys, "link.yaml", "a link to")
    assert run(["review", "link.yaml", "--list", "--dry-run"]) == 0
    before = state(here)
    refused(["review", "p/workload.yaml", "--accept"], capsys, "p/workload.yaml", "lies in another artifact")
    assert run(["review", "p/workload.yaml", "--list"]) == 0
    assert state(here) == before


def test_lineage_names_the_command_as_typed(here: Path) -> None:
    """With its quotes, from trace to plan, each naming the content that it was made from."""
    assert run(["mine", "t", "-o", "a b.yaml"]) == 0
    mined = open_workload(here / "a b.yaml")
    assert mined.lineage is not None
    assert mined.lineage.command == "froude mine t -o 'a b.yaml'"
    trace = read_trace(here / "t").lineage
    assert trace is not None
    assert mined.lineage.inputs == mined.workload.recorded.traces == (trace.content_hash,)
    assert as_typed(["x", "a\udcffb"]) == "froude x 'a\\udcffb'"


def test_an_edited_workload_is_named_by_what_it_holds(here: Path, capsys: Out) -> None:
    """A note says that it was edited, and what is made from it names what it holds now."""
    from froude.documents.lineage import content_of

    file = here / "w.yaml"
    before = content_of(file)
    file.write_text("# a comment\n" + file.read_text())
    write = [*LINES["extrapolate"].arguments, "-o"]
    assert run([*write, "one"]) == 0
    assert "edited" not in capsys.readouterr().err
    file.write_text(file.read_text().replace("spacing_s: 0.01", "spacing_s: 0.02"))
    assert run([*write, "two"]) == 0
    assert "note: w.yaml: edited since it was written on 20" in capsys.readouterr().err
    assert content_of(file) != before
    for folder, content in (("one", before), ("two", content_of(file))):
        assert content in (here / folder / "plan.yaml").read_text()


def test_an_output_that_holds_an_input_is_refused(here: Path, capsys: Out) -> None:
    """A plan made from the workload within a plan would take it away."""
    line = ["extrapolate", "p/workload.yaml", *LINES["extrapolate"].arguments[2:], "-o", "p"]
    refused(line, capsys, "p: holds an input of this command", "p/workload.yaml")
    refused([*line[:-1], str(here)], capsys)


@pytest.mark.parametrize("foreign", ["notes.txt", "x"])
def test_a_plan_with_anything_foreign_in_it_is_not_replaced(foreign: str, here: Path, capsys: Out) -> None:
    """A person's notes, a plan within the plan: neither with --force nor in a dry run."""
    if foreign == "x":
        write_plan(here / "p" / foreign, read_plan(here / "p"))
    else:
        (here / "p" / foreign).write_bytes(FOREIGN)
    before = state(here)
    for flags in ((), ("--force",), ("--dry-run",)):
        line = [*LINES["extrapolate"].arguments, "-o", "p", *flags]
        refused(line, capsys, "p: is not replaced", f"found {foreign}", "Choose another place, or move")
    assert state(here) == before


def test_two_outputs_in_one_place(tmp_path: Path) -> None:
    """By whatever path."""
    settings = Settings()
    with pytest.raises(InputError, match="is the place of two outputs"):
        claim(settings, [Output(tmp_path / "a.json", "x"), Output(tmp_path / "." / "a.json", "y")])
    with pytest.raises(InputError, match=r"a\.json: "):
        claim(settings, [Output(tmp_path / "a.json", "x"), *page(tmp_path / "a.html")])
    claim(settings, page(tmp_path / "a.html"), [tmp_path / "none", None])
    claim(replace(settings, force=True), page(None))


def test_an_input_folder_that_is_no_artifact_may_be_written_to(tmp_path: Path) -> None:
    """Such as a folder of jars, or of a device that is measured; what lies in it is not replaced."""
    (tmp_path / "x.json").write_bytes(FOREIGN)
    claim(Settings(), [Output(tmp_path / "new.json", "x")], [tmp_path])
    with pytest.raises(InputError, match="allowed: an image"):
        claim(Settings(), [Output(tmp_path / "x.json", "image")])
    with pytest.raises(InputError, match="lies in an input"):
        claim(Settings(force=True), [Output(tmp_path / "x.json", "x")], [tmp_path])
    assert kind_of_place(tmp_path / "x.json") == "a file"
    assert ORIGIN.command == "froude test"
