"""A Gough-Stewart platform is lifted: forces of its legs, their work, and the force in a spherical joint.

Prints:
    peak force of each leg [N]: 6.15 4.85 3.16 6.02 5.84 4.26
    work of the legs 6.1740 J, energy gained 6.1740 J
    force at the first spherical joint, halfway [N]: 4.87
"""

import numpy as np

import linkwright as lw

robot = lw.build(lw.catalog.load("gough-stewart"))
home = robot.assemble().q
xyz, turned = robot.frame_pose(home, "platform")

t = np.linspace(0.0, 2.0, 401)
lift = lw.control.Cycloidal(0.0, 0.3, 2.0)
up = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
s, rate, rate2 = (np.reshape(part, (-1, 1)) for part in zip(*[lift.at(x) for x in t], strict=True))

poses = xyz + s * up[:, 3:], np.tile(turned, (len(t), 1))
q, v, a = robot.inverse_kinematics(poses, rate * up, rate2 * up, near=home)
force = robot.inverse_dynamics(q, v, a)
print("peak force of each leg [N]:", *(f"{x:.2f}" for x in abs(force).max(axis=0)))

legs = [robot.v_names.index(f"rho{i}") for i in range(1, 7)]
work = np.trapezoid((force * v[:, legs]).sum(axis=1), t)
gained = sum(robot.energy(q[-1], v[-1])) - sum(robot.energy(q[0], v[0]))
print(f"work of the legs {work:.4f} J, energy gained {gained:.4f} J")

halfway = robot.joint_reactions(q[200], v[200], a[200], force[200])["ball1"]
print("force at the first spherical joint, halfway [N]:", f"{np.linalg.norm(halfway[3:]):.2f}")
