"""Where the driver of many runs keeps what: rows of lanes, flat tables, whole numbers, marks of lanes, codes."""

from __future__ import annotations

# Arrays of lanes.
REAL = 0  # the rows listed below
STATE = 1  # coordinates, speeds, extras; filled up with zeros to a multiple of four
STATE_NEW = 2
SLOPES = 3  # one state after the other per stage
TAU = 4
GIVEN = 5  # what the programs take besides the state, run by run
ROOM = 6  # room for two states
STAGE = 7  # a state on the way to the interpolant
WEIGHTS = 8  # of the slopes in a stage
ROW_STATE = 9  # a state that waits to be written as a row
ROW_ROOM = 10  # room for its slope, and for what is monitored
ZEROS = 11
N_LANE_ARRAYS = 12

# Rows of REAL.
T = 0  # time reached
H = 1  # size of the next step
STEP_SIZE = 2
STEP_TO = 3
ERROR = 4
COARSE = 5
T_STAGE = 6  # as laws see it: ORIGIN included
ACCEPTED = 7  # 1.0 where the step is taken
NEEDS = 8  # 1.0 where the loops are open too far
MOVED = 9  # 1.0 where the new state was projected
FRESH = 10  # 1.0 where a run begins
WAITING = 11  # 1.0 where a row waits to be written
T_ROW = 12  # and its time
HEALTH = 13  # NaN where the new state is not made of finite numbers
DUE = 14  # 1.0 where a row of the last step is to be made
THETA = 15  # and where in the step
N_LANE_REAL = 16

# Flat tables.
SETTINGS = 0  # the numbers listed below
TABLE_A = 1
TABLE_C = 2
TABLE_E = 3
TABLE_D = 4
GRID = 5  # times of the rows
ROWS = 6  # runs, rows, numbers
STARTS = 7  # runs, coordinates and speeds
TAUS = 8  # runs, efforts
GIVENS = 9  # runs, parameters
ENDS = 10  # runs: time reached
N_TABLES = 11

# Settings.
T_START = 0  # times count from the start of the runs
T_END = 1
RTOL = 2
ATOL = 3
H_MAX = 4
EXPONENT = 5
FIXED = 6
GAP_KEPT = 7
GAP_SHOWN = 8
ORIGIN = 9  # the caller's time at the start
N_SETTINGS = 10

# Whole numbers.
LANES = 0
N = 1  # numbers in the state, filled up
N_CHECKED = 2
NQ = 3
NV = 4
NA = 5
STAGES = 6
TOTAL = 7
N_DENSE = 8
LAST_IN_ERROR = 9
ADAPTIVE = 10
N_ROWS = 11
WIDTH = 12
HAS_EFFORT = 13
PROJECTS = 14
N_GIVEN = 15
GAPS_GIVEN = 16  # where the parameters of the codes begin
PROJECT_GIVEN = 17
MONITOR_GIVEN = 18
BUDGET = 19  # rounds left in this slice
NEXT_RUN = 20  # the queue
LAST_RUN = 21
MORE = 22  # the queue may be filled again
N_BUSY = 23
ROUNDS = 24  # of all lanes together
N_FINISHED = 25
N_WHOLE = 26

# Marks: one number per lane each, then the stages that enter a sum.
RUN = 0  # which run a lane works on, -1 when it has none
NEXT_ROW = 1
STEP_NUMBER = 2
REFUSED = 3
DOUBTS = 4  # attempts that met a slope that is not to be trusted
WAITS_FOR = 5  # number of the row that waits
N_MARKS = 6

# Counted per run.
STATUS = 0
STEPS = 1
REJECTED = 2
EVALUATIONS = 3
PROJECTIONS = 4
ROWS_WRITTEN = 5
N_STATS = 6

# Codes.
SLOPE = 0  # q, v, tau, given -> a, rates of q, powers
GAPS = 1  # q, v, given -> gap, gap rate
PROJECT = 2  # q, v, given -> v, q
MONITOR = 3  # q, v, given -> gap, gap rate, kinetic, potential energy
EFFORT = 4  # t, q, v -> tau
N_CODES = 5

# What the driver answers; a run's status besides.
GOING = 0
DONE = 1
HUNGRY = 2
DOUBTFUL = 3  # slopes were not to be trusted, or steps became too small: the run is for the careful driver
