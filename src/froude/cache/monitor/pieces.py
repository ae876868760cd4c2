"""A miss-ratio curve of the last while, out of curves that were each read and begun anew."""

from __future__ import annotations

import math

from froude.cache.curves import MissRatioCurve

_LEAST = 1.0
"""Accesses below which what is left of the past is forgotten."""


class CurvePieces:
    """Adds piece after piece; what is older weighs less."""

    def __init__(self, window_s: float) -> None:
        """Nothing is known yet.

        Args:
            window_s: the weight of a piece falls by e in half of it.
        """
        self._window_s = window_s
        self._known: tuple[MissRatioCurve, float] | None = None
        """The curve and when it was that: one value, since one thread adds and another asks."""

    def add(self, piece: MissRatioCurve | None, now_s: float) -> None:
        """Take the curve of what was read since the last piece.

        Args:
            piece: None, or one without accesses, where nothing was: then nothing becomes older either, for a VM that
                pauses has not changed.
        """
        if piece is not None and piece.accesses:
            past = self.curve(now_s)
            self._known = (piece if past is None else past.merged(piece), now_s)

    def curve(self, now_s: float) -> MissRatioCurve | None:
        """The curve of the last while; None before the first read.

        Args:
            now_s: at most as far back as the last piece.
        """
        if self._known is None:
            return None
        curve, at_s = self._known
        past = curve.decayed(math.exp(-2 * max(0.0, now_s - at_s) / self._window_s))
        return past if past.accesses >= _LEAST else curve.decayed(_LEAST / curve.accesses)
