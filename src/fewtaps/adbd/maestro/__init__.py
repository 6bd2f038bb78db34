"""Answers in the place of Maestro's driver."""
