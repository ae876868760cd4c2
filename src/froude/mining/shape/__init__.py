"""The shape of what senders do: repeated segments, alignment between nodes, node types."""
