"""A slider-crank press: the workpiece resists over the last 12 mm of the stroke, and the flywheel pays for it.

Prints:
    largest force 476 N
    work of the actuator 0.78 J, of the workpiece -2.88 J; 1/2 k d^2 = 2.88 J
    energy balance closed: True
"""

import numpy as np

import linkwright as lw
from linkwright.compiler import maximum

press = lw.build(lw.catalog.load("slider-crank"))
start = press.assemble(fixed={"crank_angle": 3.0}).q
stroke, rate = press.q_names.index("stroke"), press.v_names.index("stroke")
turns = press.forward_kinematics(np.linspace(0.0, 2.0 * np.pi, 721)[:, None], near=start)[0]
surface = turns[:, stroke].max() - 0.012


def resistance(t, q, v):
    """Force on the slider [N], world axes: a plastic workpiece, 40 N for each mm, on the way in only."""
    depth = maximum(q[stroke] - surface, 0.0)
    inward = maximum(v[rate], 0.0) / (maximum(v[rate], -v[rate]) + 1e-3)
    return np.array([-4e4 * depth * inward, 0.0, 0.0])


v = press.forward_kinematics([3.0], [60.0], near=start)[1]
load = lw.Wrench("slider", resistance, axes="world")
run = lw.simulate(press, start, v, t_end=0.1, effort=[0.2], output=3001, wrench=load)
crank = run["crank_angle"]
actuator = 0.2 * (crank[-1] - crank[0])
print(f"largest force {max(-resistance(*row)[0] for row in zip(run.t, run.q, run.v, strict=True)):.0f} N")
spent = f"of the workpiece {run['work'][-1] - actuator:.2f} J; 1/2 k d^2 = {2e4 * 0.012**2:.2f} J"
print(f"work of the actuator {actuator:.2f} J, {spent}")
print("energy balance closed:", run.meta["energy_balance"]["relative"] < 1e-7)
