"""The page of an audit log: how busy the NameNode was, with what, for whom, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.render import (
    Axis,
    Chart,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Tone,
    Value,
    ValueKind,
)
from froude.trace.audit.files import Source, moment
from froude.trace.audit.summary import AuditSummary, Share, counts_in_words

_MOST_ROWS = 25


def audit_report(summary: AuditSummary) -> Report:
    """A page of an audit log."""
    meta = summary.meta
    rate = meta.lines / max(summary.seconds, 1.0)
    lede = (
        f"**{counted(meta.lines, 'line')}** in {seconds_text(summary.seconds)}, {rate:,.0f} a second and at most "
        f"{summary.peak_per_s:,}; {counted(summary.clients, 'client')}, {counted(summary.denied, 'call')} denied."
    )
    figures = (
        KeyFigure("lines", meta.lines),
        KeyFigure("mean rate", round(rate, 1), unit="lines/s"),
        KeyFigure("most in a second", summary.peak_per_s, unit="lines"),
        KeyFigure("clients", summary.clients, note="pairs of user and address"),
        KeyFigure("denied", summary.denied, unit="lines"),
    )
    sections = (
        Section("Over time", _over_time(summary)),
        Section("Commands", (_shares("Command", summary.commands, meta.lines, "Commands"),)),
        Section(
            "Who",
            (
                _shares("User", summary.users, meta.lines, "Users with the most lines"),
                _shares("Address", summary.hosts, meta.lines, "Addresses with the most lines"),
            ),
        ),
        Section(
            "Where",
            (
                _shares(
                    "Folder",
                    summary.folders,
                    meta.lines,
                    "Folders that the most paths lie in",
                    _remark(summary),
                ),
                _shares("Path", summary.paths, meta.lines, "Paths with the most lines", _remark(summary)),
            ),
        ),
        Section("What was read", (_sources(summary), _facts(summary))),
    )
    bad = meta.counts.bad
    tone = Tone.WARNING if bad else Tone.NEUTRAL
    if bad:
        lede += f" {counted(bad, 'line')} left out."
    return Report(f"Audit log {summary.name}", "", lede, tone, figures, sections)


def _facts(summary: AuditSummary) -> Table:
    meta = summary.meta
    facts = {
        "From": moment(meta.begin_us).isoformat(" ", "milliseconds"),
        "To": moment(meta.end_us).isoformat(" ", "milliseconds"),
        "Time zone of its dates": meta.zone,
        "Cut": meta.cut,
        "Counted": counts_in_words(asdict(meta.counts)),
        "Left out": "; ".join(meta.bad_places),
        "Anonymised": "yes" if meta.anonymised else "",
        "Lines of impersonated users": f"{summary.proxied:,}" if summary.proxied else "",
    }
    rows: list[tuple[Value, ...]] = [(name, text) for name, text in facts.items() if text]
    return Table((Column("What"), Column("")), rows, "How it was read")


def _over_time(summary: AuditSummary) -> tuple[Chart, Chart]:
    begin = [rate.begin_s for rate in summary.rates]
    x = Axis("time since the first line", ValueKind.DURATION)
    lines = (
        Series("mean", begin, [rate.per_s for rate in summary.rates]),
        Series("most in a second", begin, [float(rate.peak) for rate in summary.rates]),
    )
    heard = (Series("clients", begin, [float(rate.clients) for rate in summary.rates]),)
    return (
        Chart("Lines a second", x, Axis("lines", unit="lines/s"), lines),
        Chart("Clients heard from in one second, at most", x, Axis("clients", unit="clients"), heard),
    )


def _shares(title: str, shares: Sequence[Share], lines: int, caption: str, note: str = "") -> Table:
    return (
        TableOf[Share]()
        .code(title, lambda each: each.name)
        .number("Lines", lambda each: each.lines)
        .share("Share", lambda each: each.lines / max(lines, 1))
        .number("Denied", lambda each: each.denied)
        .of(shares[:_MOST_ROWS], caption, note=note)
    )


def _remark(summary: AuditSummary) -> str:
    if summary.paths_exact:
        return ""
    return "There were too many to count all: those that are rare for long may have more lines than is said."


def _sources(summary: AuditSummary) -> Table:
    return (
        TableOf[Source]()
        .code("Log", lambda each: each.name)
        .number("Lines", lambda each: each.lines)
        .number("Of another kind", lambda each: each.bad)
        .of(summary.meta.sources, "Logs, in the order of their times")
    )
