"""Which hardware meets an SLA at least cost: catalog, application and SLA in, a cluster with a proved bound out."""
