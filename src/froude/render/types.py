"""The values a report is made of: what is shown, never how it is drawn.

All are frozen and checked when made, so that a test reads figures instead of HTML. The picture of a mined
pattern has its own values in `froude.render.pattern`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from froude.render.pattern import Pattern

_Item = TypeVar("_Item")
Value = str | int | float | bool | None
"""What a table cell or a key figure may hold; None is shown as a dash."""


class ValueKind(Enum):
    """What a value measures, and so how it is written."""

    TEXT = "text"
    """Words, escaped and shown as they are."""
    CODE = "code"
    """Names of methods, paths, commands: shown in a fixed-width face."""
    NUMBER = "number"
    """A number with an optional unit; thousands are separated."""
    SHARE = "share"
    """A fraction from 0 to 1, written as a percentage; never rounded up to 100 % or down to 0 %."""
    PERCENTILE = "percentile"
    """A fraction from 0 to below 1 of what was measured; on an axis every further nine has the same room, as in
    HdrHistogram."""
    DURATION = "duration"
    """Seconds, written in ns, µs, ms, s, min or h."""
    BYTES = "bytes"
    """Bytes, written in decimal multiples."""
    MET = "met"
    """True, False or None: whether an aim was met."""


class Tone(Enum):
    """What a verdict, a figure or a callout means for the reader."""

    NEUTRAL = "neutral"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Text:
    """Prose in a little Markdown: paragraphs, `-` lists, `**bold**`, `*emphasis*`, code in backticks.

    Strings that come from a trace go through `froude.render.markdown.literal` first.
    """

    markdown: str


@dataclass(frozen=True, slots=True)
class Callout:
    """Something that must not be overlooked: a limit, a warning, a refusal."""

    title: str
    markdown: str = ""
    """As in `Text`."""
    tone: Tone = Tone.WARNING


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One number large enough to be read first."""

    label: str
    value: Value
    kind: ValueKind = ValueKind.NUMBER
    unit: str = ""
    """Written after a NUMBER: `calls/s`."""
    aim: float | None = None
    """What was aimed at, in the value's own unit."""
    at_most: bool = False
    """Whether the aim is an upper bound; otherwise it is a lower one."""
    note: str = ""
    """One short line below: the condition, or what it is compared with."""

    @property
    def met(self) -> bool | None:
        """Whether the aim is met; None without an aim, or when the value is no finite number."""
        if self.aim is None or isinstance(self.value, (str, bool)) or self.value is None:
            return None
        if math.isnan(self.value):
            return None
        return self.value <= self.aim if self.at_most else self.value >= self.aim


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """Key figures side by side."""

    figures: tuple[KeyFigure, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    kind: ValueKind = ValueKind.TEXT
    unit: str = ""
    """Written once, in the head, beside the title of a NUMBER column."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under typed columns; the first column names the row."""

    columns: tuple[Column, ...]
    rows: Sequence[tuple[Value, ...]]
    """Each as long as `columns`."""
    caption: str = ""
    """What the table shows, in one line."""
    note: str = ""
    """Small print below: denominator, conditions (`Text` Markdown)."""
    empty: str = "Nothing was recorded."
    """Shown in place of the rows when there are none."""

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("a table needs at least one column")
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} cells for {len(self.columns)} columns")


class TableOf(Generic[_Item]):
    """A table of items: columns, each with what it shows of an item, added one by one; and the items in the end."""

    def __init__(self, *shown: tuple[Column, Callable[[_Item], Value]]) -> None:
        self._shown = shown

    def column(self, column: Column, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """One column more."""
        return TableOf(*self._shown, (column, value))

    def words(self, title: str, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """A column of text."""
        return self.column(Column(title), value)

    def code(self, title: str, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """A column of names."""
        return self.column(Column(title, ValueKind.CODE), value)

    def number(self, title: str, value: Callable[[_Item], Value], unit: str = "") -> TableOf[_Item]:
        """A column of numbers of a unit."""
        return self.column(Column(title, ValueKind.NUMBER, unit), value)

    def dollars(self, title: str, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """A column of amounts of money."""
        return self.number(title, value, "$")

    def duration(self, title: str, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """A column of seconds."""
        return self.column(Column(title, ValueKind.DURATION), value)

    def size(self, title: str, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """A column of sizes."""
        return self.column(Column(title, ValueKind.BYTES), value)

    def share(self, title: str, value: Callable[[_Item], Value]) -> TableOf[_Item]:
        """A column of shares."""
        return self.column(Column(title, ValueKind.SHARE), value)

    def of(
        self, items: Iterable[_Item], caption: str, *, note: str = "", empty: str = "Nothing was recorded."
    ) -> Table:
        """The table of some items.

        Args:
            empty: shown in place of rows where there is none.
        """
        rows = [tuple(value(item) for _, value in self._shown) for item in items]
        return Table(tuple(column for column, _ in self._shown), rows, caption, note, empty)


class ChartKind(Enum):
    """How the series of a chart are drawn."""

    LINE = "line"
    STEP = "step"
    """A line that holds its value until the next point: gauges, counts of live nodes."""
    AREA = "area"
    """Series stacked on one another: shares of a total."""
    POINTS = "points"
    BARS = "bars"
    """Horizontal bars, one group a category; xs are categories."""
    INTERVALS = "intervals"
    """A point in its interval, one row a category; xs are categories, and each series has `low` and `high`."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis measures. A numeric axis must have a unit, by its kind or by `unit`."""

    title: str
    kind: ValueKind = ValueKind.NUMBER
    unit: str = ""
    """Unit of a NUMBER axis: `calls/s`, `blocks`, `nodes`."""
    log: bool = False
    """Logarithmic; values that are not positive are then left out, and the chart says how many."""
    extent: tuple[float, float] | None = None
    """What is shown at least, in the base unit: so that charts beside one another begin and end at the same time."""

    def __post_init__(self) -> None:
        if self.kind is ValueKind.NUMBER and not self.unit:
            raise ValueError(f"axis {self.title!r} has no unit; counts have one too, such as 'calls'")
        if self.kind is ValueKind.MET:
            raise ValueError(f"axis {self.title!r}: a verdict is no axis")


@dataclass(frozen=True, slots=True)
class Series:
    """One line, area, cloud or group of bars."""

    name: str
    xs: Sequence[float] | Sequence[str]
    """Numbers in the axis's base unit (seconds, bytes, fraction), ascending; categories for BARS and INTERVALS."""
    ys: Sequence[float | None]
    """As many as `xs`; None, NaN and infinities leave a gap."""
    panel: str = ""
    """Small multiple it belongs to; all panels share both axes."""
    dashed: bool = False
    """Drawn dashed: the second of two kinds of the same thing (from actual time, predicted)."""
    colour: int | None = None
    """Number of its colour, from 0, where a thing has one colour in several charts; None for the chart's next."""
    low: Sequence[float] = ()
    """Lower ends of intervals, as many as `ys`; empty for none."""
    high: Sequence[float] = ()
    """Upper ends."""

    def __post_init__(self) -> None:
        if len(self.xs) != len(self.ys):
            raise ValueError(f"series {self.name!r} has {len(self.xs)} xs and {len(self.ys)} ys")
        if (self.low or self.high) and not len(self.ys) == len(self.low) == len(self.high):
            raise ValueError(f"series {self.name!r} has not two ends for each of its {len(self.ys)} values")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on an axis worth naming: a limit (`on="y"`), a moment or, with `until`, a span (`on="x"`)."""

    at: float
    label: str
    on: str = "x"
    until: float | None = None

    def __post_init__(self) -> None:
        if self.on not in {"x", "y"}:
            raise ValueError(f"a mark is on 'x' or 'y', got {self.on!r}")


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over two axes, in one panel or in small multiples."""

    title: str
    """What it shows, as a statement where there is one: `p99 rises after 40 s`."""
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    kind: ChartKind = ChartKind.LINE
    marks: tuple[Mark, ...] = ()
    caption: str = ""
    """How to read it (`Text` Markdown)."""
    band: bool = False
    """Fill between each series and its dashed one of the same places: a value and its bound. Lines only."""
    joined: bool = False
    """Join points by a line through the median of those of one place, whatever their series. Points only."""
    small: bool = False
    """Half as wide as the page, beside the small charts next to it: where many belong together."""

    def __post_init__(self) -> None:
        bars = self.kind in {ChartKind.BARS, ChartKind.INTERVALS}
        for series in self.series:
            if self.kind is ChartKind.INTERVALS and not series.low and series.ys:
                raise ValueError(f"series {series.name!r} has no intervals")
            words = any(isinstance(x, str) for x in series.xs)
            if words and not bars:
                raise ValueError(f"series {series.name!r}: only bars stand over categories")
            if self.x.kind is ValueKind.PERCENTILE and any(not 0 <= float(x) < 1 for x in series.xs):
                raise ValueError(f"series {series.name!r}: a percentile's share is from 0 to below 1")


Block = Text | Callout | KeyFigures | Table | Chart | Pattern


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of a report."""

    title: str
    blocks: tuple[Block, ...]
    intro: str = ""
    """Its answer in a sentence or two (`Text` Markdown)."""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole page: the answer first, then what it rests on."""

    title: str
    subtitle: str = ""
    """What was run, where and when."""
    lede: str = ""
    """The verdict in one or two sentences (`Text` Markdown)."""
    tone: Tone = Tone.NEUTRAL
    """How the verdict went."""
    figures: tuple[KeyFigure, ...] = ()
    """The numbers that carry the verdict; three to five."""
    sections: tuple[Section, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    """Lineage, shown last: command, seed, versions, hashes of the inputs."""
