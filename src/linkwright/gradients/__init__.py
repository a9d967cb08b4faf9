"""Derivatives of a mechanism's functions by its inputs, loops kept closed."""
