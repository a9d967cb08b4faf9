"""Kinematics and dynamics of serial and parallel (closed-loop) robots."""

__version__ = "0.1.0"
