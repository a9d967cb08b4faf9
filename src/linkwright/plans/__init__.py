"""What was decided by looking at values and is kept: scales, closed samples, rank, elimination orders."""
