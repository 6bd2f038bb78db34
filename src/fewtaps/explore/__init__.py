"""Exploring an app: where the next episode begins, which events it tries, what is learned from it."""
