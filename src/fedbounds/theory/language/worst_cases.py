"""Of which runs the worst case over all functions is asked: plain data of a theory."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WorstCases:
    """Runs of local steps on a shared and a personal block, then an average of both.

    Attributes
    ----------
    runs : str
        What claims call the algorithm.
    view : str
        In which instances are measured that reach a worst case.
    """

    runs: str
    view: str
