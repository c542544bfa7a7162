"""Small set-ups that tests share: vectors of which some are averaged, choices of parameters."""

from fedbounds.theory.language.choices import Choice
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.verify.setups.choices import choice_case
from fedbounds.verify.setups.plan import case_of


def vectors_setup(rows, m):
    """A vector of every client, and m of them at a time."""
    d = len(rows[0])
    data = (("hessians", (((0,) * d,) * d,) * len(rows)), ("slopes", tuple(map(tuple, rows))))
    run = Run(Objective("quadratics", data), (0,) * d, (("m", m),), 1)
    return Setup("personalization", "participants", run)


def vectors_case(rows=((1,), (-2,), (4,)), m=1, name="vectors"):
    """As a case."""
    return case_of(Planned(name, vectors_setup(rows, m)), "")


def choice(name="here", **values):
    """Parameters where nothing is run, as a case."""
    return choice_case(name, Choice("personalization", tuple(values.items())))
