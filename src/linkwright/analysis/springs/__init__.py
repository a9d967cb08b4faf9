"""Advice on virtual springs."""
