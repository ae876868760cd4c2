"""The Trace, its file form, redaction, comparison, and where traces come from."""
