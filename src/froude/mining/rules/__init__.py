"""Rules for arguments and numbers: candidates, evidence, doubts, and questions to a person."""
