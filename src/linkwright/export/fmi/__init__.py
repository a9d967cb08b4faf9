"""Functional Mock-up Units: a mechanism with its equations of motion, loops kept closed, for other simulators."""
