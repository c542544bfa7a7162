"""Numbers of a run that are not there."""

from fedbounds.errors import FedboundsError


class MissingError(FedboundsError):
    """A number is not known of this run; the message says why."""


class NotShownError(MissingError):
    """What holds is not shown to hold always, and no single outcomes are looked at."""


class UnansweredError(MissingError):
    """A number that is there, and that no method measured: it is too much work."""
