"""FedPLT: its plan of cases, long runs by moments, and scripts.

Whoever reads a set-up, from a file or in another process, finds here what it shows and its script.
"""

from .. import setups as setups
from . import ladders as ladders
from . import long_runs as long_runs
from . import script as script
