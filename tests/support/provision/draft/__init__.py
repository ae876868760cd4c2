"""Helpers of the tests of provision.draft."""
