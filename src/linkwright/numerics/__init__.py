"""Numerics that know no robots: what "zero", "equal", "repeated" mean, each with its reason and unit."""
