"""What is observed of VMs, their SSD and their applications: values, windows, topology. Nothing here asks anybody."""
