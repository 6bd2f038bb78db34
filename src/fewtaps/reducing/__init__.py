"""Reduces a sequence to fewer items that still meet a goal: traces of an app, and any other sequence.

`problem` holds the best sequence so far and asks a verdict source: `single_runs`, or `repeated` for goals that are met
only in some runs. `plan` has the strategies, which are lists of passes; `nd3min` is a published alternative to
`repeated`. The package is not called `reduce` because `fewtaps.reduce` is a function.
"""
