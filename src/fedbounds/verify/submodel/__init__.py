"""Sub-model training: its plan of cases, on exact expectations under masks.

Whoever reads a set-up, from a file or in another process, finds here what it shows and its script.
"""

from ..setups import found as found
from . import objectives as objectives
from . import objectives_smooth as objectives_smooth
from . import rolling_plan_ends as rolling_plan_ends
from . import rolling_script as rolling_script
from . import stability as stability
