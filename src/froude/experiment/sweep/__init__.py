"""Arms of a sweep, and what each measured."""
