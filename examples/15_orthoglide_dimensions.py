"""Dimensions of the Orthoglide for a cube of 200 mm.

D. Chablat and P. Wenger (IEEE Trans. Robotics and Automation 19 (2003) 403-410) ask for the smallest Orthoglide that
moves its tool through a cube of 200 mm with velocity transmission factors between 1/2 and 2 everywhere. Their
limits have a closed solution, L (1 / sqrt 6 + 1 / sqrt 18) = 200 mm: legs of L = 310.58 mm, and a cube that ends
126.79 mm and 73.21 mm from the isotropic point along each axis.

Prints:
    legs of 310.6 mm
    the cube ends 126.8 126.8 126.8 mm and 73.2 73.2 73.2 mm from the isotropic point
    worst factors 2.00 and 1 / 2.00
"""

import numpy as np

import linkwright as lw

SIDE = 0.2
SHIFT = [f"frames.platform.at.{axis}" for axis in "xyz"]  # where the cube lies: the tool's point on the platform

robot = lw.build(lw.catalog.load("orthoglide"), inputs=["leg", *SHIFT])
edge = np.linspace(-SIDE / 2, SIDE / 2, 3)
points = np.stack(np.meshgrid(edge, edge, edge, indexing="ij"), axis=-1).reshape(-1, 3)
cube = lw.Pose(points, np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1)))

size = lw.analysis.WeightedSum(robot, {"leg": 1.0})
fastest = lw.analysis.JacobianMeasure(robot, cube, "gain")
slowest = lw.analysis.JacobianMeasure(robot, cube, "reduction")
bounds = {"leg": (0.25, 0.6), **dict.fromkeys(SHIFT, (-0.08, 0.08))}
found = lw.analysis.optimize(robot, size, bounds, constraints=[(fastest, 2.0), (slowest, 2.0)], starts=1)

leg, *shift = found.variables
far, near = ([f"{1e3 * (SIDE / 2 + sign * x):.1f}" for x in shift] for sign in (-1.0, 1.0))
print(f"legs of {1e3 * leg:.1f} mm")
print("the cube ends", *far, "mm and", *near, "mm from the isotropic point")
print(f"worst factors {found.constraints[0]:.2f} and 1 / {found.constraints[1]:.2f}")
