"""What emulated nodes do: scripts of a workload, and programs of Hadoop's own daemons."""
