"""Traces as the miner reads them: events, senders, canonical calls, and what is known of Hadoop beforehand."""
