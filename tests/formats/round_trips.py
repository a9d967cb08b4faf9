"""`python -m tests.formats.round_trips [NAME ...]`: catalog mechanisms through every format and back, as a table.

Each mechanism is written as URDF in both dialects, MJCF and SDF, read again and built. Its actuators are moved alike
from the home of both, loops closed, and the efforts of inverse dynamics are compared: that says whether the closed
mechanism is the same, however the copy names and counts its coordinates. A cell is the largest relative difference,
or what the format cannot express.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.formats.mechanism_files import read, save
from linkwright.functions.stepping.limit_functions import joint_values
from linkwright.model.model_construction import with_closed_home

TARGETS = {"URDF+": (".urdf", "plus"), "Extended": (".urdf", "extended"), "MJCF": (".xml", None), "SDF": (".sdf", None)}
STATES = 3


def efforts(model, home, motions):
    """Efforts of motions of the actuators (displacement, velocity, acceleration) from home, (STATES, na)."""
    start = model.actuator_positions(home)
    out = []
    for step, rate, acceleration in motions:
        q, v, a = model.forward_kinematics(start + step, rate, acceleration, near=home)
        out.append(model.inverse_dynamics(q, v, a, undriven="free"))
    return np.array(out)


def copied(mech, ending, dialect, folder):
    """The mechanism written and read again with its home, and what was lost that matters."""
    path = Path(folder, f"copy{ending}")
    losses = save(mech, path, dialect)
    back = read(path).mechanism
    if ending == ".urdf":  # it has no home: joints keep their names, those of several coordinates become chains
        known, model = {}, lw.build(mech)
        for name, x in joint_values(model.setup, model.assemble().q).items():
            known[name] = tuple(map(float, x))
            known |= {f"{name}_{i + 1}": (float(part),) for i, part in enumerate(x)}
        kept = [j.name for j in back.joints if j.kind.q_parts and len(known.get(j.name, ())) == len(j.kind.q_parts)]
        back = replace(back, home=tuple((name, known[name]) for name in kept))
    return back, sorted({loss.code for loss in losses if loss.matters})


def cell(mech, target):
    """Largest relative difference of efforts, or what is lost or refused."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            back, lost = copied(mech, *TARGETS[target], folder)
            if lost:
                return ", ".join(lost)
            ours, theirs = lw.build(mech), lw.build(back)
            order = [_driven(back, actuator) for actuator in mech.actuators] or list(range(ours.na))
            rng, na = np.random.default_rng(0), ours.na
            motions = [
                (0.02 * rng.uniform(-1, 1, na), rng.uniform(-1, 1, na), rng.uniform(-1, 1, na)) for _ in range(STATES)
            ]
            mixed = [tuple(x[np.argsort(order)] for x in motion) for motion in motions]
            one = efforts(ours, ours.assemble().q, motions)
            two = efforts(theirs, theirs.assemble().q, mixed)[:, order]
        except (LinkwrightError, ValueError) as error:
            return f"{type(error).__name__}: {error}"[:90]
    return f"{np.abs(one - two).max() / max(1.0, np.abs(one).max()):.0e}"


def _driven(back, actuator):
    """Number of an actuator in the copy: by its name, or by its joint where a format names none."""
    names = (actuator.joint, f"{actuator.joint}_{actuator.dof + 1}")
    by_joint = [i for i, other in enumerate(back.actuators) if other.joint in names]
    return next((i for i, other in enumerate(back.actuators) if other.name == actuator.name), (*by_joint, 0)[0])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.formats.round_trips", description=__doc__)
    parser.add_argument("names", nargs="*")
    names = parser.parse_args().names or [name for name in lw.catalog.names() if name != "four-bar-flexible"]
    print(f"{'':24}" + "".join(f"{target:>22}" for target in TARGETS), flush=True)
    warnings.simplefilter("ignore")
    for name in names:
        mech = with_closed_home(replace(lw.catalog.load(name), gravity=(0.0, 0.0, -9.81)))
        print(f"{name:24}" + "".join(f"{cell(mech, target):>22}" for target in TARGETS), flush=True)


if __name__ == "__main__":
    main()
