"""Steps of an explanation that need only the spanning tree: bodies, cuts, DeNOC matrices."""

from __future__ import annotations

import numpy as np

from linkwright.analysis.explain import laws as laws
from linkwright.analysis.explain.records import Block, Drawing, Matrix, Paragraph, Step, Table, figure
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.names import counted
from linkwright.mechanism.tree import Tree
from linkwright.recursion.matrices import denoc_matrices, mass_centre
from linkwright.recursion.poses import link_poses

_WIDEST = 12


def tree_step(mech: Mechanism) -> Step:
    """The spanning tree, drawn."""
    speeds = sum(kinds.nv(j.kind) for j in mech.joints)
    blocks: list[Block] = [
        Paragraph(
            f"Every moving body hangs on the base '{mech.base}' by one chain of joints. The {len(mech.joints)} joints "
            f"of this spanning tree have {speeds} speeds; their coordinates are q, in the order of the file."
        ),
        Drawing("Spanning tree", tuple(_branches(mech, mech.base, ""))),
    ]
    return Step("The tree", tuple(blocks))


def _branches(mech: Mechanism, body: str, indent: str) -> list[str]:
    lines = [] if indent else [body]
    below = [j for j in mech.joints if j.parent == body]
    for i, joint in enumerate(below):
        last = i == len(below) - 1
        lines.append(f"{indent}{'└' if last else '├'}─ {joint.child}   by '{joint.name}' ({_kind(joint)})")
        lines += _branches(mech, joint.child, indent + ("   " if last else "│  "))
    return lines


def _kind(joint: Joint) -> str:
    return f"{type(joint.kind).__name__.lower()}, {counted(kinds.nv(joint.kind), 'freedom')}"


def cuts_step(mech: Mechanism) -> Step:
    """The joints that close loops, and the reason for their choice."""
    if not (mech.loops or mech.couplings):
        return Step("The cuts", (Paragraph("No joint closes a loop: the machine is a tree, and nothing is cut."),))
    above = {j.child: j.name for j in mech.joints}
    blocks: list[Block] = []
    for loop in mech.loops:
        carried = " and ".join(
            f"'{name}' is carried by '{above[name]}'" if name in above else f"'{name}' is the base"
            for name in (loop.parent, loop.child)
        )
        cost = 1 if isinstance(loop.kind, kinds.Distance) else 6 - kinds.nv(loop.kind)
        way = " - ".join(_way(mech, loop))
        blocks.append(
            Paragraph(
                f"'{loop.name}' ({_kind(loop)}) is cut: {carried} already, so it would carry a body twice. It closes "
                f"the loop {way}. Cut, it saves {counted(kinds.nv(loop.kind), 'speed')} and costs "
                f"{counted(cost, 'closure equation')}; joints with many freedoms are the cheapest to cut."
            )
        )
    for c in mech.couplings:
        terms = " + ".join(f"{figure(ratio)} {name}" for name, ratio in c.terms)
        blocks.append(Paragraph(f"Coupling '{c.name}' is one equation more: {terms} = {figure(c.offset)}."))
    return Step("The cuts", tuple(blocks))


def _way(mech: Mechanism, loop: Joint) -> list[str]:
    """Bodies of a loop, from one side of the cut round to the other."""
    parent = {j.child: j.parent for j in mech.joints}

    def up(body: str) -> list[str]:
        chain = [body]
        while chain[-1] in parent:
            chain.append(parent[chain[-1]])
        return chain

    near, far = up(loop.parent), up(loop.child)
    while len(near) > 1 and len(far) > 1 and near[-2] == far[-2]:
        near, far = near[:-1], far[:-1]
    return near + far[-2::-1]


def denoc_step(mech: Mechanism, tree: Tree, q: np.ndarray, inertia: np.ndarray) -> Step:
    """N_l and N_d: their structure, their values at home, and the inertia (nv, nv) there."""
    D = denoc_matrices(tree, q, np.zeros(tree.nv))
    names = mech.names
    blocks: list[Block] = [
        Paragraph(
            "The twists of all bodies follow from the joint speeds in two steps: N_d turns each joint's speeds into "
            "the twist it adds to its own body, N_l hands twists on from every body to all bodies it carries. Inertial "
            "frame, twists [angular; linear] at the mass centres, as in the papers."
        ),
        laws.TWISTS,
        laws.PROPAGATION,
        _structure("N_l", tree, names),
        Table(
            "Arms at home [m]",
            ("body i", "carried by j", "c_ij, from mass centre i to j"),
            tuple(_arms(tree, q, names)),
        ),
        Table(
            "Blocks of N_d at home",
            ("body", "speed", "angular part of p", "linear part of p [m]"),
            tuple(_columns(mech, tree, D.N_d)),
        ),
        laws.INERTIA,
    ]
    if any(isinstance(j.kind, kinds.Modes) for j in mech.joints):
        blocks.append(
            Paragraph(
                "The papers' matrices are for rigid bodies: N_l and N_d show links unbent; M below has the bending too."
            )
        )
    if 0 < tree.nv <= _WIDEST:
        speeds = _speed_names(mech)
        blocks.append(Matrix("M at home", speeds, speeds, _entries(inertia)))
    return Step("The DeNOC matrices", tuple(blocks))


def _structure(name: str, tree: Tree, names: tuple[str, ...]) -> Block:
    if len(names) > _WIDEST:
        deep = sum(len(tree.ancestors(i)) for i in tree.bodies)
        return Paragraph(f"{name} has {deep} blocks that are not zero, of {len(names) ** 2}.")
    rows = []
    for i in tree.bodies:
        above = tree.ancestors(i)
        rows.append(tuple("1" if j == i else f"B_{i + 1},{j + 1}" if j in above else "" for j in tree.bodies))
    return Matrix(name, names, names, tuple(rows))


def _arms(tree: Tree, q: np.ndarray, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    places = link_poses(tree, q)
    centre = [p.r + p.R @ mass_centre(tree, i) for i, p in enumerate(places)]
    pairs = [(i, j) for i in tree.bodies for j in tree.ancestors(i)[1:2]]
    return [(names[i], names[j], _vector(centre[j] - centre[i])) for i, j in pairs]


def _columns(mech: Mechanism, tree: Tree, N_d: np.ndarray) -> list[tuple[str, ...]]:
    names = _speed_names(mech)
    rows: list[tuple[str, ...]] = []
    for i in tree.bodies:
        for d in range(tree.dofs[i].start, tree.dofs[i].stop):
            p = N_d[6 * i : 6 * i + 6, d]
            rows.append((mech.names[i], names[d], _vector(p[:3]), _vector(p[3:])))
    return rows


def _speed_names(mech: Mechanism) -> tuple[str, ...]:
    out: list[str] = []
    for joint in mech.joints:
        parts = joint.kind.v_parts
        out += [joint.name] if len(parts) == 1 else [f"{joint.name}.{part}" for part in parts]
    return tuple(out)


def _vector(x: np.ndarray) -> str:
    return "(" + ", ".join(figure(float(v)) for v in x) + ")"


def _entries(X: np.ndarray) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(figure(float(x)) for x in row) for row in X)
