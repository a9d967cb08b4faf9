"""Status values of drivers and kinds of events."""

from __future__ import annotations

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
