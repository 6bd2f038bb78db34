"""Apps as small Python programs, run in this process, at once and repeatably."""
