"""Stepping through time in the compiler's subset of Python: one text for a single run and for many runs in lanes.

`stepping.advance` is the step loop; `records` holds what it works on. The same text runs under Python as its own test.
"""
