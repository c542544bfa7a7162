"""LaTeX of formulas to MathML, which browsers show without any library.

Only what `theory.language.formula` and the notation in `theory.language.symbols` write:
fractions, roots, sub- and superscripts, sums, delimiters, Greek and a few alphabets. A command
that is not known is shown by its name, so that nothing is dropped in silence.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from html.entities import html5

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[0-9]+(?:\.[0-9]+)?|\S")
_NUMBER = re.compile(r"[0-9]")
_OPERATORS = {
    "-": "−",
    "+": "+",
    "=": "=",
    "<": "<",
    ">": ">",
    "/": "/",
    r"\le": "≤",
    r"\ge": "≥",
    r"\in": "∈",
    r"\cdot": "⋅",
    r"\ne": "≠",
    r"\to": "→",
    r"\dots": "…",
    r"\mid": "∣",
    r"\neq": "≠",
    r"\circ": "∘",
}
_FENCES = {"(": "(", ")": ")", "[": "[", "]": "]", r"\|": "‖", "|": "|", r"\{": "{", r"\}": "}"}
_FENCES |= {r"\langle": "⟨", r"\rangle": "⟩"}
_BARS = {r"\|", "|"}
_LARGE = {r"\sum": "∑", r"\prod": "∏"}
_WORDS = {r"\max", r"\min", r"\inf", r"\log", r"\ln", r"\exp", r"\cos", r"\sin", r"\Pr"}
_ALPHABETS = {
    r"\mathcal": "SCRIPT",
    r"\mathbb": "DOUBLE-STRUCK",
    r"\mathbf": "BOLD",
    r"\mathrm": "UPRIGHT",
    r"\operatorname": "UPRIGHT",
}
_ACCENTS = {r"\bar": "‾", r"\overline": "‾", r"\hat": "ˆ", r"\widehat": "ˆ", r"\tilde": "˜"}
_NAMES = {r"\infty": "∞", r"\partial": "∂"}  # whose name in HTML is another one
_IGNORED = {r"\textstyle", r"\displaystyle", r"\,", r"\quad", r"\!"}


def to_mathml(latex: str) -> str:
    """A row of presentation MathML, without the enclosing ``math`` element."""
    return _row(_Tokens(_TOKEN.findall(latex)), end=None)


@cache
def element(latex: str) -> str:
    """An inline ``math`` element; the style sheet gives it display style."""
    return f"<math>{to_mathml(latex)}</math>"


@dataclass
class _Tokens:
    """Tokens with a place."""

    tokens: list[str]
    at: int = field(default=0)

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]


def _row(tokens: _Tokens, end: str | None) -> str:
    """Everything up to ``end`` as one element; ``end`` is taken too."""
    found = list(_until(tokens, end))
    return found[0] if len(found) == 1 else f"<mrow>{''.join(found)}</mrow>"


def _until(tokens: _Tokens, end: str | None) -> Iterator[str]:
    while (token := tokens.peek()) is not None:
        if token == end:
            tokens.take()
            return
        if token in _IGNORED:
            tokens.take()
            continue
        atom = _atom(tokens)
        yield _scripted(atom, tokens, large=token in _LARGE or token in _WORDS)


def _argument(tokens: _Tokens) -> str:
    """A braced group or a single token; of a number, LaTeX takes one digit."""
    token = tokens.peek()
    if token is None:
        return "<mrow></mrow>"
    if _NUMBER.match(token) and len(token) > 1:
        tokens.tokens[tokens.at] = token[1:]
        return f"<mn>{token[0]}</mn>"
    return _atom(tokens)


def _atom(tokens: _Tokens) -> str:
    token = tokens.take()
    if token == "{":
        return _row(tokens, "}")
    if token == r"\left":
        return _delimited(tokens)
    if token in (r"\frac", r"\tfrac"):
        return f"<mfrac>{_argument(tokens)}{_argument(tokens)}</mfrac>"
    if token == r"\sqrt":
        return _root(tokens)
    if token in _ACCENTS:
        mark = f'<mo stretchy="false">{_ACCENTS[token]}</mo>'
        return f'<mover accent="true">{_argument(tokens)}{mark}</mover>'
    if token == r"\underline":
        mark = '<mo stretchy="false">‾</mo>'
        return f'<munder accentunder="true">{_argument(tokens)}{mark}</munder>'
    if token in _ALPHABETS:
        return _letter(_ALPHABETS[token], tokens)
    return _leaf(token)


def _delimited(tokens: _Tokens) -> str:
    """From after a ``\\left`` to its ``\\right``, between delimiters that grow."""
    opening = _delimiter(tokens)
    inside = _row(tokens, r"\right")
    return f"<mrow>{opening}{inside}{_delimiter(tokens)}</mrow>"


def _delimiter(tokens: _Tokens) -> str:
    token = tokens.take() if tokens.peek() is not None else "."
    return _fence(token, stretchy=True) if token in _FENCES else ""


def _leaf(token: str) -> str:
    if token in _FENCES:
        return _fence(token, stretchy=False)
    if token in _OPERATORS:
        return f"<mo>{escape(_OPERATORS[token])}</mo>"
    if token in _LARGE:
        return f"<mo>{_LARGE[token]}</mo>"
    if token in _WORDS:
        return f"<mo>{token[1:]}</mo>"
    if token == ",":
        return "<mo>,</mo>"
    if _NUMBER.match(token):
        return f"<mn>{token}</mn>"
    if token.startswith("\\"):
        name = _NAMES.get(token) or html5.get(f"{token[1:]};")
        return f"<mi>{escape(name)}</mi>" if name else f"<mtext>{_shown(token)}</mtext>"
    return f"<mi>{_shown(token)}</mi>"


def _shown(text: str) -> str:
    """Text as it may stand in XML, which has no place for control characters."""
    return escape("".join(c if c.isprintable() else "\ufffd" for c in text))


def _fence(token: str, *, stretchy: bool) -> str:
    size = "" if stretchy else ' stretchy="false"'
    space = ' lspace="0" rspace="0"' if token in _BARS else ""  # others have none anyway
    return f"<mo{size}{space}>{_FENCES[token]}</mo>"


def _root(tokens: _Tokens) -> str:
    if tokens.peek() != "[":
        return f"<msqrt>{_argument(tokens)}</msqrt>"
    tokens.take()
    degree = _row(tokens, "]")
    return f"<mroot>{_argument(tokens)}{degree}</mroot>"


def _letter(alphabet: str, tokens: _Tokens) -> str:
    """A letter of another alphabet; bold is left to the style sheet, which needs no rare glyph."""
    raw = tokens.take() if tokens.peek() is not None else ""
    if raw == "{":
        raw = tokens.take()
        while tokens.peek() not in ("}", None):
            raw += tokens.take()
        if tokens.peek() == "}":
            tokens.take()
    if alphabet == "UPRIGHT":
        return f'<mi mathvariant="normal">{_shown(raw)}</mi>'
    if alphabet == "BOLD" or len(raw) != 1:
        return f'<mi mathvariant="normal" class="bold">{_shown(raw)}</mi>'
    case = "CAPITAL" if raw.isupper() else "SMALL"
    for name in (f"MATHEMATICAL {alphabet} {case} {raw}", f"{alphabet} {case} {raw}"):
        try:
            return f"<mi>{unicodedata.lookup(name)}</mi>"
        except KeyError:
            continue
    return f"<mi>{_shown(raw)}</mi>"


def _scripted(base: str, tokens: _Tokens, *, large: bool = False) -> str:
    """The base with the sub- and superscripts that follow it."""
    scripts: dict[str, str] = {}
    while (token := tokens.peek() or "") in ("_", "^"):
        if token in scripts:  # a second superscript: LaTeX refuses it, we set it on the whole
            base, scripts = f"<mrow>{_with(base, scripts, large)}</mrow>", {}
        tokens.take()
        scripts[token] = _argument(tokens)
    return _with(base, scripts, large)


def _with(base: str, scripts: dict[str, str], large: bool) -> str:
    low, high = scripts.get("_"), scripts.get("^")
    if low is not None and high is not None:
        name = "munderover" if large else "msubsup"
        return f"<{name}>{base}{low}{high}</{name}>"
    if low is not None:
        name = "munder" if large else "msub"
        return f"<{name}>{base}{low}</{name}>"
    if high is not None:
        name = "mover" if large else "msup"
        return f"<{name}>{base}{high}</{name}>"
    return base
