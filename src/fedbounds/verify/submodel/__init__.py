"""Sub-model training: its plan of cases, on exact expectations under masks.

Whoever reads a set-up, from a file or in another process, finds here what it shows and its script.
"""

from . import objectives as objectives
from . import random_long as random_long
from . import random_plan as random_plan
from . import rolling_plan as rolling_plan
from . import run_ladders as run_ladders
from . import side_by_side as side_by_side
from . import stability as stability
