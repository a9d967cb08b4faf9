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
