"""Loops over time in the compiler's subset of Python; the same text runs under Python as its own test."""
