"""Mechanisms with closed loops: constrained forward dynamics, inverse dynamics, batches."""

from __future__ import annotations

import numpy as np

from benchmarks import loop_mujoco
from benchmarks.closed import PeerTree, peer_trees
from benchmarks.comparison import Comparison, Measured, MeasuringExtent, Rival, measured, ready
from benchmarks.loop_pinocchio import Loops
from benchmarks.peers import installed
from linkwright import Model, build, catalog

MECHANISMS = {
    "four-bar": "four-bar",
    "3-rrr": "3-RRR",
    "3-rps": "3-RPS",
    "gough-stewart": "Gough-Stewart",
    "hexam": "HexaM",
}
FORWARD, INVERSE = "constrained forward dynamics", "inverse dynamics to the actuators"
FASTER, INVERSE_FASTER = 20.0, 40.0
ROWS = 4096
Array = np.ndarray


def table(extent: MeasuringExtent) -> tuple[list[Measured], list[str]]:
    """All mechanisms, single calls from Python; Gough-Stewart's inverse dynamics and batches beside them."""
    rows = []
    for name in MECHANISMS:
        model = build(catalog.load(name))
        rows.append(measured(forward(model, MECHANISMS[name]), extent))
        if name == "gough-stewart":
            rows.append(measured(inverse(model, MECHANISMS[name]), extent))
            rows += [measured(given, extent) for given in batches(model, MECHANISMS[name])]
    return rows, ["MuJoCo's equalities are soft by design: its accelerations are near ours, not the same"]


def state(model: Model) -> tuple[Array, Array, Array]:
    """The home pose, closed, moving slowly, with some effort at every actuator."""
    q = model.assemble().q
    R = model.independent_map(q)
    return q, R @ np.linspace(0.1, 0.3, R.shape[-1]), np.linspace(1.0, 2.0, model.na)


def forward(model: Model, title: str) -> Comparison:
    """Constrained forward dynamics beside Pinocchio's two methods and MuJoCo, each on every tree that makes sense."""
    q, v, tau = state(model)
    trees = peer_trees(model, q, v, tau)
    a = model.forward_dynamics(q, v, tau)
    slices = next(iter(trees.values())).rate_slices
    result = np.concatenate([a[part] for part in slices.values()])
    rivals = {f"{peer}, {cut}": r for cut, tree in trees.items() for peer, r in _rivals(tree).items()}
    return Comparison(title, FORWARD, ready(model, "forward_dynamics", q, v, tau), result, rivals, promised=FASTER)


def _rivals(tree: PeerTree) -> dict[str, Rival]:
    here = installed()
    out: dict[str, Rival] = {}
    if "pinocchio" in here:
        out |= {f"pinocchio {name}": rival for name, rival in Loops(tree).rivals().items()}
    if "mujoco" in here:
        out["mujoco mj_forward"] = loop_mujoco.rival(tree)
    return out


def inverse(model: Model, title: str) -> Comparison:
    """Actuator efforts from a known motion beside the usual code for Pinocchio, which has no function for it."""
    q, v, tau = state(model)
    a = model.forward_dynamics(q, v, tau)
    trees = peer_trees(model, q, v, tau) if "pinocchio" in installed() else {}
    rivals = {f"pinocchio rnea + solve, {cut}": Loops(tree).inverse() for cut, tree in trees.items()}
    ours = ready(model, "inverse_dynamics", q, v, a)
    return Comparison(title, INVERSE, ours, ours(), rivals, promised=INVERSE_FASTER)


def batches(model: Model, title: str) -> list[Comparison]:
    """Closed states in a batch on one thread; no peer has such a call."""
    q, v, tau = (np.repeat(x[None, :], ROWS, axis=0) for x in state(model))
    a = model.forward_dynamics(q, v, tau)
    return [
        Comparison(title, f"{FORWARD}, batch", ready(model, "forward_dynamics", q, v, tau), None, {}, ROWS),
        Comparison(title, f"{INVERSE}, batch", ready(model, "inverse_dynamics", q, v, a), None, {}, ROWS),
    ]
