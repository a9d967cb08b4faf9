"""Flexible links: beams, their shape functions, and where they run."""

from linkwright.mechanism import Beam, Clamped, Polynomial, Sine, flexible
from linkwright.model.beams import beam_points, deflection

__all__ = ["Beam", "Clamped", "Polynomial", "Sine", "beam_points", "deflection", "flexible"]
