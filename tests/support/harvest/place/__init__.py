"""Helpers of the tests of harvest.place."""
