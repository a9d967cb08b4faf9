"""What counts as zero, repeated or closed: every threshold once, with its unit and its reason."""

# Square of a distance [m^2] below which two points coincide and have no direction. Added to the square of a distance
# it changes no digit of one above 1e-52 m, and it bounds the reciprocal at 1e60 1/m, so that the third powers that
# second derivatives contain do not overflow.
COINCIDENT_SQUARED = 1e-120
