"""Flexible links: beams, their shape functions and joints, and where they run."""

from linkwright.joints import Modes, Section
from linkwright.mechanism import Beam, Clamped, Polynomial, Sine, flexible
from linkwright.model.beam_deflections import beam_points, deflection

__all__ = ["Beam", "Clamped", "Modes", "Polynomial", "Section", "Sine", "beam_points", "deflection", "flexible"]
