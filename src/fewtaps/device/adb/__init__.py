"""Phones and emulators, over adb: only the entry so far."""
