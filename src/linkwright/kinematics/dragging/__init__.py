"""Closed mechanisms pulled at their bodies: one text for the host and for pages."""
