"""What an analysis found: figures as plain values, and a page of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from froude.base.errors import InputError
from froude.render.html import report_html, save
from froude.render.types import Report

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What an analysis found; a notebook shows its page."""

    kind: str
    """Of the document that its figures are."""
    content: Mapping[str, Any]
    """The figures, as JSON has them."""
    page: Callable[[Mapping[str, str]], Report]
    """The page, from the facts of its making."""
    missed: str | None = None
    """Why the command ends with 3, where that is not seen in the page; empty where it is; None where it ends with 0."""
    interrupted: str = ""
    """After how much of it Ctrl-C came; empty where all was done."""

    @property
    def report(self) -> Report:
        """The page, without facts."""
        return self.page({})

    def table(self, name: str) -> pa.Table:
        """The figures of a name that are rows, as an Arrow table: `answer.table("policies").to_pandas()`.

        Args:
            name: of a list in `content`, or below `found` there.

        Raises:
            KeyError: there is no such list; with those that there are.
        """
        import pyarrow as pa

        below = self.content.get("found")
        values = {**self.content, **(below if isinstance(below, Mapping) else {})}
        rows = {key: value for key, value in values.items() if isinstance(value, (list, tuple))}
        if name not in rows:
            raise KeyError(f"{name} is not one of: {', '.join(rows)}")
        return pa.Table.from_pylist(list(rows[name]))

    def save(self, path: Path | str) -> Path:
        """Write the page, and its figures as JSON next to it.

        Raises:
            InputError: the name does not end in `.html`, so that it may be an input's.
        """
        if Path(path).suffix != ".html":
            raise InputError("is not a name of a page", file=path, allowed="a name that ends in .html")
        return save(self.report, Path(path))[0]

    def __repr__(self) -> str:
        return f"<Answer {self.kind}: {self.report.title}>"

    def _repr_html_(self) -> str:
        page = escape(report_html(self.report), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="700" frameborder="0"></iframe>'
