"""Kernel definitions that time stepping adds."""
