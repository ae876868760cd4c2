"""The HDFS audit log: its grammar, and its lines written."""
