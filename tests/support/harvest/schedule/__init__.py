"""Helpers of the tests of harvest.schedule."""
