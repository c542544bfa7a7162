"""FedPLT: its plan of instances, and its analysis on enumerated outcomes."""

# they register how setups are found: a stored setup brings this package, and nothing else
from . import attenuated as attenuated
from . import findings as findings
from . import recursions as recursions
