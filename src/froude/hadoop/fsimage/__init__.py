"""The NameNode's image of its namespace: a file of sections, each of protobuf messages behind their lengths."""
