"""Floor 0: what every other part stands on; nothing here knows about Hadoop."""
