"""REST, as every service of ours speaks and serves it: bounded, with a secret, by TLS where it leaves the machine."""
