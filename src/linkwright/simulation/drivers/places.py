"""Where drivers keep what: indices into their whole numbers, arrays, floats and codes."""

from __future__ import annotations

# Arrays.
REAL = 0  # the floats listed below
STATE = 1  # coordinates, speeds, extras
STATE_NEW = 2
SLOPES = 3  # one row per stage
TAU = 4
GIVEN = 5  # run-time parameters of the mechanics
FULL = 6  # room for all speeds, and for one step of Newton's method
ROOM = 7  # room for two states and the event functions
DENSE = 8  # coefficients of the interpolant
STEP_RESULT = 9  # the new state before projection
WATCHED = 10  # event functions before and after the step
GRID = 11  # times of the rows
ROWS = 12
FOUND = 13  # events: time, number, direction
TABLE_A = 14
TABLE_C = 15
TABLE_E = 16
TABLE_D = 17
EXAMINED = 18  # states at events that are to be examined, one behind the other
TABLE_G = 19  # weights of the derivative with time
DERIVATIVE_T = 20
DERIVATIVE_Q = 21
DERIVATIVE_S = 22
MATRIX = 23
PIVOTS = 24
SHOWN = 25  # times of the rows in the result
USUAL = 26  # usual sizes of the determinants that are watched
REGULAR = 27  # the last state far from singular positions
BEFORE = 28  # the same before the instants that are to be examined
N_ARRAYS = 29

# Floats. Times count from the start of the run.
T = 0  # time reached
H = 1  # size of the next step
T_END = 2  # where this stretch ends
RTOL = 3
ATOL = 4
H_MAX = 5
T_STAGE = 6  # time of the stage being computed, as laws and event functions see it: ORIGIN included
REFERENCE = 7  # stands behind the time: size of a determinant that is thought poor
GAP_KEPT = 16  # gaps above it are projected away after a step
GAP_SHOWN = 8  # and above it for a row
EXPONENT = 9  # of the step size control
FIXED = 10  # step size of a fixed-step run
T_START = 11
STEP_FROM = 12  # where the last step began
STEP_SIZE = 13
STEP_TO = 14
ERROR = 15
GAMMA = 17
FAR_SHARE = 18  # a determinant above this share of its usual size is far from zero
ORIGIN = 19  # the caller's time at the start
T_REGULAR = 20  # time of the last state far from singular positions, -1 before there is one
REGULAR_SHARE = 21  # where determinants are above this share of their usual sizes
UNIT = 22  # what a gap is measured in: the mechanism's length, at most 1
N_REAL = 23

# Whole numbers.
N = 0  # numbers in the state
N_CHECKED = 1  # how many of them the error estimate looks at
NQ = 2
NS = 3  # speeds in the state
NV = 4
NA = 5
STAGES = 6
TOTAL = 7
N_DENSE = 8
LAST_IN_ERROR = 9
ADAPTIVE = 10
N_ROWS = 11
NEXT_ROW = 12  # rows written
WIDTH = 13
HAS_EFFORT = 14
PROJECTS = 15
EXPANDS = 16  # the state holds independent speeds only
PARAMETERS = 17  # how codes are called, see below
N_EVENTS = 18
N_FOUND = 19
MOST_FOUND = 20
FRESH = 21  # the slope at the state is known
BUDGET = 22  # attempts left in this slice
STEPS = 23
REJECTED = 24
EVALUATIONS = 25
PROJECTIONS = 26
FALLBACKS = 27
STEP_NUMBER = 28  # of a fixed-step run
REFUSED = 29  # the last attempt was
N_MONITORED = 30
CAN_FALL_BACK = 31
SOLVES = 32  # dependent coordinates are solved for before every slope
CHECKED = 33  # where the list of places the error estimate looks at begins
KINDS = 34  # where the events' directions and ends begin
NEXT_DUE = 35  # rows of the grid dealt with
SPLIT = 36  # where the damping begins in GIVEN
EXAMINES = 37  # an event to be examined happened in the last step
FACTORINGS = 38
HAS_SECOND = 39
HAS_EFFORT_AGAIN = 40
N_EXAMINED = 41  # states that wait to be examined
N_WHOLE = 42

# Codes.
EFFORT = 0  # t, q, v -> tau
DYNAMICS = 1  # q, s, tau, (parameters) -> acceleration of s
FALLBACK = 2  # the same, slower, where DYNAMICS gives up
RATES = 3  # q, s, tau -> rates of q, powers
EXPAND = 4  # q, s -> v
GAPS = 5  # q, v -> gap, gap rate
PROJECT = 6  # q, s -> s, q; brings the loops nearer to closed
MONITOR = 7  # q, v -> gap, gap rate, kinetic, potential energy
WATCH = 8  # t, q, v -> event functions
PROJECT_AGAIN = 9  # the same as PROJECT, slower
NEWTON = 10  # q -> gap, q
WHOLE_ROW = 11  # q, s, tau -> v and a
JACOBIAN = 12  # t, q, s, tau, (parameters) -> derivatives of the slope by t, q, s
SECOND = 13  # DYNAMICS in another order, tried before FALLBACK
SIZE = 14  # q -> the determinants that are watched
PROJECT_ROW = 15  # the same as PROJECT for a row that the others leave open
EFFORT_AGAIN = 16  # the same as EFFORT, slower, where that gives numbers that are not finite
N_CODES = 17

# How codes are called.
PLAIN = 0
WITH_INERTIAS = 1  # all of them take GIVEN
ON_SPRINGS = 2  # GIVEN holds stiffness, then damping
PULLED = 3  # only DYNAMICS takes GIVEN

# What follows an event; the first two are the caller's choice.
GOES_ON = 0
ENDS = 1
LOOKED_AT = 2  # by Python, before going on
SINGULAR = 3  # looked at when it is near a singular position; the next two are the determinant and the rate of its size

PARTS = 16  # of a step, each looked at for a singular position

MOST_EXAMINED = 64  # states of one step that are kept to be examined

# Directions of events besides -1, 0 and 1.
NEVER = 2

# What a driver answers.
GOING = 0  # the slice is over
DONE = 1  # the stretch's end is reached
STOPPED = 2  # at an event that ends the run
UNDERFLOW = 3  # the step became too small to change the time
BLOWN = 4  # a fixed step gave numbers that are not finite
FAILED = 5  # the slope at the state itself cannot be computed
FULL_LIST = 6  # no more room for events

REFUSED_STEP = 7  # only inside a driver
EXAMINE = 8  # an event in the last step is to be looked at before going on

NAMES = ("going", "done", "stopped", "underflow", "blown", "failed", "full", "refused", "examine")
