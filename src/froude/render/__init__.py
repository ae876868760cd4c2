"""Reports: values in, one self-contained HTML page and the same figures as JSON out.

A report is composed of frozen values and knows nothing of Runs or Traces; whoever has the figures writes

```python
from froude.render import Axis, Chart, Column, KeyFigure, Report, Section, Series, Table, Tone, ValueKind, save

p99 = {"addBlock": [(0.0, 0.004), (1.0, 0.006)], "complete": [(0.0, 0.002), (1.0, 0.003)]}

report = Report(
    title="Can this NameNode carry 50 clients?",
    subtitle="Hadoop 3.5.0, 2 cores, 2 min",
    lede="**Yes:** p99 of addBlock stays at 6 ms; the NameNode used 38 % of a core.",
    tone=Tone.GOOD,
    figures=(KeyFigure("p99 of addBlock", 0.006, ValueKind.DURATION, aim=0.05, at_most=True),),
    sections=(
        Section("Latency", (
            Chart("p99 by method", Axis("time since start", ValueKind.DURATION),
                  Axis("latency", ValueKind.DURATION, log=True),
                  tuple(Series("p99", *zip(*points), panel=method) for method, points in p99.items())),
            Table((Column("Method", ValueKind.CODE), Column("p99", ValueKind.DURATION)),
                  [(method, points[-1][1]) for method, points in p99.items()], "Every method"),
        )),
    ),
    facts={"Command": "froude play …", "Seed": "7"},
)
save(report, "report.html")     # and report.json beside it
```

Values are in base units everywhere: seconds, bytes, fractions; the page picks ms or GB. `panel` makes small
multiples that share their axes, `dashed` marks the second of two kinds of one thing and takes its colour
when its name begins alike (`p99` and `p99 (from actual send)`). A string that comes from a trace goes through
`literal` where Markdown is read; everywhere else it is shown as it is.
"""

from froude.render.html import report_files, report_html, save
from froude.render.json import report_dict, report_json
from froude.render.markdown import literal
from froude.render.pattern import (
    ArrowKind,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
    PatternStep,
    describe,
)
from froude.render.types import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    KeyFigures,
    Mark,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Text,
    Tone,
    Value,
    ValueKind,
)

__all__ = [
    "ArrowKind",
    "Axis",
    "Block",
    "Callout",
    "Chart",
    "ChartKind",
    "Column",
    "KeyFigure",
    "KeyFigures",
    "Mark",
    "Pattern",
    "PatternArrow",
    "PatternCall",
    "PatternLane",
    "PatternLoop",
    "PatternPeriodic",
    "PatternStep",
    "Report",
    "Section",
    "Series",
    "Table",
    "TableOf",
    "Text",
    "Tone",
    "Value",
    "ValueKind",
    "describe",
    "literal",
    "report_dict",
    "report_files",
    "report_html",
    "report_json",
    "save",
]
