"""Choices of parameters and constants where nothing is run: plain data."""

from dataclasses import dataclass

from .setups import Number, numbers


@dataclass(frozen=True, eq=False)
class Choice:
    """What claims about a bound, or a sum, are judged on.

    Attributes
    ----------
    theory : str
        Key of the theory that names them.
    values : tuple of pairs (name, number)
    """

    theory: str
    values: tuple[tuple[str, Number], ...]

    def __post_init__(self) -> None:
        pairs = tuple((str(name), numbers(value)) for name, value in self.values)
        object.__setattr__(self, "values", pairs)


@dataclass(frozen=True)
class PlannedChoice:
    """A choice with its name.

    Attributes
    ----------
    name : str
    choice : Choice
    quick : bool
        Whether it is also in a quick plan.
    """

    name: str
    choice: Choice
    quick: bool = False
