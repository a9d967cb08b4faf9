"""One run: its arrays, its rows, its times."""
