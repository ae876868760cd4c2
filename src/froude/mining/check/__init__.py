"""A workload against a run that it has not seen: prediction, matching, sequences, intervals."""
