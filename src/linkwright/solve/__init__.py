"""Decisions that depend on values: convergence, assembly mode, pivots, rank."""
