"""Helpers of the tests of experiment.figures."""
