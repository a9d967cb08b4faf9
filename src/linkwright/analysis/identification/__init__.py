"""Identification: dynamic parameters from measured motions and efforts."""
