"""Helpers of the tests of mining."""
