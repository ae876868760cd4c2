"""Utilisation of machines over time, from the tables that monitoring exports."""
