"""Paths without times: how fast a mechanism can follow them."""
