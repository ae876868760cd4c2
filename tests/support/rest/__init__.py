"""Helpers of the tests of rest."""
