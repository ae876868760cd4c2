"""One line that says what a value is, for whoever looks at it in a terminal or a notebook.

The values of an analysis hold a whole cluster: their generated representation fills pages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape

from froude.base.units import seconds_text


class Summarised(ABC):
    """Shows itself by the few facts that matter, in one line, or as a small table in a notebook."""

    __slots__ = ()

    @abstractmethod
    def summary(self) -> Mapping[str, str]:
        """The facts, by name, in the order in which they are shown; empty ones are left out."""

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}: {fact}" for name, fact in self.summary().items() if fact)
        return f"<{type(self).__name__} {facts}>"

    def _repr_html_(self) -> str:
        """The same as a table: what notebooks show."""
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(fact)}</td></tr>"
            for name, fact in self.summary().items()
            if fact
        )
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"


def counted(number: int, noun: str) -> str:
    """A number of things: `1 question`, `2,300 calls`.

    Args:
        noun: one of them; its plural has an s.
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def recognised_text(form: str, entities: str, every_s: float = 0.0, span_s: float | None = None) -> str:
    """What an import took its input for: the first line that it prints.

    Args:
        form: of the input, such as a layout with its columns.
        every_s: seconds from one sample or event to the next; 0 where that is not known.
        span_s: seconds from the first to the last; None for what has no times.
    """
    every = f", one every {seconds_text(every_s)}" if every_s else ""
    days = "" if span_s is None else f", over {span_s / 86400:.1f} days"
    span = f", over {seconds_text(span_s)}" if span_s is not None and span_s < 2 * 86400 else days
    return f"recognised {form}: {entities}{every}{span}"


def base_text(number: int, everything: int, noun: str) -> str:
    """What a statistic rests on: `31 of 500 servers`.

    Args:
        noun: one of them; its plural has an s.
    """
    return f"{number:,} of {counted(everything, noun)}"


def share_text(share: float | None) -> str:
    """A share in percent, which only the whole rounds to 100; of nothing it is not known."""
    if share is None:
        return "an unknown share"
    return "100 %" if share == 1 else f"{min(share, 0.9999):.2%}".replace("%", " %")
