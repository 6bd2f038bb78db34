"""Places where an app runs, behind one small protocol."""
