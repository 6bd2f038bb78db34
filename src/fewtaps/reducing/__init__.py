"""One sequence, fewer items, same goal: the reducers, for traces of an app and for anything else.

The room is called after its work because `fewtaps.reduce` is the function: a package of that name would hide it.
"""
