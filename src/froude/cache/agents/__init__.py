"""What runs beside VMs and hypervisors: reads their counters, applies limits, and answers the controller by REST."""
