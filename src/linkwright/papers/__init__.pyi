# The public names of `linkwright.papers`.

__all__: list[str]

from linkwright.papers.hanzaki.hanzaki_equations import Hanzaki as Hanzaki
from linkwright.papers.hanzaki.hanzaki_functions import HanzakiQuantities as HanzakiQuantities
from linkwright.papers.hanzaki.hanzaki_functions import hanzaki_quantities as hanzaki_quantities
from linkwright.papers.khan.khan_equations import Khan as Khan
from linkwright.papers.khan.khan_functions import KhanQuantities as KhanQuantities
from linkwright.papers.khan.khan_functions import khan_quantities as khan_quantities
from linkwright.papers.leg_division import LegProcesses as LegProcesses
from linkwright.papers.leg_division import PerLegFunction as PerLegFunction
from linkwright.papers.leg_division import leg_by_leg as leg_by_leg
from linkwright.papers.rao.numerical_noc import NumericalNOC as NumericalNOC
from linkwright.papers.rao.numerical_noc import numerical_noc as numerical_noc
from linkwright.papers.rao.rao_equations import Rao as Rao
from linkwright.papers.rao.rao_functions import RaoQuantities as RaoQuantities
from linkwright.papers.rao.rao_functions import rao_quantities as rao_quantities
