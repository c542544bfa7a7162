"""Sub-model training: its plan of cases, on exact expectations under masks.

Whoever reads a set-up, from a file or in another process, finds here what it shows and its script.
"""

from ..setups import found as found
from . import stability as stability
