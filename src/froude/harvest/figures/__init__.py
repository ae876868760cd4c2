"""Charts and tables of harvesting."""
