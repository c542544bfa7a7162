"""How much of a large run the page carries; the rest is in the result folder."""

from dataclasses import dataclass
from enum import StrEnum


class Room(StrEnum):
    """How much of the proofs there is room for; in the words of the page."""

    ALL = "all"
    NO_MULTIPLIERS = "multipliers are left out"
    FINDINGS = "all but the names of proved steps is left out"


@dataclass(frozen=True)
class Detail:
    """What a page of some size shows.

    Attributes
    ----------
    instances : int
        Listed per claim, the most exposed ones.
    rounds : int
        Drawn per curve.
    room : int
        Characters that the download of the results may take.
    proofs : Room
        What is told of proofs.
    """

    instances: int
    rounds: int
    room: int
    proofs: Room


LEVELS = (
    Detail(40, 64, 900_000, Room.ALL),
    Detail(20, 24, 300_000, Room.ALL),
    Detail(20, 24, 300_000, Room.NO_MULTIPLIERS),
    Detail(8, 8, 100_000, Room.NO_MULTIPLIERS),
    Detail(8, 8, 100_000, Room.FINDINGS),
)
