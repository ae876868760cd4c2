"""Programs of the user's: run to their end, with nothing of them left."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import psutil
import pytest

from froude.base.errors import InputError
from froude.hadoop.cluster import program
from froude.hadoop.cluster.program import find_program, run_program
from tests.conftest import Gone


def script(tmp_path: Path, text: str) -> str:
    """A program."""
    path = tmp_path / "job.sh"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def ran(tmp_path: Path, text: str, *words: str, timeout_s: float = 60) -> tuple[int, str]:
    """Its exit code, and what it printed."""
    output = tmp_path / "out"
    command = [script(tmp_path, text), *words]
    code = run_program(command, environment={**os.environ, "SAID": "yes"}, output=output, timeout_s=timeout_s)
    return code, output.read_text()


def test_both_outputs_are_kept_and_there_is_no_input(tmp_path: Path) -> None:
    """In the order in which they were written; the program sees its arguments and its environment."""
    text = '#!/bin/sh\necho "$1 $SAID"\necho problem >&2\ncat\nexit 3\n'
    assert ran(tmp_path, text, "a b") == (3, "a b yes\nproblem\n")


def test_a_script_without_a_first_line_is_the_shells(tmp_path: Path) -> None:
    """As a shell runs it."""
    assert ran(tmp_path, "echo $((1 + 1))\n") == (0, "2\n")


@pytest.mark.parametrize(("text", "code"), [("kill -9 $$", 247), ("exit 255", 255), ("exit 1", 1)])
def test_how_it_ended(tmp_path: Path, text: str, code: int) -> None:
    """A signal counts down from 256."""
    assert ran(tmp_path, f"#!/bin/sh\n{text}\n")[0] == code


def test_an_interpreter_that_is_not_there_is_said(tmp_path: Path) -> None:
    """In its output, without a traceback."""
    code, said = ran(tmp_path, "#!/no/such/shell\n")
    assert code == 126
    assert said == f"{tmp_path}/job.sh: No such file or directory\n"


def test_what_it_left_running_is_ended(tmp_path: Path, gone: Gone) -> None:
    """A child in the background, once the program itself is done."""
    code, said = ran(tmp_path, "#!/bin/sh\nsleep 600 &\necho $!\n")
    assert code == 0
    assert not psutil.pid_exists(int(said)) or gone([psutil.Process(int(said))])


def test_what_takes_too_long_is_ended_with_its_children(
    tmp_path: Path, gone: Gone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that does not listen."""
    monkeypatch.setattr(program, "_GRACE_S", 0.2)
    with pytest.raises(InputError, match=r"took longer than 0\.5 s"):
        ran(tmp_path, "#!/bin/sh\ntrap '' TERM\necho $$\nwhile :; do sleep 0.1; done\n", timeout_s=0.5)
    pid = (tmp_path / "out").read_text()
    assert not pid or not psutil.pid_exists(int(pid)) or gone([psutil.Process(int(pid))])


def test_it_is_found_as_a_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is not says why, before anything is started."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sh").write_text("#!/bin/sh\n")
    with pytest.raises(InputError, match=r"\./job.sh: may not be executed. `chmod \+x \./job\.sh`"):
        find_program("./job.sh")
    with pytest.raises(InputError, match=r"job\.sh: .*\./job\.sh"):
        find_program("job.sh")
    with pytest.raises(InputError, match=r"nothing: is no program here, nor on the PATH$"):
        find_program("nothing")
    (tmp_path / "job.sh").chmod(0o755)
    assert find_program("./job.sh") == "./job.sh"
    assert Path(find_program("sh")).is_file()


def test_it_is_looked_for_where_its_environment_says(tmp_path: Path) -> None:
    """A cluster's own `hdfs` lies in a folder that only the program's PATH names."""
    output = tmp_path / "out"
    script(tmp_path, "#!/bin/sh\necho ours\n")
    around = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert run_program(["job.sh"], environment=around, output=output, timeout_s=60) == 0
    assert output.read_text() == "ours\n"


def test_an_error_meanwhile_ends_it(tmp_path: Path, gone: Gone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as Ctrl-C."""
    out = tmp_path / "out"

    def interrupted(self: object, timeout: float | None = None) -> int:
        deadline = time.monotonic() + 20
        while not (out.exists() and out.read_text()) and time.monotonic() < deadline:
            time.sleep(0.01)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(program.subprocess.Popen, "wait", interrupted)  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path, "#!/bin/sh\necho $$\nsleep 600\n")
    pid = int(out.read_text())
    assert not psutil.pid_exists(pid) or gone([psutil.Process(pid)])
    assert threading.active_count() >= 1


def test_its_output_is_a_file_of_the_owners(tmp_path: Path) -> None:
    """A file there is replaced, not written through under its other names; what is no file is refused."""
    out = tmp_path / "out"
    out.write_text("mine")
    (tmp_path / "other").hardlink_to(out)
    assert ran(tmp_path, "echo new\n") == (0, "new\n")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert (tmp_path / "other").read_text() == "mine"
    out.unlink()
    out.symlink_to(tmp_path / "other")
    with pytest.raises(InputError, match="found a link"):
        ran(tmp_path, "echo new\n")
    assert (tmp_path / "other").read_text() == "mine"
