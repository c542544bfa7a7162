"""FedPLT: its plan of cases, and its analysis on enumerated outcomes.

Whoever reads a set-up, from a file or in another process, finds here what it shows and its script.
"""

from . import attenuated as attenuated
from . import findings as findings
from . import ladders as ladders
from . import long_runs as long_runs
from . import recursions as recursions
from . import script as script
