"""The record that pulls work on. Velocities and equations count in the mechanism's own units."""

from __future__ import annotations

from linkwright.compiler.native import Floats, FunctionPointer, Ints, Record, Rows

# How a pull ends.
GOING = 0  # the steps of one call are used up: call again
REACHED = 1  # what is pulled is where it is to be
BOUNDARY = 2  # nothing comes nearer on this branch
EDGE = 3  # at a singular position, behind which lies another branch
LOST = 4  # the equations cannot be solved at the state itself

ERRORS = 6  # components of a goal: the position in the axes of the sight, then turns about the world's axes
NO_BOUND = 1e300


class DragSizes(Record):
    """Sizes."""

    nq: int
    nv: int
    n_rows: int  # closure equations
    rank: int  # those that are independent
    turning: int  # there are quaternions
    n_margins: int  # limits that bound no coordinate: cones, and ranges of joints that close loops


class DragGoal(Record):
    """Where a point of a body is to be, and how the body is to be turned; or the value of a coordinate."""

    velocity: int  # of the coordinate that is pulled; -1 where a body is
    value: float
    body: int
    point: Floats  # in the body's frame
    xyz: Floats  # where to, in the world
    axes: Floats  # rows in which the position's error is measured, the line of sight last
    wxyz: Floats  # of the body
    weights: Floats  # of the six errors; an error of one unit times its weight is a share of the mechanism's length
    counts: Ints  # errors that are to vanish; others are followed as far as these allow


class DragStep(Record):
    """The state of the search, and its numbers."""

    q: Floats  # coordinates; closed before and after
    trial: Floats
    moved: Floats
    error: Floats  # weighted
    error_before: Floats
    z: Rows  # a step along V
    damping: float
    emphasis: float  # of the errors that do not count
    radius: float  # of a step
    size: float  # squares of the errors
    missed: float  # the errors that count, weighted
    tried: float  # squares of the errors at the trial state
    plain_fall: float  # how much they are to fall without curvature, and with it
    curved_fall: float
    curved: int  # the curvature counts
    settling: int  # steps that changed nothing but rounding
    steps: int
    most_steps: int
    held: int  # what is held: first velocities that a pull leaves alone, then bounds
    n_alone: int
    blocked: int  # the bound that the step meets, -1 without one
    rank: int  # of the equations with those of held velocities
    bounds: Ints  # numbers of what is held: velocities, then margins
    values: Floats  # at which coordinates and margins are held
    pivot: float  # the smallest of J N over the largest


class Drag(Record):
    """Everything that a pull reads and writes.

    Attributes:
        equations: q -> Jacobian of the closure equations. residual: q -> their gaps. displace: q, velocities -> q.
        poses: q -> origins and quaternions of the bodies. screws: q -> unit twists of the velocities.
        margins: q -> how far inside other limits it is. margin_rates: q -> their rates for the velocities, (n, nv).
        moves: whether a velocity moves a body, (n_bodies, nv).
        coordinate: index in q of a velocity's coordinate; -1 where it has none of its own. lower, upper: its bounds.
        speeds: what a unit of a velocity counts. shares: one over the unit of an equation. units: of entries of J.
    """

    shape: DragSizes
    goal: DragGoal
    step: DragStep
    equations: FunctionPointer
    residual: FunctionPointer
    displace: FunctionPointer
    poses: FunctionPointer
    screws: FunctionPointer
    margins: FunctionPointer
    margin_rates: FunctionPointer
    moves: Ints
    coordinate: Ints
    lower: Floats
    upper: Floats
    speeds: Floats
    shares: Floats
    units: Floats
    margin_units: Floats
    margins_here: Floats  # at the state
    margins_there: Floats  # at the trial state
    margin_rows_here: Floats  # in their units
    margin_rows_there: Floats
    order: Ints  # of the rows, independent ones first
    pivots: Ints
    J: Floats  # rows at the trial state
    triangle: Floats  # J N at the state, lower triangular
    reflections: Floats
    Q: Floats  # N, then V, as columns
    JQ: Floats
    sides: Floats
    real: Floats
    imaginary: Floats
    gap: Floats
    normal: Rows
    x: Floats
    work: Floats
    origins: Floats
    turns: Floats  # quaternions
    at: Floats  # the point that is pulled, and the quaternion of the turn that is missing, where errors were measured
    twists: Floats
    A: Floats  # decrease of the errors along V, (6, freedoms)
    B: Floats  # A, with its rows turned until they are orthogonal
    share: Floats  # of the errors along these rows, (6,)
    square: Floats  # of the length of each of them
    y: Rows  # a step along them
    K: Floats  # the curvature along them
    M: Floats
    columns: Ints
    curvature: Floats  # of half the squares of the errors, beyond A^T A, for all velocities
    course: Floats  # the last step
    pulled: Floats  # the gradient before it
    transported: Floats
    gradient: Floats
