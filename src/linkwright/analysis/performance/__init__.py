"""Indices of a design at configurations: Jacobian, distances to singularities, stiffness, capability, accuracy."""
