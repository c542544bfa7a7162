"""A witness as a program that shows the gap without this package."""

from textwrap import fill
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.vocabulary import BROKEN

from ..decide.case import Case, script_of
from ..decide.judgement import Judgement
from ..measure.evaluate import Numbers
from .script_asserts import told
from .script_lines_of import MOST_LINES, QUOTED, TEMPLATES, UNQUOTED, WIDTH, code, wrapped

_FOR_DRAWS = 60  # more where the draws are a user's own


def script(judgement: Judgement, part: Part, numbers: Numbers) -> str:
    """A program that prints the gap: it quotes what defines a set-up, and may need NumPy.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    instance = judgement.instance
    if not isinstance(instance, Case):
        raise FedboundsError(f"no script is written for {type(instance).__name__}")
    return _checked(script_of(instance.setup, judgement, part, numbers), instance.name)


def rendered(template: str, judgement: Judgement, part: Part, values: dict[str, Any]) -> str:
    """A template with the sides of a part, and what else it is filled with."""
    left, right = code(part.left), code(part.right)
    both = f"left, right = {left}, {right}"
    apart = f"{wrapped('left', left)}\n{wrapped('right', right)}"
    heading = (
        f'"""{judgement.claim.id} (reading: {judgement.reading.name}) fails on these numbers."""'
    )
    text = TEMPLATES.get_template(template).render(
        docstring=fill(heading, WIDTH, break_on_hyphens=False),
        root="sqrt(" in " ".join(map(code, _expressions(part))),
        sides=both if len(both) <= WIDTH else apart,
        relation=part.relation.value,
        broken=f"left {BROKEN[part.relation]} right",
        **{"premises": told(part.assumptions, part.conditions, {})} | values,
    )
    return str(text)


def _checked(text: str, name: str) -> str:
    before, _, rest = text.partition(QUOTED)
    lines = (before + rest.partition(UNQUOTED)[2] if rest else before).splitlines()
    widest, most = max(map(len, lines)), MOST_LINES + (_FOR_DRAWS if rest else 0)
    # numbers of a user's problem are on one line each, however many they are
    if len(lines) > most or (widest > WIDTH and not rest):
        raise FedboundsError(
            f"{name}: a script has {len(lines)} lines, the longest of {widest} "
            f"characters; expected at most {most} of at most {WIDTH}"
        )
    return text


def _expressions(part: Part) -> list[Any]:
    """Both sides, and those of the conditions."""
    return [part.left, part.right, *(side for c in part.conditions for side in (c.left, c.right))]
