"""What daemons report of themselves: JMX, the log of the garbage collector, the environment."""
