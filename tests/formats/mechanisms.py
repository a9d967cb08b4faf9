"""Random mechanisms that use everything a record can hold, for laws about files."""

from hypothesis import strategies as st

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.forces import Friction, Spring, Strut
from linkwright.joints import Distance, Fixed, Floating, Revolute, Screw, Spherical, Universal
from linkwright.joints.joint_registry import KINDS
from linkwright.mechanism import (
    Actuator,
    Body,
    Box,
    Capsule,
    Coupling,
    Cylinder,
    Frame,
    Inertia,
    Joint,
    Limits,
    Mechanism,
    Plate,
    Shape,
    Sphere,
)

numbers = st.floats(-1e3, 1e3, allow_nan=False, allow_subnormal=False)
positive = st.floats(1e-6, 1e3)
triples = st.tuples(numbers, numbers, numbers)
lines = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"], include_characters="\n\t"))
letters = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=6).filter(str.isprintable)
TREE_KINDS = sorted(set(KINDS) - {"distance"})
AXES = [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.6, 0.0, 0.8), (1 / 3, 2 / 3, 2 / 3)]


@st.composite
def poses(draw):
    kind = draw(st.sampled_from(["none", "right", "any", "quaternion"]))
    xyz = draw(triples)
    if kind == "none":
        return draw(st.sampled_from([IDENTITY, RigidTransform(xyz)]))
    if kind == "right":
        return RigidTransform.from_rpy(
            xyz, [draw(st.sampled_from([0.0, 1.5707963267948966, -1.5707963267948966])) for _ in "xyz"]
        )
    if kind == "any":
        return RigidTransform.from_rpy(xyz, draw(triples))
    return RigidTransform.from_quaternion(xyz, (draw(positive), *draw(triples)))


@st.composite
def inertias(draw):
    """Of a solid block, turned, so that every tensor is one a body can have."""
    a, b, c = (draw(st.floats(0.0, 10.0)) for _ in "abc")
    R = draw(poses()).R
    turned = R @ [[b + c, 0, 0], [0, a + c, 0], [0, 0, a + b]] @ R.T
    tensor = (turned + turned.T) / 2
    return Inertia(draw(st.floats(0.0, 10.0)), draw(triples), tuple(tuple(map(float, row)) for row in tensor))


solids = st.one_of(
    st.builds(Box, st.tuples(positive, positive, positive)),
    st.builds(Cylinder, positive, positive),
    st.builds(Sphere, positive),
    st.builds(Capsule, positive, triples, triples),
    st.builds(Plate, st.lists(triples, min_size=3, max_size=4).map(tuple), positive),
)
shapes = st.lists(st.builds(Shape, solids, poses(), st.sampled_from([None, "#ff8800", "#00AA12"])), max_size=2).map(
    tuple
)


@st.composite
def kinds(draw):
    kind = KINDS[draw(st.sampled_from(TREE_KINDS))]
    if kind in (Fixed, Spherical, Floating):
        return kind()
    if kind is Universal:
        return Universal(AXES[0], AXES[1])
    if kind is Screw:
        return Screw(draw(st.sampled_from(AXES)), draw(numbers))
    return kind(draw(st.sampled_from(AXES)))


def rows(draw, n, values=positive):
    return tuple(draw(values) for _ in range(n))


def coordinates(draw, kind):
    """Coordinates of a joint; quaternions have norm 1."""
    values = rows(draw, kind.nq, numbers)
    turn = draw(st.sampled_from([(1.0, 0.0, 0.0, 0.0), (0.6, 0.0, -0.8, 0.0)]))
    return (*values[:-4], *turn) if isinstance(kind, Spherical | Floating) else values


@st.composite
def joints(draw, name, parent, child):
    kind = draw(kinds())
    q, v = kind.nq, kind.nv
    limits = Limits()
    if q and draw(st.booleans()):
        upper = rows(draw, q, st.one_of(positive, st.just(float("inf"))))
        if isinstance(kind, Spherical | Floating):
            upper = (*upper[:-4], *(float("inf"),) * 4)  # no limits on parts of a quaternion
        cone = draw(st.sampled_from([None, 0.5]))
        limits = Limits(
            tuple(-x for x in upper), upper, rows(draw, v), draw(st.sampled_from([(), rows(draw, v)])), cone
        )
    spring = (
        Spring(rows(draw, v), draw(st.sampled_from([(), rows(draw, q)])))
        if v and q == v and draw(st.booleans())
        else None
    )
    friction = Friction(rows(draw, v), (), draw(positive)) if v and draw(st.booleans()) else None
    armature = rows(draw, v) if v and draw(st.booleans()) else ()
    return Joint(name, parent, child, kind, draw(poses()), draw(poses()), limits, spring, friction, armature)


@st.composite
def mechanisms(draw):
    """Any tree with up to five bodies, sometimes with a loop joint, frames, actuators, a home pose."""
    names = draw(st.lists(letters, min_size=1, max_size=5, unique=True))
    base = draw(letters.filter(lambda text: text not in names))
    shares = st.sampled_from([0.0, 0.7, 1.0])
    bodies = tuple(Body(name, draw(inertias()), draw(shapes), draw(shares)) for name in names)
    known = [base]
    tree = []
    for i, name in enumerate(names):
        tree.append(draw(joints(f"j{i}", draw(st.sampled_from(known)), name)))
        known.append(name)
    rod = st.builds(Joint, st.just("rod"), st.just(names[-1]), st.just(base), st.builds(Distance, positive), poses())
    loops = tuple(draw(st.lists(st.one_of(joints("cut", names[-1], base), rod), max_size=1)))
    frames = tuple(Frame(f"f{i}", draw(st.sampled_from(known)), draw(poses())) for i in range(draw(st.integers(0, 2))))
    single = [joint.name for joint in tree if joint.kind.nq == 1]
    couplings = (Coupling("gear", tuple((n, draw(positive)) for n in single[:3]), draw(numbers)),) if single[1:] else ()
    ends = st.builds(Strut, st.just("strut"), st.just(names[-1]), st.just(base), triples, triples, *[positive] * 3)
    moving = [joint for joint in tree if joint.kind.nv]
    actuators = tuple(
        Actuator(
            f"m{i}",
            joint.name,
            joint.kind.nv - 1,
            draw(positive),
            draw(positive),
            draw(st.sampled_from([None, Friction((1.5,), (0.25,))])),
            *draw(st.sampled_from([(None, None), (2.5, 1e9)])),
        )
        for i, joint in enumerate(moving[:2])
    )
    return Mechanism(
        name=draw(letters),
        bodies=bodies,
        joints=tuple(tree),
        loops=loops,
        couplings=couplings,
        forces=tuple(draw(st.lists(ends, max_size=1))),
        frames=frames,
        actuators=actuators,
        platform=frames[0].name if frames else None,
        base=base,
        base_shapes=draw(shapes),
        gravity=draw(triples),
        home=tuple((joint.name, coordinates(draw, joint.kind)) for joint in moving[:1]),
        source=draw(st.one_of(st.just("first line\nsecond line"), lines)),
    )


def one_joint(name):
    """A mechanism with a joint of the named kind; a rod only closes a loop."""
    if name == "distance":
        cut = Joint("rod", "b", "ground", Distance(0.5))
        return Mechanism("one", (Body("b"),), (Joint("j", "ground", "b", Revolute()),), (cut,))
    return Mechanism("one", (Body("b"),), (Joint("j", "ground", "b", KINDS[name]()),))
