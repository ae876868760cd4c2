"""Helpers of the tests of simulation."""
