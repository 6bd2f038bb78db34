"""Recordings of other tools become traces, and traces become scripts for other tools.

Every importer gives a `Recording`, every exporter takes a `Trace`. What the other side cannot say is told in
losses, and docs/formats.md says it of each format.
"""
