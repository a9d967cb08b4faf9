"""What is wrong with a mechanism, and the fix for each problem."""
