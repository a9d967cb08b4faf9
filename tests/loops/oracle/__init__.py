"""Dynamics of a mechanism file in maximal coordinates: six velocities per body, every joint a set of velocity rows.

Written apart from the library: it reads the file's own sections (a plain dictionary, joints as drawn) with its own
rotations and its own joint definitions, and solves the equations of motion by singular values. Slow on purpose.

The unknowns are V = (omega, velocity of the mass center) of every body in world axes. A joint of any kind is a set of
covectors (n, f) on the relative twist (omega, v at the child's joint point) of child against parent: those of its
freedoms give the joint velocities s = S V, those of what it holds give G V = 0. Forces follow by virtual power. The
rates S_dot V and G_dot V come from complex steps of the poses, so that no acceleration formula is written at all.
"""
