"""Figures from results, with matplotlib (the `plot` extra)."""
