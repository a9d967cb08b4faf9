"""What counts as zero, equal, closed, singular or good enough: every threshold once, with its unit and its reason."""

# --- Zero: rounding of 16 digits and nothing else ---

# Below any number that means something, and far above underflow: keeps divisions by zero from happening.
TINY = 1e-300

# Added to a margin by which an error is below a share of a size: where both are exactly zero, the result is accepted.
# Above TINY, which is subtracted from margins.
EXACT_MARGIN = 1e-290

# Square of a distance [m^2] below which two points coincide and have no direction. Added to the square of a distance
# it changes no digit of one above 1e-52 m, and it bounds the reciprocal at 1e60 1/m, so that the third powers that
# second derivatives contain do not overflow.
COINCIDENT_SQUARED = 1e-120

# Two units in the last place of 1: the distance of a rotation's entry from 0, 1 or -1 that is rounding, and the share
# at which two numbers cannot come nearer.
ROUNDED_ENTRY = 4e-16

# Share of the largest below which a number is the rounding of others and nothing else: a singular value beside a
# matrix's entries, a coordinate of a composed transform, the last step of an iteration.
ROUNDED_AWAY = 1e-15

# The same for a coefficient of a sum of symbols, as a share of what was added: eight units in the last place.
ROUNDED_COEFFICIENT = 2.0**-49

# Angle [rad] from a whole number of right angles that is rounding: a turn of pi is known to 4e-16, and a few are added.
RIGHT_ANGLE = 1e-14

# Share of its terms below which a sum of products is rounding: rows, pivots and determinants of scaled equations. Some
# fifty roundings of 2e-16.
ROUNDED_SUM = 1e-14

# Cosine below which two columns are orthogonal: less would be rounding of the products.
ORTHOGONAL_COLUMNS = 2e-15

# Share of the largest below which an entry of a beam's shapes or of their integrals is rounding of polynomials.
ROUNDED_SHAPE = 1e-13

# Share of the largest inertia of the tree below which a motion moves no mass: products of 16 digits cancel to 1e-15.
MASSLESS = 1e-13

# Positive number below every size in SI units that means something; 1 / it is above every such size.
SMALLEST_SIZE = 1e-30

# Squares of diagonal entries below this share of the trace count as this share: reciprocals stay finite.
ZERO_SQUARE = 1e-60

# Square of a column that is left to reflect, as a share of the squares of all, below which it is zero.
ZERO_COLUMN = 1e-36

# Length [m, or 1] below which a vector has no direction: nobody writes one that short.
NO_DIRECTION = 1e-12

# Size [m, rad or 1] that smaller values count as in relative comparisons: nothing is made or moved that small.
LEAST_SIZE = 1e-9

# The same for rates in the mechanism's own units, of which the largest are about 1.
LEAST_RATE = 1e-3

# Share of the largest below which a result of closed states is rounding: a sensitivity, a holding effort, a component
# of a unit vector, a moment that the others add up to.
ROUNDED_RESULT = 1e-12

# --- Equal: what is written, given or found twice ---

# Relative error of what is written with six digits: the length of a unit axis, the sine between two axes, the sum of
# two principal moments against the third.
WRITTEN_DIGITS = 1e-6

# Error of products of a rotation's columns, and of a unit vector's square, that were computed and not written.
ORTHONORMAL = 1e-9

# Error of a quaternion's norm up to which it is taken for q / |q|. Three written digits stay inside, and a factor or a
# zero that nobody meant does not.
QUATERNION_NORM = 1e-3

# Difference of entries across the diagonal of an inertia tensor that is rounding, as a share and in [kg m^2].
SYMMETRIC_INERTIA = 1e-9
ROUNDED_INERTIA = 1e-15

# An eigenvalue this far below zero, as a share of the largest, is not rounding: no real body has such second moments,
# no real joint such a compliance. Stricter than WRITTEN_DIGITS: results change by as much when it is left out.
NEGATIVE_VALUE = 1e-9

# Cosine of the pitch below which roll and yaw turn about one axis. Separate angles have the error 1e-16 / cosine there,
# one angle has the error of the cosine; both are small near the root of rounding.
GIMBAL_LOCK = 1e-9

# 1 + the trace of a rotation below which it is half a turn: within 1e-3 rad.
HALF_TURN = 1e-6

# Angle [rad] above which a position looks like one in degrees: two turns.
MANY_TURNS = 12.566370614359172

# Angle [rad] below which two axes are parallel: directions computed along a chain of bodies agree to 1e-14, and a tilt
# of 1e-8 is below what the rank sees. The same share of the mechanism's length for axes that meet.
PARALLEL_AXES = 1e-9

# Sine of an angle below which the common normal of two axes may lie too far away to be of use.
NEARLY_PARALLEL = 1e-2

# Angle [rad] up to which a tilt between axes is taken for rounding of a file's digits: an axis and a frame written
# with four digits turn it by up to 1.6e-4, and a loop joins a few; "1.5708" instead of pi / 2 is 3.7e-6.
ROUNDED_AXES = 5e-4

# Angle [rad] up to which an axis that locks a loop is taken for one that is meant to be parallel.
SLIGHT_TILT = 0.1

# Singular value of the scaled closure Jacobian per radian of tilt, at most, and residual along the motion that an
# equation has when it is left out: arms of a few times the mechanism's length.
EFFECT_OF_TILT = 10.0

# Difference of coordinates or poses [rad, m or 1] below which two configurations are one: searches end at CLOSED, and
# where two configurations meet coordinates are known to the root of that.
SAME_CONFIGURATION = 1e-6

# Share of the largest singular value, and of a unit motion, below which motions are one: directions of motions are
# computed from closure Jacobians of closed states, to 1e-12, and decided in a few configurations each.
SAME_MOTION = 1e-7

# Difference of singular values, as a share of the larger one, below which they are one multiple value.
MULTIPLE_VALUE = 1e-7

# Share of the largest acceleration, or of 1 [rad/s^2, mechanism lengths/s^2], by which given ones may break the loops'
# equations: those of a state that counts as closed, times arms of a few lengths.
SAME_ACCELERATION = 1e-8

# Share of a limit by which rounding may exceed it.
LIMIT_SLACK = 1e-9

# Share of a whole that may be left when its parts add up to it: parts of a way, steps of a time [s], a turn [rad].
END_OF_WAY = 1e-9

# Share of the fastest component of a pose that one must have to move at all.
STILL_COMPONENT = 1e-9

# --- Closed: residuals of loops [rad, or shares of the mechanism's length] ---

# Residual, or length of a step, that ends Newton's method: rounding of the equations is 1e-16 to 1e-15 per joint.
SOLVED = 1e-13

# Length of a step after which Newton's method makes no other: what it leaves is of second order, below rounding.
LAST_STEP = 1e-8

# Residual with which a search has closed the loops, and change of coordinates with which it has come to rest.
CLOSED = 1e-12

# Residual of a state that counts as closed: `assemble` gives CLOSED, coordinates printed with ten digits still pass.
# Equations that take no part in a solution hold as well.
CLOSED_STATE = 1e-9

# Residual above which a state is not one of this design: coordinates written with six digits leave no more.
OPEN_STATE = 1e-6

# Share by which a step must shrink the residual to be taken; a shorter one is tried instead.
LEAST_GAIN = 1e-4

# Residual above which starts are out of reach: damped steps did not bring them nearer.
STALLED = 1e-2

# --- Redundant: shares of the largest singular value of scaled equations ---

# Share above which an equation counts in a closed state. A state closed to CLOSED_STATE turns equations that repeat
# each other apart by about as much, far below.
INDEPENDENT_ROW = 1e-6

# Share below which closure equations repeat others: states are closed to 1e-12 and entries rounded to 1e-16, an
# equation that counts is far above.
REPEATED_EQUATION = 1e-8

# The same where equations disagree by as much as rounded lengths do, and the residual [rad, or shares of the
# mechanism's length] up to which they are taken to repeat others.
NEARLY_REPEATED = 1e-4
NEARLY_CLOSED = 1e-5

# Scaled rows that move less than this are zero: both sides of the loop are on one rigid piece.
ZERO_ROW = 1e-12

# Share above which a singular value counts where generic ranks are found, in configurations closed to CLOSED.
GENERIC_RANK = 1e-7

# Share below which an equation, a combination of parameters or a stiffness has no effect on a solution: states are
# closed to 1e-12, which a solution may then magnify to 1e-3 and no more, and noise of measurements is never below it.
NO_EFFECT = 1e-9

# The same for velocities and accelerations from given rates: equations of a closed state that agree to rounding.
NO_RATE = 1e-11

# The same for efforts that carry forces, whose equations are not solved for a state: rounding of the maps alone.
NO_EFFORT = 1e-12

# Damping of projections, of squares of singular values: smaller ones than its root count as zero.
DAMPED_PROJECTION = 1e-14

# Size of a residual, in the mechanism's own units, above which given rates leave others undetermined or contradict.
UNDETERMINED = 1e-7

# Amplitude of an equation in one joint, in units of the mechanism's size, below which it does not determine the joint.
NO_AMPLITUDE = 1e-4

# --- Singular: smallest over largest singular value, distances from a singularity ---

# Distance below which a configuration is called singular.
AT_SINGULARITY = 1e-9

# Distance up to which a state is refused as singular: of 16 digits six are left above it.
SINGULAR = 1e-10

# Distance below which a configuration is not one to plan at, and two solutions of a leg are not apart.
REGULAR_STATE = 1e-6

# The gain of the platform over the actuators, in units of the characteristic length, at which a pose that is isotropic
# but weak (every leg nearly stretched) or strong (every leg about to lose the platform) is no longer called far from a
# singularity; and the motion of platform and actuators per motion of all joints below which joints move unseen.
WEAK = 0.1
STRONG = 10.0
SEEN = 1e-2

# Squares of equations serve where the smallest is above this share of the largest, and where the actuators move with
# all motions by more than the other.
DISTINCT_SQUARES = 1e-4
SEEN_SQUARES = 1e-2

# --- Good enough: errors of results, and the pivots from which they are known ---

# The relative error that results promise, and how much more than its average rounding may do in a bad case.
PROMISED = 1e-10
BAD_CASE = 10.0

# Accelerations below this share of gravity's, and efforts below this share of the forces that add up to them, are
# judged as if they were as large: where a result passes through zero a relative error is undefined.
SMALL_RESULT = 1e-2

# Share of a typical acceleration below which results are compared in absolute terms: there rounding is all there is.
SLIGHT_ACCELERATION = 1e-3

# Largest force along a motion without mass, relative to the terms it is the sum of, that compiled functions take for
# rounding; and the one that is refused. What lies between them is computed by a dense solution.
BALANCED = 1e-10
UNBALANCED = 1e-9

# Largest backward error of equations that are left out because they repeat others, which they do as well as the loops
# are closed.
CLOSED_ROW = 1e-11

# Dependent speeds per independent one beyond which a state is looked at again for a singularity.
FASTEST_DEPENDENT = 1e8

# Share of the smallest singular value of all equations that those kept must have to serve.
WORSE_ROWS = 1e-2

# A pivot below this share of its typical size is small: it counts by how far it is below. One that nowhere falls below
# the other need not be watched.
SMALL_PIVOT = 0.1
STEADY_PIVOT = 0.2

# Products of small pivots' shares (their sizes over SMALL_PIVOT of the typical ones) at which a result is accepted:
# accelerations, efforts, rates and their derivatives, and accelerations of trees.
ACCEPTED = 1e-2
ACCEPTED_EFFORTS = 1e-1
ACCEPTED_RATES = 1e-3
ACCEPTED_TREE = 1e-4

# Where equations were left out as redundant, those kept are worse than all of them: limits are so many times stricter,
# and no stricter than the last.
STRICTER = 10.0
STRICTEST = 0.3

# The least determinant of a leg, relative to its typical size, at which the leg by leg form is accepted.
ACCEPTED_LEG = 4e-3

# A link of a long chain counts as light below this share: no pose makes the pivots of many links small at once, so the
# product of what each contributes alone says nothing of chains of ordinary links.
LIGHT_LINK = 0.05

# A pivot below this share of its typical size, or of what it is measured in, may be rounding: orders of elimination
# avoid it, projections leave it to a dense solution.
DOUBTFUL_PIVOT = 1e-4

# Share of its column that a pivot has in every sample of an order of elimination: others grow by 1 / this at most.
STABLE_PIVOT = 1e-3

# A pivot of an inertia below this share of the inertia itself may be rounding.
SUNK_PIVOT = 1e-8

# Pivots of Newton's steps are at least this share of their typical size.
NEWTON_PIVOT = 1e-7

# Refined solutions: smallest pivot relative to its typical size (below it a factor may be rounding and nothing else);
# largest correction relative to the result (what is left is about its square); largest relative change of the result
# that rounding of the equations may cause.
REFINED_PIVOT = 1e-6
REFINED_CORRECTION = 1e-7
REFINED_CHANGE = 1e-11

# Step of central differences, in units in which a function changes by about 1: its second power is what they miss,
# and rounding divided by it is 1e-11.
DIFFERENCE_STEP = 1e-5

# Relative difference of accelerations by two methods above which they disagree: far above what either promises.
METHODS_DISAGREE = 1e-6

# --- Named: what messages speak of ---

# Share of the whole below which people see nothing: a coefficient of a description, points of a picture, a motion.
UNSEEN = 1e-6

# Share of the fastest velocity of a motion above which a joint is named.
NAMED_VELOCITY = 1e-3

# Share of a singular vector above which a row or velocity is named.
NAMED_SHARE = 0.2
