"""Optimization of dimensions: parameters as variables, measures over poses as objectives, exact gradients."""
