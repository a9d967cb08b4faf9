"""A leg is dropped, lands and stands: a loop that closes during the run, its impulse, and the energy lost.

Prints:
    at 0.1468 s the foot is closed
    impulse 2.299 N s, energy lost 1.5769 J
    the energies before and after the landing agree: True
"""

import numpy as np

import linkwright as lw
from linkwright.formats import from_yaml

LEG = """
format: 1
name: leg
bodies:
  hip: {mass: 5 kg}
  thigh: {mass: 1 kg, com: [0, 0, -200 mm], inertia: [0.01, 0.01, 0.001]}
  shank: {mass: 0.5 kg, com: [0, 0, -200 mm], inertia: [0.01, 0.01, 0.001]}
joints:
  rail: {type: prismatic, parent: ground, child: hip, axis: z}
  hip_joint: {type: revolute, parent: hip, child: thigh, axis: y}
  knee: {type: revolute, parent: thigh, child: shank, axis: y, at: [0, 0, -400 mm]}
loops:
  foot: {type: revolute, parent: ground, child: shank, axis: y, child_at: [0, 0, -400 mm], open: true}
actuators: [hip_joint, knee]
"""

leg = lw.build(from_yaml(LEG))
bent = np.array([-0.3, 0.6])
hold = lw.control.PD(leg, lw.control.Steady(bent, [0.0, 0.0]), [150.0, 150.0], [5.0, 5.0])
land = lw.events.Close("foot", normal=(0, 0, 1), anchor=True)  # wherever the foot meets the ground
lift = lw.events.Open("foot", normal=(0, 0, 1))  # it pushes, it never pulls
run = lw.simulate(leg, [0.87, *bent], t_end=1.0, effort=hold, events=[land, lift])

for event in run.events:
    print(f"at {event.t:.4f} s the foot is {event.kind}")
(hit,) = run.meta["impulses"]
print(f"impulse {np.linalg.norm(hit['impulse'][3:]):.3f} N s, energy lost {hit['lost']:.4f} J")
before = np.flatnonzero(np.diff(run.t) == 0)[0]
jump = sum(leg.energy(run.q[before], run.v[before])) - sum(leg.energy(run.q[before + 1], run.v[before + 1]))
print("the energies before and after the landing agree:", bool(abs(jump - hit["lost"]) < 1e-9))
