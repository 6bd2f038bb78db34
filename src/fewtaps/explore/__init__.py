"""Exploring an app: where the next outing begins, which events it tries, what is learned from it."""
