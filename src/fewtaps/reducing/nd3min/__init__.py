"""ND3MIN: reduction by repeated runs, as in the paper.

Clapp, Bastani, Anand, Aiken: Minimizing GUI Event Traces, FSE 2016.

`parameters` and `prior` hold the assumptions, `bound` the conclusions. `schedule`, `heuristic` and `optimal` decide
which candidate runs next, `policy` is the file of a solved schedule, `mdp` and `kernel` solve one, `states` numbers its
states. `passing` and `nd3min` are the algorithm, `batch` makes its runs on devices.
"""
