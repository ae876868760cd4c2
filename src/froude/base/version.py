"""The version of this Froude, where every floor can read it."""

__version__ = "0.1.0"
