"""Sizes of actuators: what a motion needs, which motors and gears give it, which joints to drive."""
