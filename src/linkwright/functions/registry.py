"""Every kernel definition of the library: `registry.FORWARD_DYNAMICS`; `named` finds one by its text name."""

# ruff: noqa: F401
from __future__ import annotations

from linkwright.errors import ArgumentError
from linkwright.functions.definition import Definition
from linkwright.functions.loop.actuator_functions import (
    ACTUATOR_ACCELERATIONS,
    ACTUATOR_POSITIONS,
    ACTUATOR_VELOCITIES,
    CHECKED_ACTUATOR_JACOBIAN,
)
from linkwright.functions.loop.alternative_tree_functions import (
    CHECKED_ALTERNATIVE_DYNAMICS,
    CHECKED_ALTERNATIVE_EFFORTS,
)
from linkwright.functions.loop.closure_functions import (
    ADVANCED,
    CLOSING,
    CLOSURE_BIAS,
    CLOSURE_JACOBIAN,
    CLOSURE_RESIDUAL,
    COORDINATE_RATES,
    CUT_VALUES,
    EFFORT_MATRIX,
    EFFORT_SYSTEM,
    EXACT_CLOSURE_JACOBIAN,
    KKT_MATRIX,
    KKT_RIGHT_SIDE,
    SENSES,
)
from linkwright.functions.loop.hybrid_functions import (
    CHECKED_HYBRID,
    CHECKED_HYBRID_EFFORTS,
    REDUCED_EFFORT_SYSTEM,
    UNDRIVEN_PIVOTS,
)
from linkwright.functions.loop.independent_functions import (
    CHECKED_INDEPENDENT_MAP,
    CHECKED_MINIMAL_INERTIA,
    CHECKED_MOTION,
    CHECKED_MULTIPLIERS,
)
from linkwright.functions.loop.leg_functions import (
    CLOSED_COORDINATES,
)
from linkwright.functions.loop.loop_derivative_functions import (
    CHECKED_FORWARD_DERIVATIVES,
    CHECKED_INVERSE_DERIVATIVES,
    CHECKED_LINEAR_MODEL,
    TREE_PARTIALS,
)
from linkwright.functions.loop.minimal_functions import (
    CHECKED_MINIMAL_DYNAMICS,
    CONSISTENT_MOTION,
    INDEPENDENT_MAP,
    MINIMAL_FORWARD_DYNAMICS,
    MINIMAL_INERTIA,
    MINIMAL_PIVOTS,
    NEWTON_STEP,
    VIRTUAL_POWER_FORCES,
)
from linkwright.functions.loop.multiplier_functions import (
    CHECKED_EFFORTS,
    CHECKED_FORWARD_DYNAMICS,
    CHECKED_STABILIZED_DYNAMICS,
    KEPT_MULTIPLIERS,
    LEGS_FORWARD_DYNAMICS,
    LOOP_FORWARD_DYNAMICS,
    LOOP_JOINT_WRENCHES,
)
from linkwright.functions.loop.noc_functions import (
    NOC_PARTS,
)
from linkwright.functions.loop.refined_functions import (
    SECOND_EFFORTS,
    SECOND_FORWARD_DYNAMICS,
)
from linkwright.functions.loop.regressor_functions import (
    CHECKED_HYBRID_REGRESSOR,
    CHECKED_REGRESSOR,
    REGRESSOR,
    TREE_REGRESSOR,
)
from linkwright.functions.loop.spring_functions import (
    OPEN_EFFORT_SYSTEM,
    SPRING_DERIVATIVES,
    SPRING_ENERGY,
    SPRING_FORWARD_DYNAMICS,
    SPRING_FORWARD_DYNAMICS_COMPOSITE,
    SPRING_GAPS,
    SPRING_JACOBIAN,
    SPRING_ROW_FORCES,
)
from linkwright.functions.loop.target_functions import (
    TARGET_CORRECTION,
    TARGET_MAP,
    TARGET_MATRIX,
    TARGET_RATES,
    TARGET_STEP,
)
from linkwright.functions.loop.twist_functions import (
    JOINT_TWISTS,
)
from linkwright.functions.stepping.limit_functions import (
    BOUNDED_RATES,
    LIMIT_DISTANCES,
    LIMITED_VALUES,
    SPEED_MARGINS,
)
from linkwright.functions.stepping.stepping_functions import (
    ALL_SPEEDS,
    CHECKED_PROJECTION,
    CLOSURE_BLOCKS,
    CLOSURE_DETERMINANT,
    DISPLACEMENT,
    GAPS,
    MINIMAL_ACCELERATIONS,
    MINIMAL_PROJECTION,
    MINIMAL_RATES,
    MINIMAL_ROW,
    MONITOR,
    NEARING,
    RIGID_GAPS,
    RIGID_PROJECTION,
    SPRING_MONITOR,
    SPRING_RATES,
    STATE_RATES,
    UNIT_PROJECTION,
)
from linkwright.functions.tree.displacement_functions import (
    DIFFERENCE,
    INTEGRATED,
)
from linkwright.functions.tree.tree_derivative_functions import (
    FORWARD_DERIVATIVES,
    INVERSE_DERIVATIVES,
    TANGENT_MAP,
)
from linkwright.functions.tree.tree_functions import (
    BEAM_POINTS,
    BIAS_FORCES,
    BODY_POSES,
    BODY_QUATERNIONS,
    CENTER_OF_MASS,
    CHECKED_TREE_DYNAMICS,
    CHECKED_TREE_DYNAMICS_COMPOSITE,
    CONVECTIVE_MATRIX,
    ENERGY,
    FORWARD_DYNAMICS,
    FORWARD_DYNAMICS_COMPOSITE,
    FRAME_JACOBIAN,
    FRAME_JACOBIAN_RATE,
    FRAME_POSE,
    FRAME_QUATERNION,
    FRAME_TWIST,
    FRAME_TWIST_RATE,
    GENERALIZED_FORCES,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    JOINT_WRENCHES,
    MASS_MATRIX,
    MOMENTUM,
    UDU,
)
from linkwright.mechanism.names import suggestion
from linkwright.plugins import FORMULATIONS, load_plugins

_DEFINITIONS: dict[str, Definition] = {x.name: x for x in list(globals().values()) if isinstance(x, Definition)}


def register_definition(definition: Definition) -> None:
    """Add a function of a model under its text name."""
    _DEFINITIONS[definition.name] = definition


def all_definitions() -> dict[str, Definition]:
    """All definitions by their text names, those of plug-ins too."""
    load_plugins(FORMULATIONS)
    return _DEFINITIONS


def named(name: str) -> Definition:
    """The definition of a text name."""
    if name not in _DEFINITIONS and name not in all_definitions():
        raise ArgumentError(f"unknown function '{name}' of a model{suggestion(name, _DEFINITIONS)}")
    return _DEFINITIONS[name]
