"""Reduction by repeated runs of each candidate: our own way, for goals that a trace meets only in some runs.

`sequential` decides how many runs an answer takes, `runs` is the verdict source that makes them, `probable` is a pass
for sequences without states. `reduction` is the whole: a check of the original, a strategy, a check of the result.
`worlds` and `cause` say in which worlds the result meets the goal, and what the world decides otherwise there.
The prior, the tallies and the parameters are those of ND3MIN (`fewtaps.reducing.nd3min`).
"""
