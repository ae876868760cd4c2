"""The load at which a limit breaks: the search, its file, its words."""
