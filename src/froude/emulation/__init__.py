"""A Plan played against real daemons by emulated nodes, and what was measured."""
