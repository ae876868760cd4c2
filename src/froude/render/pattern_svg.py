"""Draws a mined pattern as SVG: lanes, segments, loops, periodic calls, arrows, and a key to them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup
from markupsafe import escape as escape_markup

from froude.render.format import TIMES, number, one_line
from froude.render.pattern import ArrowKind, Pattern, PatternArrow, describe
from froude.render.pattern_lane import (
    HEAD,
    LABEL_SIZE,
    LOOP_ROOM,
    NOTE,
    ROW,
    START_SIZE,
    Box,
    BoxKind,
    LaneRow,
    RowKind,
)
from froude.render.pattern_layout import Layout, PlacedLane, Point, Route, arrow_kinds, lay_out
from froude.render.pattern_text import fit
from froude.render.pattern_text import width as text_width
from froude.render.theme import MONO, PAGE, SANS, Palette

_CORNER = 6.0
_KEY = 24.0
_NAME = 11.5
"""Size of method names: 25 characters fit into the narrowest lane of a wide page."""
_STROKES = {
    ArrowKind.START: ("ink", 1.6, ""),
    ArrowKind.CAUSE: ("c2", 1.6, ""),
    ArrowKind.FLOW: ("c3", 1.4, "4 3"),
}
_KEYS = {
    ArrowKind.START: "starts",
    ArrowKind.CAUSE: "causes",
    ArrowKind.FLOW: "passes a value to",
}


def pattern_svg(
    pattern: Pattern, *, width: float = 1080.0, palette: Palette = PAGE, prefix: str = "p"
) -> str:
    """The picture as one `<svg>` element.

    Args:
        pattern: what to draw; without lanes, a line that says so.
        width: pixels to fit into.
        palette: where colours come from.
        prefix: start of the ids inside, unique in the page.

    Returns:
        SVG text; every string of the pattern is escaped.
    """
    if not pattern.lanes:
        return _frame(
            width, 40, pattern, prefix, _text((4, 24), "No node types were found.", palette["faint"], 13)
        )
    layout = lay_out(pattern, width)
    drawing = _Drawing(palette, prefix, _labels(pattern))
    key, key_height = drawing.key(pattern, layout, width)
    parts = [
        drawing.markers(),
        *(part for lane in layout.lanes for part in drawing.lane(lane)),
        *(drawing.route(route) for route in layout.routes),
        key,
    ]
    return _frame(
        max(layout.width, min(width, 330)), layout.height + key_height, pattern, prefix, "".join(parts)
    )


def _frame(width: float, height: float, pattern: Pattern, prefix: str, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{prefix}-t {prefix}-d"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        f' font-family="{escape(SANS)}">'
        f'<title id="{prefix}-t">{escape(pattern.title)}</title>'
        f'<desc id="{prefix}-d">{escape(describe(pattern))}</desc>{body}</svg>'
    )


def _labels(pattern: Pattern) -> dict[str, str]:
    names = {call.id: f"{lane.name} {call.name}" for lane in pattern.lanes for call in lane.calls()}
    return names | {lane.name: lane.name for lane in pattern.lanes}


@dataclass(frozen=True, slots=True)
class _Drawing:
    palette: Palette
    prefix: str
    names: dict[str, str]

    def markers(self) -> str:
        heads = "".join(
            f'<marker id="{self.prefix}-{kind.value}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
            f' markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0.5 0.8 7.5 4 0.5 7.2z" fill="{self.palette[colour]}"/></marker>'
            for kind, (colour, _, _) in _STROKES.items()
        )
        return f"<defs>{heads}</defs>"

    def lane(self, placed: PlacedLane) -> Iterator[str]:
        laid, tint = placed.laid, self.palette.series(placed.number)
        yield f'<g transform="translate({placed.x:.1f} {placed.y:.1f})">'
        yield _rect(
            (0.5, 0.5, laid.width - 1, laid.height - 1), self.palette["card"], self.palette["line"], radius=9
        )
        # a band of the lane's colour along the top edge, following its round corners
        yield (
            f'<path d="M0.5 9.5a9 9 0 0 1 9-9h{laid.width - 19:.1f}a9 9 0 0 1 9 9v-5'
            f'h0H0.5z" fill="none"/><path d="M3.5 4.5Q6 1.8 9.5 1.8H{laid.width - 9.5:.1f}'
            f'Q{laid.width - 6:.1f} 1.8 {laid.width - 3.5:.1f} 4.5" fill="none" stroke="{tint}"'
            f' stroke-width="3.4" stroke-linecap="round"/>'
        )
        room = laid.width - 24
        yield _text((12, 23), fit(laid.lane.name, room, 14, bold=True), self.palette["ink"], 14, weight=650)
        count = f"{TIMES} {laid.lane.count}" if laid.lane.count else ""
        below = " · ".join(part for part in (count, laid.lane.does) if part)
        yield _text((12, 39), fit(below, room, 12), self.palette["faint"], 12, hint=below)
        for line, words in enumerate(laid.start):
            y = HEAD + 9 + (NOTE + 1) * line
            yield _text((12, y), words, self.palette["soft"], START_SIZE, hint=f"starts {laid.lane.start}")
        for box in laid.boxes:
            yield from self._box(box)
        for row in laid.rows:
            yield from self._row(row)
        yield "</g>"

    def _box(self, box: Box) -> Iterator[str]:
        line, sunk = self.palette["line"], self.palette["sunk"]
        if box.kind is not BoxKind.LOOP:
            dash = "" if box.kind is BoxKind.STATIC else ' stroke-dasharray="3 3"'
            fill = sunk if box.kind is BoxKind.STATIC else "none"
            yield _rect((box.x, box.y, box.width, box.height), fill, line, radius=6, more=dash)
            yield _text((box.x + 10, box.y + 15), box.label, self.palette["faint"], 10.5)
            return
        # two edges showing behind the box: a deck of cards is the same thing many times
        tint, card = self.palette["c1"], self.palette["card"]
        for step in (5, 2.5):
            faded = f' stroke-opacity="{0.75 - step * 0.09:.2f}"'
            yield _rect((box.x + step, box.y + step, box.width - step, box.height), card, tint, more=faded)
        yield _rect((box.x, box.y, box.width - 2, box.height), card, tint, more=' stroke-width="1.3"')
        yield _loop_sign(box.x + 17, box.y + 14.5, tint)
        value = f"= {box.value}" if box.value else ""
        beside = text_width(value, LABEL_SIZE, bold=True) + 8 if value and not box.value_below else 0
        label = fit(f"{TIMES} {box.label}", box.width - LOOP_ROOM - beside, LABEL_SIZE, bold=True)
        hint = f"repeated {box.label} times"
        x, y, ink = box.x + 30, box.y + 19, self.palette["ink"]
        yield _text((x, y), label, ink, LABEL_SIZE, weight=600, hint=hint)
        if box.value_below:
            yield _text((x, y + NOTE + 2), value, tint, LABEL_SIZE, weight=650)
        elif value:
            yield _text((box.x + box.width - 13, y), value, tint, LABEL_SIZE, weight=650, anchor="end")

    def _row(self, row: LaneRow) -> Iterator[str]:
        if row.kind is RowKind.FOLD:
            yield from self._fold(row)
            return
        count = f"{TIMES} {number(row.count)}" if row.count > 1 else ""
        room = row.width - (text_width(count, 12) + 8 if count else 0) - 12
        yield f'<circle cx="{row.x + 3:.1f}" cy="{row.middle:.1f}" r="2.4" fill="{self.palette["faint"]}"/>'
        name = fit(row.text, room, _NAME, mono=True)
        yield _text((row.x + 12, row.middle + 4), name, self.palette["ink"], _NAME, mono=True, hint=row.text)
        if count:
            yield _text((row.x + row.width, row.middle + 4), count, self.palette["soft"], 12, anchor="end")
        if row.note:
            note = fit(row.note, row.width - 12, 11)
            y = row.y + ROW + NOTE - 5
            yield _text((row.x + 12, y), note, self.palette["faint"], 11, hint=row.note)
        if row.kind is RowKind.PERIODIC:
            yield self._train(row)

    def _fold(self, row: LaneRow) -> Iterator[str]:
        """Three dots, how many calls, and below them which."""
        for step in (-5, 0, 5):
            yield (
                f'<circle cx="{row.x + 3:.1f}" cy="{row.middle + step:.1f}" r="1.3"'
                f' fill="{self.palette["faint"]}"/>'
            )
        yield _text((row.x + 12, row.middle + 4), row.text, self.palette["soft"], 12, hint=row.note)
        note = fit(row.note, row.width - 12, 11)
        yield _text((row.x + 12, row.y + ROW + NOTE - 5), note, self.palette["faint"], 11, hint=row.note)

    def _train(self, row: LaneRow) -> str:
        """A line with regular spikes, beside the period: time makes this call."""
        start = row.x + 12 + text_width(row.note, 11) + 12
        end, base = row.x + row.width, row.y + ROW + NOTE - 5
        if end - start < 30:
            return ""
        path = f"M{start:.1f} {base:.1f}"
        x = start
        # a second apart is close together, a minute is wide: by the logarithm, as the ear would hear it
        pause = (
            15.0 if row.every_s is None else min(60.0, max(6.0, 8 + 14 * math.log10(max(row.every_s, 0.1))))
        )
        while x + pause + 5 <= end:
            path += f"h{pause:.1f}v-9h3v9h2"
            x += pause + 5
        return f'<path d="{path}" fill="none" stroke="{self.palette["c4"]}" stroke-width="1.3"/>'

    def route(self, route: Route) -> str:
        colour, weight, dash = _STROKES[route.arrow.kind]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        (x, y), path, ink = route.points[0], _rounded(route.points), self.palette[colour]
        head = f"url(#{self.prefix}-{route.arrow.kind.value})"
        return (
            f'<g class="route"><title>{escape(self._meaning(route.arrow))}</title>'
            f'<path d="{path}" fill="none" stroke="transparent" stroke-width="9"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{ink}"/>'
            f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="{weight}"{dashes}'
            f' marker-end="{head}"/></g>'
        )

    def _meaning(self, arrow: PatternArrow) -> str:
        label = f" ({arrow.label})" if arrow.label else ""
        return f"{self.names[arrow.source]} {_KEYS[arrow.kind]} {self.names[arrow.target]}{label}"

    def key(self, pattern: Pattern, layout: Layout, width: float) -> tuple[str, float]:
        """Signs and their meaning, below the picture, as wide as it may be; with its height."""
        boxes = {box.kind for lane in layout.lanes for box in lane.laid.boxes}
        entries: list[tuple[str, float, str]] = []
        if BoxKind.LOOP in boxes:
            entries.append((_loop_sign(9, 0, self.palette["c1"]), 18, "repeated segment"))
        if BoxKind.PERIODIC in boxes:
            tint = self.palette["c4"]
            spikes = "M0 4h5v-9h3v9h7v-9h3v9h5"
            train = f'<path d="{spikes}" fill="none" stroke="{tint}" stroke-width="1.3"/>'
            entries.append((train, 23, "periodic call"))
        for kind in arrow_kinds(pattern):
            colour, weight, dash = _STROKES[kind]
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            line = (
                f'<path d="M1 0H25" stroke="{self.palette[colour]}" stroke-width="{weight}"{dashes}'
                f' marker-end="url(#{self.prefix}-{kind.value})"/>'
            )
            entries.append((line, 26, _KEYS[kind]))
        x, y, parts = 4.0, layout.height + 12, []
        for sign, sign_width, words in entries:
            needed = sign_width + 8 + text_width(words, 11.5) + 22
            if x > 4 and x + needed > width:
                x, y = 4.0, y + _KEY
            parts.append(f'<g transform="translate({x:.1f} {y:.1f})">{sign}')
            parts.append(_text((sign_width + 8, 4), words, self.palette["soft"], 11.5) + "</g>")
            x += needed
        return "".join(parts), (y - layout.height + 12 if entries else 0.0)


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
    at: Point,
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


def _rounded(points: tuple[Point, ...]) -> str:
    """A path through the points with round corners."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        radius = min(_CORNER, _distance(before, at) / 2, _distance(at, after) / 2)
        a, b = _towards(at, before, radius), _towards(at, after, radius)
        path += f"L{a[0]:.1f} {a[1]:.1f}Q{at[0]:.1f} {at[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    return f"{path}L{points[-1][0]:.1f} {points[-1][1]:.1f}"


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(start: Point, goal: Point, step: float) -> Point:
    length = _distance(start, goal)
    if length == 0:
        return start
    return start[0] + (goal[0] - start[0]) * step / length, start[1] + (goal[1] - start[1]) * step / length
