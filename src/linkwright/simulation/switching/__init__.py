"""Loops that close and open during a run."""
