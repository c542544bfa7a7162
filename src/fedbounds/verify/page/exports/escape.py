"""Text as LaTeX and as Markdown: what a reader sees is the text itself, and nothing is run."""

import re
import unicodedata
from functools import cache
from typing import Any

_ACCENTS = {"\u0304": "bar", "\u0302": "hat", "\u0303": "tilde", "\u0332": "underline"}
_ACCENTED = re.compile(f"(.)([{''.join(_ACCENTS)}])")
# as in formulas, not as in words; a brace that is text must not count as a brace in BibTeX
_OWN = {
    "\u00b2": r"\ensuremath{^2}",
    "\u00b3": r"\ensuremath{^3}",
    "\u00b7": r"\ensuremath{\cdot}",
    "\u00bd": r"\ensuremath{\tfrac12}",
    "\u221a": r"\ensuremath{\surd}",
    "\u00d7": r"\ensuremath{\times}",
    "\u00b1": r"\ensuremath{\pm}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "|": r"{\textbar}",
    "`": r"{\textasciigrave}",
}
_LIGATURE = re.compile(r"([-'])(?=\1)")  # two of them would become one sign
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


@cache
def _encoder() -> Any:
    from pylatexenc.latexencode import (
        RULE_CALLABLE,
        RULE_DICT,
        RULE_REGEX,
        UnicodeToLatexConversionRule,
        UnicodeToLatexEncoder,
    )

    rules = [
        UnicodeToLatexConversionRule(RULE_CALLABLE, _accent),
        UnicodeToLatexConversionRule(RULE_REGEX, [(_LIGATURE, r"\1{}")]),
        UnicodeToLatexConversionRule(RULE_DICT, {ord(c): tex for c, tex in _OWN.items()}),
        "defaults",
    ]
    return UnicodeToLatexEncoder(
        conversion_rules=rules, unknown_char_policy="keep", unknown_char_warning=False
    )


def _accent(text: str, at: int) -> tuple[int, str] | None:
    """A letter with a mark that Unicode has no single character for."""
    found = _ACCENTED.match(text, at)
    if found is None:
        return None
    letter = _encoder().unicode_to_latex(found[1])
    return 2, rf"\ensuremath{{\{_ACCENTS[found[2]]}{{{letter}}}}}"


def latex_text(text: str) -> str:
    r"""Text as LaTeX: every special character, Greek letter and sign as its command.

    Examples
    --------
    >>> print(latex_text("G_u \u2264 5 % of {b}"))
    G\_u \ensuremath{\leq} 5 \% of {\textbraceleft}b{\textbraceright}
    """
    plain = unicodedata.normalize("NFC", _CONTROL.sub(" ", text))
    return str(_encoder().unicode_to_latex(plain))


_SPECIAL = re.compile(r"([\\`*_\[\]|~$<&])")
_BARS = {r"\|": r"\Vert ", "|": r"\vert ", "<": r"\lt ", ">": r"\gt "}
_BAR = re.compile("|".join(map(re.escape, _BARS)))


def markdown_text(text: str) -> str:
    r"""Text as a cell of a Markdown table, with a backslash before every special sign.

    Examples
    --------
    >>> print(markdown_text("a|b_c"))
    a\|b\_c
    """
    return _SPECIAL.sub(r"\\\1", _CONTROL.sub(" ", text))


def markdown_math(latex: str) -> str:
    r"""A formula as a cell of a Markdown table: its bars must not end the cell.

    Examples
    --------
    >>> print(markdown_math(r"\|x|"))
    $\Vert x\vert $
    """
    return f"${_BAR.sub(lambda found: _BARS[found[0]], latex)}$"
