"""Flexible links: beams, their shape functions and joints, and where they run."""

from linkwright.joints import Modes, Section
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine
from linkwright.mechanism import flexible
from linkwright.model.beam_deflections import beam_points, deflection

__all__ = ["Beam", "Clamped", "Modes", "Polynomial", "Section", "Sine", "beam_points", "deflection", "flexible"]
