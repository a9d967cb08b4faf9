"""The registered kinds by the names that files give them."""

from __future__ import annotations

from linkwright.joints.cylindrical import Cylindrical
from linkwright.joints.distance import Distance
from linkwright.joints.fixed import Fixed
from linkwright.joints.floating import Floating
from linkwright.joints.kind import JointKind
from linkwright.joints.planar import Planar
from linkwright.joints.prismatic import Prismatic
from linkwright.joints.revolute import Revolute
from linkwright.joints.screw import Screw
from linkwright.joints.spherical import Spherical
from linkwright.joints.universal import Universal

KINDS: dict[str, type[JointKind]] = {
    kind.__name__.lower(): kind
    for kind in (Fixed, Revolute, Prismatic, Screw, Cylindrical, Universal, Spherical, Planar, Floating, Distance)
}
