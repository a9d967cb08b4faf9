"""A planar 3-RRR: every way to assemble it for the same actuator angles, and how near each is to a singularity.

Prints:
    branch --|+: platform at 0.728, 0.233 m; type 1 0.47, type 2 0.90
    branch --|-: platform at 0.610, 0.138 m; type 1 0.34, type 2 1.00
"""

import linkwright as lw

robot = lw.build(lw.catalog.load("3-rrr"))
home = robot.assemble().q
angles = home[[robot.q_names.index(name) for name in ("theta1", "theta2", "theta3")]]

for mode in robot.assembly_modes(angles):
    (x, y, _), _ = robot.frame_pose(mode.q, robot.mechanism.platform)
    near = robot.singularity(mode.q)
    print(f"branch {mode.branch}: platform at {x:.3f}, {y:.3f} m; type 1 {near.type1:.2f}, type 2 {near.type2:.2f}")
