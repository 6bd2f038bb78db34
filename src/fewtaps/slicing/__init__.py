"""Slices: which instructions, lines and steps made the value that a run died of (ESDroid, section 3.4).

A recording of one run and the code it ran come in, a `fewtaps.model.slice.Slice` goes out. Nothing here knows a device
or a file.
"""
