"""Draws the lanes of a mined pattern as SVG: segments, loops, periodic calls, and anchors of arrows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup
from markupsafe import escape as escape_markup

from froude.render.format import TIMES, number, one_line
from froude.render.pattern import ArrowKind, Pattern
from froude.render.pattern_lane import (
    HEAD,
    LABEL_SIZE,
    LOOP_ROOM,
    NOTE,
    ROW,
    START_SIZE,
    WIDTH,
    Box,
    BoxKind,
    LaidLane,
    LaneRow,
    Reference,
    RowKind,
    anchors_of,
    lay_lane,
)
from froude.render.pattern_text import fit
from froude.render.pattern_text import width as text_width
from froude.render.theme import MONO, SANS, colour, series_colour

_NAME = 11.5
"""Size of method names."""
_COLOURS = {ArrowKind.START: "ink", ArrowKind.CAUSE: "c2"}


def lane_svgs(pattern: Pattern) -> list[str]:
    """A picture of each lane, as one `<svg>` element with the page's colours; every string of the pattern is escaped."""
    anchors = anchors_of(pattern)
    laid = (lay_lane(lane, anchors, fold_at=pattern.fold_at) for lane in pattern.lanes)
    return [_frame(lane, "".join(_lane(lane, series_colour(n)))) for n, lane in enumerate(laid)]


def _frame(laid: LaidLane, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {laid.height:.0f}"'
        f' width="{WIDTH:.0f}" height="{laid.height:.0f}" font-family="{escape(SANS)}">{body}</svg>'
    )


def _lane(laid: LaidLane, tint: str) -> Iterator[str]:
    yield _rect((0.5, 0.5, WIDTH - 1, laid.height - 1), colour("card"), colour("line"), radius=9)
    # a band of the lane's colour along the top edge, following its round corners
    yield (
        f'<path d="M0.5 9.5a9 9 0 0 1 9-9h{WIDTH - 19:.1f}a9 9 0 0 1 9 9v-5'
        f'h0H0.5z" fill="none"/><path d="M3.5 4.5Q6 1.8 9.5 1.8H{WIDTH - 9.5:.1f}'
        f'Q{WIDTH - 6:.1f} 1.8 {WIDTH - 3.5:.1f} 4.5" fill="none" stroke="{tint}"'
        f' stroke-width="3.4" stroke-linecap="round"/>'
    )
    room = WIDTH - 24
    yield from _badge(laid.number, WIDTH - 12, 18)
    yield _text(
        (12, 23),
        fit(laid.lane.name, room - badge_room(laid.number), 14, bold=True),
        colour("ink"),
        14,
        weight=650,
    )
    count = f"{TIMES} {laid.lane.count}" if laid.lane.count else ""
    below = " · ".join(part for part in (count, laid.lane.does) if part)
    yield _text((12, 39), fit(below, room, 12), colour("faint"), 12, hint=below)
    y = HEAD + 9.0
    for words in laid.start:
        yield _text((12, y), words, colour("soft"), START_SIZE, hint=f"starts {laid.lane.start}")
        y += NOTE + 1
    yield from _references(laid.references, 12, y, WIDTH - 24)
    for box in laid.boxes:
        yield from _box(box)
    for row in laid.rows:
        yield from _row(row)


def _box(box: Box) -> Iterator[str]:
    line, sunk = colour("line"), colour("sunk")
    if box.kind is not BoxKind.LOOP:
        dash = "" if box.kind is BoxKind.STATIC else ' stroke-dasharray="3 3"'
        fill = sunk if box.kind is BoxKind.STATIC else "none"
        yield _rect((box.x, box.y, box.width, box.height), fill, line, radius=6, more=dash)
        yield _text((box.x + 10, box.y + 15), box.label, colour("faint"), 10.5)
        return
    # two edges showing behind the box: a deck of cards is the same thing many times
    tint, card = colour("c1"), colour("card")
    for step in (5, 2.5):
        faded = f' stroke-opacity="{0.75 - step * 0.09:.2f}"'
        yield _rect((box.x + step, box.y + step, box.width - step, box.height), card, tint, more=faded)
    yield _rect((box.x, box.y, box.width - 2, box.height), card, tint, more=' stroke-width="1.3"')
    yield _loop_sign(box.x + 17, box.y + 14.5, tint)
    value = f"= {box.value}" if box.value else ""
    beside = text_width(value, LABEL_SIZE, bold=True) + 8 if value and not box.value_below else 0
    label = fit(f"{TIMES} {box.label}", box.width - LOOP_ROOM - beside, LABEL_SIZE, bold=True)
    hint = f"repeated {box.label} times"
    x, y, ink = box.x + 30, box.y + 19, colour("ink")
    yield _text((x, y), label, ink, LABEL_SIZE, weight=600, hint=hint)
    if box.value_below:
        yield _text((x, y + NOTE + 2), value, tint, LABEL_SIZE, weight=650)
    elif value:
        yield _text((box.x + box.width - 13, y), value, tint, LABEL_SIZE, weight=650, anchor="end")


def _row(row: LaneRow) -> Iterator[str]:
    if row.kind is RowKind.FOLD:
        yield from _fold(row)
        return
    count = f"{TIMES} {number(row.count)}" if row.count > 1 else ""
    end = row.x + row.width - badge_room(row.number)
    room = end - row.x - (text_width(count, 12) + 8 if count else 0) - 12
    yield f'<circle cx="{row.x + 3:.1f}" cy="{row.middle:.1f}" r="2.4" fill="{colour("faint")}"/>'
    name = fit(row.text, room, _NAME, mono=True)
    yield _text((row.x + 12, row.middle + 4), name, colour("ink"), _NAME, mono=True, hint=row.text)
    if count:
        yield _text((end, row.middle + 4), count, colour("soft"), 12, anchor="end")
    yield from _badge(row.number, row.x + row.width, row.middle)
    y = row.y + ROW + NOTE - 5
    if row.note:
        yield _text((row.x + 12, y), fit(row.note, row.width - 12, 11), colour("faint"), 11, hint=row.note)
        y += NOTE
    yield from _references(row.references, row.x + 12, y, row.width - 12)
    if row.kind is RowKind.PERIODIC:
        yield _train(row)


def _fold(row: LaneRow) -> Iterator[str]:
    """Three dots, how many calls, and below them which."""
    for step in (-5, 0, 5):
        yield (
            f'<circle cx="{row.x + 3:.1f}" cy="{row.middle + step:.1f}" r="1.3" fill="{colour("faint")}"/>'
        )
    yield _text((row.x + 12, row.middle + 4), row.text, colour("soft"), 12, hint=row.note)
    note = fit(row.note, row.width - 12, 11)
    yield _text((row.x + 12, row.y + ROW + NOTE - 5), note, colour("faint"), 11, hint=row.note)


def _train(row: LaneRow) -> str:
    """A line with regular spikes, beside the period: time makes this call."""
    start = row.x + 12 + text_width(row.note, 11) + 12
    end, base = row.x + row.width, row.y + ROW + NOTE - 5
    if end - start < 30:
        return ""
    path = f"M{start:.1f} {base:.1f}"
    x = start
    # a second apart is close together, a minute is wide: by the logarithm, as the ear would hear it
    pause = 15.0 if row.every_s is None else min(60.0, max(6.0, 8 + 14 * math.log10(max(row.every_s, 0.1))))
    while x + pause + 5 <= end:
        path += f"h{pause:.1f}v-9h3v9h2"
        x += pause + 5
    return f'<path d="{path}" fill="none" stroke="{colour("c4")}" stroke-width="1.3"/>'


def badge_room(source: int) -> float:
    """Width of a source's number, with the space before it; 0 without one."""
    return text_width(str(source), 10.5, bold=True) + 16 if source else 0.0


def _badge(source: int, end: float, middle: float) -> Iterator[str]:
    """The number of a source, at the right."""
    if source:
        width = badge_room(source) - 6
        yield _rect((end - width, middle - 8, width, 16), colour("sunk"), colour("ink"), radius=8)
        words = str(source)
        yield _text((end - width / 2, middle + 4), words, colour("ink"), 10.5, weight=650, anchor="middle")


def _references(references: Sequence[Reference], x: float, y: float, room: float) -> Iterator[str]:
    """A line for each kind of arrow that ends here, the first at y."""
    for line, each in enumerate(references):
        words, ink = fit(each.text, room, 11, bold=True), colour(_COLOURS[each.kind])
        yield _text((x, y + NOTE * line), words, ink, 11, weight=600, hint=each.hint)


def escape(text: str) -> Markup:
    """Text for an SVG file: escaped, and without the characters that XML does not allow."""
    return escape_markup("\n".join(one_line(line) for line in text.split("\n")))


def _loop_sign(x: float, y: float, colour: str) -> str:
    return (
        f'<g transform="translate({x:.1f} {y:.1f})" fill="none" stroke="{colour}" stroke-width="1.6"'
        f' stroke-linecap="round"><path d="M4.6 -2.6A5.2 5.2 0 1 0 5.2 1"/>'
        f'<path d="M5.6 -6V-2.2H1.8"/></g>'
    )


def _rect(
    place: tuple[float, float, float, float], fill: str, stroke: str, *, radius: float = 7, more: str = ""
) -> str:
    x, y, width, height = place
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}"'
        f' fill="{fill}" stroke="{stroke}"{more}/>'
    )


def _text(
    at: tuple[float, float],
    text: str,
    fill: str,
    size: float,
    *,
    weight: int = 400,
    anchor: str = "start",
    mono: bool = False,
    hint: str = "",
) -> str:
    face = f' font-family="{escape(MONO)}"' if mono else ""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    title = f"<title>{escape(hint)}</title>" if hint and hint != text else ""
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{size:g}" fill="{fill}"{face}{bold}{side}>'
        f"{escape(text)}{title}</text>"
    )
