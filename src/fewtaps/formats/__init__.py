"""Imports recordings of other tools as traces, and exports traces as scripts for other tools.

Every importer returns a `Recording`, every exporter takes a `Trace`. Both return losses: one line for each thing that
the other format cannot express. docs/formats.md lists them for each format.
"""
