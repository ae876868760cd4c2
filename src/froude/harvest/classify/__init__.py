"""Utilisation patterns and classes of tenants, and how well last month told the next."""
