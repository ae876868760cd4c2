"""Helpers of the tests of base."""
