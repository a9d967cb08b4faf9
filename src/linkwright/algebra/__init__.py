"""Numbers and 6-vectors; knows no robots."""
