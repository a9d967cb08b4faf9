# Shapes that are drawn, and measured by `analysis.clearance`.

from linkwright.mechanism import Box as Box
from linkwright.mechanism import Capsule as Capsule
from linkwright.mechanism import Cylinder as Cylinder
from linkwright.mechanism import Ellipsoid as Ellipsoid
from linkwright.mechanism import Mesh as Mesh
from linkwright.mechanism import Plate as Plate
from linkwright.mechanism import Shape as Shape
from linkwright.mechanism import Sphere as Sphere
