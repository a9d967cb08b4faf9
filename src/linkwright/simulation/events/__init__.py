"""Events, limits and singular positions during a run."""
