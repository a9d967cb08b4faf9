"""Compiled code and decisions kept on disk."""
