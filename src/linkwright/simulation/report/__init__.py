"""Account of a run: how it was computed, how it ended."""
