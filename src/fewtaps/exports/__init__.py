"""Writes the steps of a crash as tests for the app's own project, as scripts for other tools, and as an issue.

Each export takes a `Finding` and returns its text, with a loss for each thing that the format cannot express; those of
tests take a `SuiteToExport` too and return the files of a whole suite. Texts of an app may hold any characters;
`quoting` writes them so that every language reads them as text.
"""
