"""Examples in the documentation and in the commands' help, taken out as they stand."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from testbed.pages import BLOCK, ROOT
from tests.support.cli.command_lines import commands

LANGUAGES = {"python", "sh", "text", "toml", "xml", "yaml"}
"""Of code blocks: every one says what it is. `sh` is a command, `text` is what something prints."""
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
    """Of modules that show code, by their file's name."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        if "```" in (text := path.read_text()):  # a tenth of the time that parsing all of them takes
            yield str(path.relative_to(ROOT)), ast.get_docstring(ast.parse(text)) or ""


def blocks(language: str | None = None) -> list[Block]:
    """All code blocks, or those in one language; one that stands in several places only once, where it is first."""
    texts: dict[str, Block] = {}
    for name, text in (*pages(), *docstrings()):
        numbers: dict[str, int] = {}
        for kind, content in BLOCK.findall(text):
            number = numbers[kind] = numbers.get(kind, -1) + 1
            if language in {None, kind}:
                texts.setdefault(f"{kind}\n{content}", Block(name, number, kind, content))
    return list(texts.values())


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
