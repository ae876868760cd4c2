"""Who gets how much of the SSD: what is known of VMs, policies that split it, and Plans with their reasons."""
