"""Which module moves the iterates of which algorithm: the one that has its parameters.

Every such module offers ``init_draw``, ``init``, ``draw``, ``local``, ``server`` and ``step``, and
a carry whose fields are arrays of shape (R, d) or, per client, (n, R, d), among them u and v.
"""

import sys
from typing import Any

from fedbounds.errors import FedboundsError

_OFFERED = ("init_draw", "init", "draw", "local", "server", "step")


def rules_of(algorithm: Any) -> Any:
    """The module with the rules of an algorithm's parameters.

    Raises
    ------
    FedboundsError
        If it has none.
    """
    module = sys.modules[type(algorithm).__module__]
    if not all(hasattr(module, name) for name in _OFFERED):
        raise FedboundsError(f"{type(algorithm).__name__} does not move iterates")
    return module
