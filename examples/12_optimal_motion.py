"""A five-bar robot moved from rest to rest with the least effort, by CasADi and IPOPT; the optimum is then simulated.

Needs CasADi: pip install 'linkwright[casadi]'.

Prints:
    effort squared: 0.09 against 0.15 (N m)^2 s along a cycloid
    largest torque: 0.60 of 0.60 N m allowed
    simulated, the robot ends at the goal within 1e-5: True
"""

import casadi
import numpy as np

import linkwright as lw

robot = lw.build(lw.catalog.load("five-bar"))
accelerations = lw.export.casadi_function(robot, "forward_dynamics")  # of all joints, loops kept closed
home = robot.assemble().q
start = robot.actuator_positions(home)
goal, duration, steps, most = start + [0.9, 0.5], 0.5, 40, 0.6
h, times = duration / steps, np.linspace(0.0, duration, steps + 1)

problem = casadi.Opti()
x, tau = problem.variable(robot.nq + robot.nv, steps + 1), problem.variable(robot.na, steps + 1)


def rate(state, effort):
    q, v = casadi.vertsplit(state, robot.nq)
    return casadi.vertcat(v, accelerations(q, v, effort))


for k in range(steps):  # one Runge-Kutta step over each interval, efforts linear between its ends
    a, b = tau[:, k], tau[:, k + 1]
    k1 = rate(x[:, k], a)
    k2 = rate(x[:, k] + h / 2 * k1, (a + b) / 2)
    k3 = rate(x[:, k] + h / 2 * k2, (a + b) / 2)
    k4 = rate(x[:, k] + h * k3, b)
    problem.subject_to(x[:, k + 1] == x[:, k] + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
driven = [robot.q_names.index(name) for name in robot.independent]
problem.subject_to(x[:, 0] == np.concatenate([home, np.zeros(robot.nv)]))
problem.subject_to(x[[*driven, *(robot.nq + i for i in driven)], steps] == np.concatenate([goal, [0.0, 0.0]]))
problem.subject_to(problem.bounded(-most, casadi.vec(tau), most))
squares = tau[:, :-1] ** 2 + tau[:, :-1] * tau[:, 1:] + tau[:, 1:] ** 2
problem.minimize(h / 3 * casadi.sum2(casadi.sum1(squares)))

cycloid = lw.motion(robot, times, q_act=lw.control.Cycloidal(start, goal, duration))
problem.set_initial(x, np.concatenate([cycloid.q, cycloid.v], axis=1).T)
problem.solver("ipopt", {"expand": True, "print_time": False}, {"print_level": 0, "sb": "yes"})
found = problem.solve()
efforts = found.value(tau).T
ordinary = np.trapezoid((cycloid.tau**2).sum(axis=1), times)
print(f"effort squared: {found.value(problem.f):.2f} against {ordinary:.2f} (N m)^2 s along a cycloid")
print(f"largest torque: {np.abs(efforts).max():.2f} of {most:.2f} N m allowed")

run = lw.simulate(robot, home, t_end=duration, effort=lw.control.Table(times, efforts, between="line"))
off = np.concatenate([run.q[-1, driven] - goal, run.v[-1]])
print("simulated, the robot ends at the goal within 1e-5:", bool(np.abs(off).max() < 1e-5))
