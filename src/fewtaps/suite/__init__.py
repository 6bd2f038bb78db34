"""Turns recorded traces into a small suite with the same coverage (DetReduce, ICSE 2018).

`runs` has the values, `known_runs` what was played, `loops` the first phase, `splicing` the second, `selection` the
choice among everything that was seen, `reduction` our order of these, `paper` the order of the paper. `naming` names
tests, `expecting` makes the expectations of their steps, `checking` compares steps with them. The room knows `model`
alone: a function that plays is handed in.
"""
