"""Configuration of daemons as plain values: nothing is read or written here."""
