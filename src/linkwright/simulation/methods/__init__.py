"""Integrators and their tables."""
