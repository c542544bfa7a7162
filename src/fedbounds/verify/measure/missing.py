"""Numbers of a run that are not there."""

from typing import Any

from fedbounds.errors import FedboundsError


class MissingError(FedboundsError):
    """A number is not known of this run; the message says why."""


class NotShownError(MissingError):
    """What holds is not shown to hold always, and no single outcomes are looked at."""


class UnansweredError(MissingError):
    """A number that is there, and that no method measured: it is too much work."""


def or_raise(found: Any) -> Any:
    """A number; what says why there is none is raised."""
    if isinstance(found, MissingError):
        raise found
    return found
