"""A line of a sensitivity table, as plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes
    ----------
    claim, part : str
    kind : str
        "constant", "assumption" or "condition".
    printed : str
        The number, or the premise.
    where : str
        "right side", or the condition that the number stands in.
    times : str
        LaTeX of what the number multiplies; empty for a premise, and where the side is not affine
        in it.
    says : str
        What follows, in a few words.
    proved : str
        The sharpest number that the proof allows; or whether the premise is needed for it.
    proved_by : str
        How that is known.
    excluded : str
        What a witness excludes, such as "below 1"; or whether one breaks the part without the
        premise.
    excluded_by : str
    directly, through : tuple of str
        Steps that use a premise, by themselves or because what they cite does.
    """

    claim: str
    part: str
    kind: str
    printed: str
    where: str
    times: str
    says: str
    proved: str
    proved_by: str
    excluded: str
    excluded_by: str
    directly: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
