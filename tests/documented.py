"""Examples in the documentation and in the commands' help, taken out as they stand."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cli.command_lines import commands

ROOT = Path(__file__).parent.parent
LANGUAGES = {"python", "sh", "text", "toml", "xml", "yaml"}
"""Of code blocks: every one says what it is. `sh` is a command, `text` is what something prints."""
_BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HELP = re.compile(r"Example: (froude .*)")


@dataclass(frozen=True)
class Block:
    """One code block."""

    page: str
    """The file, from the repository's folder on."""
    number: int
    """Among the blocks of its language in that file."""
    language: str
    text: str

    @property
    def id(self) -> str:
        """Its name in a test's."""
        return f"{self.page}-{self.number}"


def pages() -> Iterator[tuple[str, str]]:
    """README and documentation, by name; design notes and results are no instructions."""
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if not {"design", "results"} & set(path.parts):
            yield str(path.relative_to(ROOT)), path.read_text()


def docstrings() -> Iterator[tuple[str, str]]:
    """Of modules, by their file's name."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.get_docstring(ast.parse(path.read_text())) or ""


def blocks(language: str | None = None) -> list[Block]:
    """All code blocks, or those in one language; one that stands in several places only once, where it is first."""
    texts: dict[str, Block] = {}
    for name, text in (*pages(), *docstrings()):
        numbers: dict[str, int] = {}
        for kind, content in _BLOCK.findall(text):
            number = numbers[kind] = numbers.get(kind, -1) + 1
            if language in {None, kind}:
                texts.setdefault(f"{kind}\n{content}", Block(name, number, kind, content))
    return list(texts.values())


def page_blocks(page: str, language: str = "sh") -> list[str]:
    """The texts of one page's blocks, in their order, those that stand elsewhere as well.

    Args:
        page: its name.
        language: which blocks.
    """
    return [text for kind, text in _BLOCK.findall((ROOT / page).read_text()) if kind == language]


def help_examples() -> dict[str, str]:
    """The example in each command's help, by the command's words."""
    examples = {}
    for name, command in commands():
        text = inspect.getdoc(command) or ""
        match = _HELP.search(text) or _HELP.search(_epilog(command))
        if match is not None:
            examples[name] = match[1].strip()
    return examples


def _epilog(command: object) -> str:
    """What the group of a command shows at its end: it stands in the decorator, whose call the source has."""
    source = inspect.getsource(command)  # type: ignore[arg-type]
    decorators = ast.parse(source).body[0].decorator_list  # type: ignore[attr-defined]
    texts = (
        ast.literal_eval(keyword.value)
        for decorator in decorators
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg == "epilog"
    )
    return " ".join(texts)


def run_shell(text: str, folder: Path, *, timeout_s: float = 200) -> subprocess.CompletedProcess[str]:
    """Run commands as one types them, stopping at the first that fails.

    Args:
        text: the commands.
        folder: where.
        timeout_s: how long they may take.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FROUDE_W")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", text],
        cwd=folder,
        env={**kept, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
