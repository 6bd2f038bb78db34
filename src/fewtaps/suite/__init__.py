"""Suites: a few replayable tests in the place of many recorded traces (DetReduce, ICSE 2018).

Making a suite: `runs` has the values, `known_runs` what was played, `loops` the first phase, `splicing` the second,
`selection` the choice among everything that was seen, `reduction` our order of these, `paper` the order of the paper.
`naming` names a test and `expecting` decides what its steps expect.

Running a suite: `checking` compares a step with what is expected, `choosing` has the order of tests and their shards,
`covering` compares coverage between builds. The room knows `model` alone: a function that plays is handed in.
"""
