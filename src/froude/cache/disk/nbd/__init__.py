"""The NBD protocol (network block device), the server's half, without a socket."""
