"""Experiments as values and as documents, with the options of every kind."""
