"""Faults of a mechanism, and the fix for each."""
