"""Kernel definitions of the spanning tree."""
