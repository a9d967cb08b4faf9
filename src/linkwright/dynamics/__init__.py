"""Dynamics of a mechanism: methods of all formulations, the fallback chain, actuation, reactions."""
