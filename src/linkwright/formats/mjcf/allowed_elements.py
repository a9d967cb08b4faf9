"""Elements and attributes of MJCF that MuJoCo is shown: what is not listed here it never sees."""

from __future__ import annotations

_DRIVES = "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor"
_CARRIES = "body frame geom site joint freejoint inertial replicate"
_TURNED = "pos quat axisangle euler xyaxes zaxis"

# Elements by the element they are in.
ELEMENTS = {
    "mujoco": "compiler option default asset worldbody equality tendon actuator keyframe",
    "option": "flag",
    "compiler": "",
    "default": f"default mesh material joint geom site equality tendon {_DRIVES}",
    "asset": "mesh material",
    "worldbody": _CARRIES,
    "body": _CARRIES,
    "frame": _CARRIES,
    "replicate": _CARRIES,
    "equality": "connect weld joint tendon",
    "tendon": "spatial fixed",
    "spatial": "site geom pulley",
    "fixed": "joint",
    "actuator": _DRIVES,
    "keyframe": "key",
}

_TENDON = (
    "name class range limited stiffness damping springlength springyield armature frictionloss actuatorfrclimited"
    " actuatorfrcrange group"
)
# What an actuator drives and how strongly, also where a plugin is its law.
DRIVEN = (
    "name class group joint jointinparent tendon site refsite body cranksite slidersite cranklength gear armature"
    " damping forcelimited forcerange ctrllimited ctrlrange"
)
_LAW = (
    "actlimited actrange actdim gaintype gainprm biastype biasprm dyntype dynprm inheritrange kp kv ki dampratio"
    " timeconst area diameter bias force fpmax fvmax lmax lmin range scale vmax gain motorconst resistance nominal"
    " saturation inductance cogging controller thermal lugre input delay nsample interp lengthrange tausmooth imax"
    " slewmax posrange velrange ffrange"
)
# Attributes by element, wherever it is.
ATTRIBUTES = {
    "mujoco": "model",
    "compiler": "alignfree angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq fusestatic"
    " inertiafromgeom inertiagrouprange settotalmass",
    "option": "gravity density viscosity wind",
    "flag": "gravity equality spring damper passive frictionloss constraint",
    "default": "class",
    "mesh": "name class file scale inertia maxhullvert refpos refquat vertex face",
    "material": "name class rgba",
    "body": f"name childclass mocap gravcomp {_TURNED}",
    "worldbody": "",
    "frame": f"name childclass {_TURNED}",
    "replicate": "count offset euler sep",
    "inertial": f"mass diaginertia fullinertia {_TURNED}",
    "joint": "name class type pos axis range limited ref springref springyield springdamper stiffness damping armature"
    " frictionloss margin group actuatorfrclimited actuatorfrcrange actuatorgravcomp joint coef joint1 joint2 polycoef"
    " active",
    "freejoint": "name group align",
    "geom": f"name class type size fromto mass density mesh hfield fitscale shellinertia rgba material group contype"
    f" conaffinity geom sidesite {_TURNED}",
    "site": f"name class type size fromto rgba material group site {_TURNED}",
    "equality": "active",
    "connect": "name class active anchor body1 body2 site1 site2",
    "weld": "name class active anchor body1 body2 site1 site2 relpose",
    "tendon": f"{_TENDON} tendon1 tendon2 polycoef active",
    "spatial": _TENDON,
    "fixed": _TENDON,
    "pulley": "divisor",
    "key": "name qpos",
    **dict.fromkeys(_DRIVES.split(), f"{DRIVEN} {_LAW}"),
}

# Attributes whose loss changes no equation: what is drawn, touched, solved softly, or a setting of the program.
HARMLESS = (
    "solimp solref solimplimit solreflimit solimpfriction solreffriction solmix margin gap friction condim priority"
    " user material texture texrepeat texuniform specular shininess reflectance emission metallic roughness castshadow"
    " fluidshape fluidcoef surfacevel adhesion mesh width torquescale time qvel act ctrl mpos mquat actearly rgba"
    " normal texcoord smoothnormal content_type sleep simple fuse meshdir texturedir assetdir strippath discardvisual"
    " convexhull usethread fitaabb saveinertial savecompiled savecanonical exactmeshinertia conflict passthrough"
    " timestep apirate impratio integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance"
    " noslip_iterations noslip_tolerance mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations"
    " sdf_initpoints o_margin o_solref o_solimp o_friction actuatorgroupdisable magnetic sleep_tolerance"
    " contact limit actuation clampctrl warmstart filterparent refsafe sensor midphase nativeccd eulerdamp autoreset"
    " override energy fwdinv invdiscrete multiccd island diagexact ipc speculative collision plugin instance"
)
