"""Programs of YARN's nodes: NodeManagers, and the application masters that run in their containers."""
