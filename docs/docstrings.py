"""Docstrings are plain text with code in backticks; what Markdown would read as markup is escaped.

Without this the stars of x* would start emphasis, and <u, v> would vanish as an HTML tag.
"""

import re
from typing import Any

from griffe import Extension, Object

CODE = re.compile(r"(`+.+?`+)", re.S)
MARKUP = {**{ord(sign): f"\\{sign}" for sign in "*[]"}, ord("<"): "&lt;"}
NAMES = re.compile(r"\s*\*{0,2}\w+(, \w+)* : ")  # a parameter or attribute and its type


class PlainText(Extension):
    """Escapes the docstrings of every object that is collected."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Escape the docstring, if there is one."""
        if obj.docstring is not None:
            obj.docstring.value = escaped(obj.docstring.value)


def escaped(docstring: str) -> str:
    """The docstring with markup escaped, except in code, in examples and in lines of types."""
    return "\n\n".join(map(_paragraph, docstring.split("\n\n")))


def _paragraph(text: str) -> str:
    words, prompt, example = text.partition(">>>")
    pieces = CODE.split(words)
    pieces[::2] = (_words(piece) for piece in pieces[::2])
    return "".join(pieces) + prompt + example


def _words(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(x if NAMES.match(x) else x.translate(MARKUP) for x in lines)
