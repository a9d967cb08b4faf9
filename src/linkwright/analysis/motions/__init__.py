"""Motions that a mechanism shall follow: what its actuators and joints have to do."""
