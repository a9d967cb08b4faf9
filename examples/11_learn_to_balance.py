"""A five-bar robot learns to balance a pole on its tip; the learning curve is in learning_curve.png.

Prints:
    poles that stay up for 3 s, before: 0, after: 256 of 256
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw

ROBOTS, STEPS, timing = 256, 150, {"h": 0.02, "substeps": 10}
arm = lw.catalog.load("five-bar")
pole = lw.Body("pole", lw.Inertia(0.2, (0.25, 0, 0), ((0, 0, 0), (0, 0.0042, 0), (0, 0, 0.0042))))
hinge = lw.Joint("hinge", "distal1", "pole", lw.joints.Revolute((0, 0, 1)), at=lw.RigidTransform((0.35, 0.0, 0.0)))
model = lw.build(replace(arm, bodies=(*arm.bodies, pole), joints=(*arm.joints, hinge), gravity=(0, -9.81, 0)))
home = model.assemble().q
home[-1] = np.pi / 2 - home[0] - home[2]  # the pole stands upright on theta1, psi1 and hinge
hold = model.inverse_dynamics(home, np.zeros(model.nv), np.zeros(model.nv), undriven="free")
sums = np.array([[n == "theta1", n == "theta2", n in ("theta1", "psi1", "hinge")] for n in model.q_names], dtype=float)


def observe(batch):  # errors of both motors, lean of the pole, and a tenth of their rates
    return np.concatenate([(batch.q - home) @ sums, 0.1 * batch.v @ sums], axis=1)


env = lw.export.gym_vector_env(
    model,
    ROBOTS,
    **timing,
    efforts=15.0,
    observe=observe,
    reward=lambda batch: 1.0 - (observe(batch)[:, :3] ** 2).sum(axis=1),
    terminated=lambda batch: np.abs(observe(batch)[:, :3]).max(axis=1) > 0.4,
    start=lambda rng, k: home + np.outer(rng.uniform(-0.1, 0.1, k), np.array(model.q_names) == "hinge"),
)


def rollout(gains, seed):  # sums of rewards, and how many stayed up
    (x, _), total, up = env.reset(seed=seed), np.zeros(ROBOTS), np.ones(ROBOTS, dtype=bool)
    for _ in range(STEPS):
        x, reward, ended, _, _ = env.step(hold + np.einsum("nij,nj->ni", gains.reshape(-1, 2, 6), x))
        total, up = total + reward * up, up & ~ended
    return total, up.sum()


mean, spread, curve = np.zeros(12), np.full(12, 25.0), []
print("poles that stay up for 3 s, before:", rollout(np.tile(mean, (ROBOTS, 1)), 99)[1], end=", ")
for generation in range(14):
    gains = mean + spread * np.random.default_rng(generation).normal(size=(ROBOTS, 12))
    curve.append(rollout(gains, generation)[0])
    best = gains[np.argsort(curve[-1])[-24:]]
    mean, spread = best.mean(axis=0), best.std(axis=0) + 1.0
print("after:", rollout(np.tile(mean, (ROBOTS, 1)), 99)[1], "of", ROBOTS)
plt.plot(np.sort(curve, axis=1)[:, [-1, -24, ROBOTS // 2]], label=["best", "24th of 256", "median"])
plt.legend(title="sum of rewards in 3 s, by generation")
plt.savefig("learning_curve.png", dpi=80)
