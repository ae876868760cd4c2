"""Readers of what other tools recorded: pcap files, taps, audit logs."""
