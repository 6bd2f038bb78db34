"""Reduction when one run proves nothing: ND3MIN (Clapp, Bastani, Anand, Aiken: Minimizing GUI Event Traces, FSE 2016).

`parameters` and `prior` hold what is assumed, `bound` and `worth` what may be concluded, `schedule`, `heuristic` and
`policy` which candidate runs next, `passing` and `nd3min` the algorithm. `mdp` solves the decision process.
"""
