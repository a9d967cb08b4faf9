"""Recording scalars, and the straight-line or rolled programs they leave."""
