"""Deviations of a mechanism's numbers from their nominal values: calibration and tolerance."""
