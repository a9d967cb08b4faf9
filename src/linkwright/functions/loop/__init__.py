"""Kernel definitions that loops add."""
