"""Explanation of a mechanism's solution, step by step."""
