"""Choices of parameters, where nothing is run, as cases."""

from typing import Any

from fedbounds.problems import Evidence
from fedbounds.theory.language.choices import Choice
from fedbounds.theory.language.claims import Part
from fedbounds.vocabulary import Method

from ..decide.case import Case, Found, find, script_of
from ..measure.evaluate import Numbers
from ..measure.objectives import exact
from .script_lines_of import IDENTIFIERS, assigned
from .script_rendered import rendered

BOUND = "bound"  # what claims call it


class _NotRun(dict[str, Evidence]):
    """Nothing is run that could break an assumption, whatever its name."""

    def __missing__(self, assumption: str) -> Evidence:
        return Evidence(True, "nothing is run")


@find.register
def _found(choice: Choice) -> Found:
    parameters = {name: exact(value) for name, value in choice.values}
    return Found("parameters", parameters, {}, evidence=_NotRun())


def choice_case(name: str, choice: Choice) -> Case:
    """As a case; small numbers cost least."""
    values = dict(choice.values)
    size = int(values.get("K", 0)) + sum(len(str(value)) for value in values.values())
    return Case(name, BOUND, choice, Method.RATIONAL, size)


@script_of.register
def _script(choice: Choice, judgement: Any, part: Part, numbers: Numbers) -> str:
    values = {
        IDENTIFIERS.get(name, name): numbers.constants[name]
        for name, _ in choice.values
        if name in part.constants
    }
    return rendered(
        "point.py.j2", judgement, part, {"parameters": assigned(values) if values else ""}
    )
