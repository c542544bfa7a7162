"""How much a run measures."""

from enum import StrEnum


class Profile(StrEnum):
    """How much is measured."""

    QUICK = "quick"
    DEFAULT = "default"
    THOROUGH = "thorough"
