"""Records that drivers work on. A row holds one number per lane; every lane has its own run, a single run one lane."""

from __future__ import annotations

from linkwright.compiler.native import Floats, FunctionPointer, IntRow, Ints, Many, Record, Row, Rows

# The result of a driver, and the status of a run.
GOING = 0  # the slice is over
DONE = 1  # the end time is reached
STOPPED = 2  # at an event that ends the run
UNDERFLOW = 3  # the step became too small to change the time
BLOWN = 4  # a fixed step gave numbers that are not finite
FAILED = 5  # the derivative at the state itself cannot be computed
FULL_LIST = 6  # no more space for events
EXAMINE = 7  # an event in the last step is to be looked at before going on
HUNGRY = 8  # a lane has no run, and the queue may be filled again
IDLE = 9  # only of a lane: it has no run
EXHAUSTED = 10  # the budget of steps is used up
SWITCH = 11  # steps in tangent coordinates begin or end, and have a method of their own

# What follows an event; the first two are the caller's choice.
GOES_ON = 0
ENDS = 1
LOOKED_AT = 2  # by Python, before going on
SINGULAR = 3  # looked at when it is near a singular position; the next two are the determinant and the rate of its size

# Directions of events at singular positions besides numbers of states that are to be examined.
LINGERS = 0  # a determinant stays near zero
JUMPED = -1  # it changed its sign, and was not seen to pass zero
REGULAR_PASSAGE = -2  # it passed zero where the equations keep their rank: the actuators lose hold

UNDEFINED = 3  # a direction of a caller's event: its function gave a number that is not finite
NEVER = 2  # a direction of events besides -1, 0 and 1

EXTRAS = 2  # numbers of a state behind coordinates and velocities: work of the actuators, energy lost
NOTED = 5  # numbers of an event on the list: time, number, direction, run, size of the step
MONITORED = 4  # gap, gap rate, kinetic and potential energy
PARTS = 16  # of a step, each looked at for a singular position
VERDICT = 5  # numbers about a step in tangent coordinates that may have met a singular position
PASSED = 4  # numbers about a singular position that was passed in such steps, or turned beside
MOST_PASSED = 64  # of these between two looks of the caller
MOST_EXAMINED = 64  # states of one step that are kept to be examined


class RunSizes(Record):
    """Sizes."""

    n: int  # numbers in a state: coordinates, velocities, extras, states of a controller
    stride: int  # the same, filled up with zeros to a multiple of four
    nq: int
    ns: int  # velocities in the state
    nv: int
    na: int
    n_acting: int  # efforts and components of wrenches, of a single run
    n_checked: int
    checked: Ints  # indices of the state that the error estimate uses


class Settings(Record):
    """Constants of a run, and the end of the segment. Times count from the start of the run."""

    t_start: float
    t_end: float
    origin: float  # the caller's time at the start
    gap_kept: float  # gaps above it are projected away after a step
    gap_shown: float  # and above it for a row of the output
    most_projections: int  # after a step
    most_doubts: int  # attempts of a run that may meet numbers that are not finite
    max_steps: float  # attempts of a run


class StepMethod(Record):
    """A Runge-Kutta or Rosenbrock method and its step control (theory 8.1-8.4, 8.10)."""

    stiff: int
    adaptive: int
    stages: int
    total: int  # stages, with those that only the interpolant needs
    end: int  # number of the derivative at the end of a step
    last_in_error: int  # the error estimate needs it
    n_dense: int
    exponent: float
    gamma: float
    rtol: float
    atol: float
    h_max: float
    h: float  # of a fixed-step run
    a: Floats
    c: Floats
    e: Floats
    d: Floats
    g: Floats  # weights of the derivative with time


class Mechanics(Record):
    """Compiled functions of the mechanism, and their arguments besides the state."""

    solves: int  # dependent coordinates are solved for before every derivative
    projects: int
    dynamics_given: int  # with several lanes: where the parameters of a function begin in `given`
    rates_given: int
    gaps_given: int
    project_given: int
    monitor_given: int
    watch_given: int
    tau: Rows  # efforts, then components of wrenches
    given: Rows  # with several lanes: run-time parameters; the functions of a single run have theirs with them
    work: Rows  # all velocities, or one step of Newton's method
    effort: FunctionPointer  # t, q, v -> tau
    effort_again: FunctionPointer  # the same, slower, where that gives numbers that are not finite
    controller: FunctionPointer  # t, q, v, its states -> tau, rates of its states; of a law that has states
    wrench: FunctionPointer  # t, q, v -> what follows the efforts in tau: components of wrenches
    dynamics: FunctionPointer  # q, s, tau -> acceleration of s
    second: FunctionPointer  # the same in another order
    fallback: FunctionPointer  # the same, slower, where the others give up
    rates: FunctionPointer  # q, s, tau -> rates of q, powers
    expand: FunctionPointer  # q, s -> v, where the state holds independent velocities only
    whole_row: FunctionPointer  # q, s, tau -> v and a
    gaps: FunctionPointer  # q, v -> gap, gap rate
    project: FunctionPointer  # q, s -> s, q; brings the loops nearer to closed
    project_again: FunctionPointer  # the same, slower
    newton: FunctionPointer  # q -> gap, q
    monitor: FunctionPointer  # q, v -> gap, gap rate, kinetic, potential energy
    watch: FunctionPointer  # t, q, v -> event functions
    size: FunctionPointer  # q -> the determinants that are watched
    equations: FunctionPointer  # q -> Jacobian of the loops' equations
    residual: FunctionPointer  # q -> gaps of the loops' equations
    displace: FunctionPointer  # q, displacement as velocities -> q
    terms: FunctionPointer  # q, v, tau -> mass matrix; forces on the velocities, then what the equations ask for
    jacobian: FunctionPointer  # t, q, s, tau -> derivatives of the derivative by t, q, s


class Step(Record):
    """The step of every lane. True and false are 1.0 and 0.0."""

    t: Row  # time reached
    h: Row  # size of the next step
    size: Row  # of this one; 0 where there is none
    to: Row  # its end
    number: Row  # steps of a fixed-step run
    error: Row  # estimate in units of the tolerance
    coarse: Row
    health: Row  # 0 where the attempt has finite numbers
    accepted: Row
    refused: Row  # the last attempt was
    doubts: Row  # attempts that met numbers that are not finite
    moved: Row  # the new state was projected
    needs: Row  # loops are open too far
    fresh: Row  # the derivative at the state is to be found
    until: Row  # time up to which rows of the step are written
    at: Row  # a time inside the step at which event functions are evaluated
    dense: Row  # the step needs its interpolant, for a row or an event
    due: Row  # a row of the step is to be made
    theta: Row  # and where in the step
    waiting: Row  # a row waits to be written
    last: Row  # it is that of the event that ended the run
    t_row: Row  # its time
    t_shown: Row  # the same as the caller counts it
    run: IntRow  # which run a lane works on, -1 when it has none
    status: IntRow
    next_due: IntRow  # rows of the grid dealt with
    written: IntRow  # rows written


class Counts(Record):
    """Counts of every lane's run."""

    steps: Row
    rejected: Row
    evaluations: Row
    projections: Row
    fallbacks: Row
    tangent_steps: Row


class OutputRows(Record):
    """Rows of the output: t, q, v, a, tau, monitored numbers, extras."""

    n_rows: int
    per_run: int  # rows of each of many runs in the table; the last is for the event that ended it
    width: int
    n_states: int  # of a controller, written behind the extras
    grid: Floats  # times of the rows
    shown: Floats  # the same as the caller counts them
    rows: Floats  # one run behind the other
    state: Rows  # that waits to be written
    rates: Rows  # its derivative, then what is monitored
    whole: Rows  # all velocities and accelerations


class Events(Record):
    """Events of runs (theory 8.6), and singular positions among them; those are examined in a single run only."""

    n: int
    n_found: int
    most_found: int
    examines: int  # an event to be examined happened in the last step
    n_examined: int
    n_passed: int  # passages of the last step, those that are to be examined among them
    t_regular: float  # time of the last state far from singular positions, -1 before there is one
    far_share: float  # a determinant above this share of its usual size is far from zero
    regular_share: float  # and a state is regular where all are above this share
    hold_share: float  # and the actuators hold where theirs are above this share
    of_actuators: int  # the determinants are those of the actuators
    n_usual: int
    n_equations: int  # rows of J
    n_columns: int
    rank: int  # rows that are independent
    unit: float  # what a gap is measured in: the mechanism's length, at most 1
    kinds: Ints  # direction and what follows, of every event
    found: Floats  # time, number, direction, run, size of the step
    old: Rows  # event functions before the step
    new: Rows  # and after it
    inside: Rows  # and in it
    usual: Floats  # usual sizes of the determinants that are watched
    order: Ints  # of the rows of J, independent ones first
    units: Floats  # by which entries of J count in the mechanism's own units
    equations: Floats  # J
    gram: Floats  # J J^T
    column: Floats  # of either
    regular: Rows  # the last state far from singular positions
    before: Rows  # the same before the instants that are to be examined
    examined: Rows  # states at events that are to be examined, one behind the other


class TangentSteps(Record):
    """Steps in tangent coordinates near positions where the loops' equations lose rank (theory 8.9), of a single run.

    Numbers are in the mechanism's own units unless said otherwise: velocities over `speeds`, equations times
    `row_shares`.
    """

    able: int  # the problem has what such steps need
    on: int  # the next step is one
    wanted: int  # accelerations were not found: the equations are about to lose rank
    switches: int  # the caller sets another method for such steps
    tries: int  # where accelerations are not found, a step in tangent coordinates is tried before the slower way
    based: int  # the basis belongs to the state
    until: float  # they are taken at least up to this time
    steps: int  # taken on the way to it
    enter_share: float  # singular values below this share of the largest: such steps begin
    leave_share: float  # and above this one they end
    watch_share: float  # the equations are looked at where a determinant is below this share of its usual size
    stage_share: float  # pivots at a stage below this share of the largest are avoided
    end_share: float  # and at the end of a step
    avoided: int  # attempts in a row that were too near a singular position
    across: int  # the last step passed a crossing
    refused_across: int  # a step across the crossing that is expected was not accurate
    reaches: int  # a step much longer than the last may be tried, once, to pass the crossing that is expected
    row_share: float  # rows of it with a pivot below are found from states beside them
    cut: int  # the step is shorter than accuracy asks for
    crossed: int  # the step passed a singular position
    plans: int  # steps are chosen so that no stage comes near a crossing that is expected
    felt: int  # the error of the last step was due to a singular position
    expected: float  # time up to the crossing that is expected, from the state
    n_fractions: int
    fractions: Floats  # of a step at which a crossing is far from all stages
    beside_share: float  # a motion whose smallest pivot falls below has turned beside a singular position
    least: float  # the smallest pivot since such steps began, 0 after a crossing
    t_least: float  # and its time, -1 before there is one
    pivot: float  # the smallest of J N at the last state, relative to the largest
    nearest: float  # the same over the states of the attempt
    beginning_pivot: float  # the same at the beginning of the step
    n_passed: int  # singular positions passed or turned beside, not yet taken over by the caller
    nv: int
    n_rows: int  # equations
    rank: int  # equations that are independent
    turning: int  # there are quaternions
    speeds: Floats
    inverse_speeds: Floats  # one over them
    row_shares: Floats  # one over the unit of every equation
    units: Floats  # by which entries of J count
    order: Ints  # of the equations at the beginning of the step, those that are used first
    pivots: Ints
    inverse_diagonal: Floats  # of the factors of J N
    small_pivots: Ints
    triangle: Floats  # J N at the beginning of the step, lower triangular
    reflections: Floats
    Q: Floats  # N, then V, as columns, of velocities
    along: Floats  # V over the units of the velocities, which finds components of velocities
    J: Floats
    J_beginning: Floats  # at the beginning of the step
    JQ: Floats  # J N, or its factors, then J V
    X: Floats  # (J N)^-1 J V
    P: Floats  # V - N X, of velocities
    mass: Floats
    right: Floats
    small: Floats  # P^T M P
    gap: Floats
    normal: Rows  # components along N
    zeta: Rows  # components along V
    x: Floats  # a displacement, or accelerations along N
    q: Rows
    a: Floats  # accelerations at the last state
    a_end: Floats  # and at the end of the last step
    row: Floats  # velocities and accelerations of a row
    q_least: Floats  # coordinates at the smallest pivot
    verdict: Floats  # of a step: crossings, fraction of the step, lengths' mismatch, lost equations, exact
    q_singular: Floats  # and the singular configuration
    passed: Floats  # time, mismatch, lost equations, whether exact, of every singular position
    passed_q: Floats  # and their configurations
    passed_v: Floats  # and the velocities there


class SingularSearch(Record):
    """The search for the singular configuration nearest to a step (theory 8.16). W is what follows N in Q."""

    lost: int  # equations
    most_lost: int
    mismatch: float  # of lengths, shares of the mechanism's
    moved: float  # by the last correction
    away: float  # by all of them, at most
    q: Rows  # the configuration
    q_from: Floats  # where the search began
    q_at: Rows  # one beside it
    order: Ints  # of the equations, sound ones first
    A: Floats  # J, then its parts along N and W
    reflections: Floats
    Q: Floats
    U: Floats  # left directions of the lost equations: their part in the sound ones
    after: Floats  # J beside the configuration, then its change
    before: Floats
    changes: Floats  # of U^T J W along the directions W
    right: Floats  # what they are to be
    columns: Ints
    mirrors: Floats
    square: Floats
    gram: Floats
    along: Floats  # a correction along N and W
    x: Floats
    matrix: Floats  # (J N)^-1 J N of both ends of a step
    real: Floats  # its eigenvalues
    imaginary: Floats


class StageMatrix(Record):
    """The linear equations of a Rosenbrock step."""

    by_t: Floats
    by_q: Floats
    by_s: Floats
    matrix: Floats
    pivots: Ints
    factorings: int


class Run(Record):
    """End of one run of many."""

    status: int
    end: float
    steps: int
    rejected: int
    evaluations: int
    projections: int


class LaneQueue(Record):
    """Runs that wait for a lane, and what each begins with."""

    next: int
    last: int
    more: int  # it may be filled again
    busy: int  # lanes
    finished: int
    n_given: int
    starts: Floats
    taus: Floats
    givens: Floats
    runs: Many[Run]


class Driver(Record):
    """Everything that a driver reads and writes."""

    budget: int  # attempts left in this slice
    step: Step
    counts: Counts
    shape: RunSizes
    settings: Settings
    method: StepMethod
    mechanics: Mechanics
    output: OutputRows
    events: Events
    tangent: TangentSteps
    search: SingularSearch
    linear: StageMatrix
    queue: LaneQueue
    clock: Rows  # time of the derivative being computed as the caller counts it; size of a poor determinant
    y: Rows  # state: coordinates, velocities, extras
    y_new: Rows
    k: Rows  # derivatives of the stages, one state behind the other
    stage: Rows  # a state on the way
    work: Rows  # two states
    zeros: Rows
    powers: Rows  # of the interpolant's polynomials
    weights: Rows  # of the derivatives that enter a sum
    used: Ints  # and where they begin in k
