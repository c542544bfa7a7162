"""Why the checker does not accept a step."""

from fedbounds.errors import FedboundsError


class Refused(FedboundsError):
    """A certificate that does not prove its step, or cannot be read."""
