"""Helpers of the tests of harvest.simulate."""
