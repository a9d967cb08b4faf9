"""Events, limits and singular positions met on the way."""
