"""Helpers of the tests of harvest.live."""
