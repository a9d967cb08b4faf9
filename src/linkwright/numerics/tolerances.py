"""What counts as zero, repeated or closed: every threshold once, with its unit and its reason."""

# Square of a distance [m^2] below which two points coincide and have no direction. Added to the square of a distance
# it changes no digit of one above 1e-52 m, and it bounds the reciprocal at 1e60 1/m, so that the third powers that
# second derivatives contain do not overflow.
COINCIDENT_SQUARED = 1e-120

# Closure residual [rad, or shares of the mechanism's length] of a state that counts as closed: `assemble` gives 1e-12,
# coordinates printed with ten digits still pass.
CLOSED_STATE = 1e-9

# Share of the largest singular value of the scaled closure Jacobian above which an equation counts in a closed state.
# A state closed to CLOSED_STATE turns equations that repeat each other apart by about as much, far below.
INDEPENDENT_ROW = 1e-6

# Angle [rad] above which a position looks like one in degrees: two turns.
MANY_TURNS = 12.566370614359172

# Angle [rad] below which two axes are parallel: directions computed along a chain of bodies agree to 1e-14, and a tilt
# of 1e-8 is below what the rank sees.
PARALLEL_AXES = 1e-9

# Angle [rad] up to which a tilt between axes is taken for rounding of a file's digits: an axis and a frame written
# with four digits turn it by up to 1.6e-4, and a loop joins a few; "1.5708" instead of pi / 2 is 3.7e-6.
ROUNDED_AXES = 5e-4

# Angle [rad] up to which an axis that locks a loop is taken for one that is meant to be parallel.
SLIGHT_TILT = 0.1

# Singular value of the scaled closure Jacobian per radian of tilt, at most, and residual along the motion that an
# equation has when it is left out: arms of a few times the mechanism's length.
EFFECT_OF_TILT = 10.0

# Share of the largest singular value of the scaled closure Jacobian below which closure equations repeat others:
# states are closed to 1e-12 and entries rounded to 1e-16, an equation that counts is far above.
REPEATED_EQUATION = 1e-8

# The same where equations disagree by as much as rounded lengths do, and the residual [rad, or shares of the
# mechanism's length] up to which they are taken to repeat others.
NEARLY_REPEATED = 1e-4
NEARLY_CLOSED = 1e-5

# Scaled rows that move less than this are zero: both sides of the loop are on one rigid piece.
ZERO_ROW = 1e-12

# Smallest singular value as a share of the largest, below which a configuration is not one to plan at.
REGULAR_STATE = 1e-6

# Share of the largest singular value below which one is the rounding of the matrix's entries and nothing else.
ROUNDED_AWAY = 1e-15

# Below any number that means something, and far above underflow: keeps divisions by zero from happening.
TINY = 1e-300

# Share of the largest singular value of scaled equations below which one has no effect on a least-norm solution:
# states are closed to 1e-12, which a solution may then magnify to 1e-3 and no more.
NO_EFFECT = 1e-9

# The same for velocities and accelerations from given rates: equations of a closed state that agree to rounding.
NO_RATE = 1e-11

# The same for efforts that carry forces, whose equations are not solved for a state: rounding of the maps alone.
NO_EFFORT = 1e-12

# Smallest over largest singular value of scaled equations up to which a state is refused as singular: of 16 digits
# six are left above it.
SINGULAR = 1e-10

# Share of the largest singular value, and of a unit motion, below which motions are one: directions of motions are
# computed from closure Jacobians of closed states, to 1e-12, and decided in a few configurations each.
SAME_MOTION = 1e-7

# Size of a residual, in the mechanism's own units, above which given rates leave others undetermined or contradict.
UNDETERMINED = 1e-7

# Share of the largest inertia of the tree below which a motion moves no mass: products of 16 digits cancel to 1e-15.
MASSLESS = 1e-13
