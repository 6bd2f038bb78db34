"""Apps as small Python programs, run in this process, fast and deterministically."""
