"""Questions about plans: where they change, what they hang on, what else there is; each a pure function on problems."""
