"""Formulas over the Scale and the place of a call: rivals, durations, start times, regular patterns."""
