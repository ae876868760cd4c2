"""Protobuf messages by their descriptors: schema, leaves, columns of many messages. Nothing of Hadoop is in it."""
