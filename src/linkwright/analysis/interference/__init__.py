"""Interference of links: capsules around the shapes of bodies, and the distances between them."""
