"""A crash's steps, ready to run elsewhere: tests for the app's own project, flows and scripts of other tools, an issue.

Each export takes a `Finding` and gives its text, together with a remark for everything that the format cannot say.
Texts of an app may hold anything; `quoting` writes them so that no language takes them for anything but text.
"""
