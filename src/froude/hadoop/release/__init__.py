"""A Hadoop release: its jars, the Java that runs them, start-up archives."""
