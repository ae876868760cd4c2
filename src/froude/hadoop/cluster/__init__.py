"""Small real clusters on loopback: daemons, their processes, clusters in the background."""
