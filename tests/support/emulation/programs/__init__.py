"""Helpers of the tests of emulation.programs."""
