"""Closed-loop transmissions between motors and joints as packs of code, tables and a page."""
