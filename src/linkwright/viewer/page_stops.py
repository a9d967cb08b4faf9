"""End stops in a page: the limits of its joints push back in a run, and the reader switches them on and off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.model.model_construction import model_with_inputs
from linkwright.simulation.problem.applied_loads import EndStops, model_with_stops

DEPTH = 1.0 / 250.0
"""How far a stop yields under the weight that rests on it, in lengths of the mechanism."""
DAMPING = 0.4
"""Of stops, as a share of what is critical."""
LEAST_MASS = 0.2
"""What rests on a stop of a length at least, as a share of the whole mass: loops hand on what other bodies weigh."""
LEAST_INERTIA = 0.002
"""The same of an angle, in whole masses times squared lengths of the mechanism."""
G = 9.81  # [m/s2]
_NUMBERS = ("stiffness", "damping")


def model_with_page_stops(model: Model) -> Model:
    """The model with stops at the limits of its joints, whose stiffnesses and dampings are its last inputs.

    One without limits is returned as it is.
    """
    mech = model.mechanism
    if not any(each.limits.lower or each.limits.upper for each in (*mech.joints, *mech.loops)):
        return model
    stopped = model_with_stops(model, page_stops(model))
    made = stopped.mechanism.forces[len(model.mechanism.forces) :]
    if not made:
        return model
    mech = replace(model.mechanism, forces=(*model.mechanism.forces, *made))
    return model_with_inputs(model, mech, tuple(f"forces.{each.name}.{number}" for each in made for number in _NUMBERS))


def page_stops(model: Model) -> EndStops:
    """Stops by joint: as stiff as the inertia that they meet at home asks for, and well damped."""
    mech, length = model.mechanism, model.scales.length
    mass = sum(body.inertia.mass for body in mech.bodies)
    inertia, slices = np.diag(model.mass_matrix(model.assemble().q)), coordinate_slices(mech.joints)
    rate = np.sqrt(G / (DEPTH * length))
    stiffness, damping = {}, {}
    for joint in (*mech.joints, *mech.loops):
        slides = "length" in joint.kind.q_parts
        met = LEAST_MASS * mass if slides else LEAST_INERTIA * mass * length**2
        if joint.name in slices:
            met = max(met, *inertia[slices[joint.name][1]], 0.0)
        stiffness[joint.name], damping[joint.name] = met * rate**2, 2.0 * DAMPING * met * rate
    return EndStops(stiffness, damping)
