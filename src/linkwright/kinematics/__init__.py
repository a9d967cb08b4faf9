"""Kinematics of a mechanism: assembly, closing, continuation, velocities, modes, mobility, singularity."""
