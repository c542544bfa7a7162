"""LaTeX of a formula as one line of text, for a terminal: ‖x‖², G_u^t, (a + b)/n."""

import unicodedata
import xml.etree.ElementTree as ET
from functools import cache

from .mathml import to_mathml

_UP = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_ACCENTS = {"ˆ": "\u0302", "‾": "\u0304", "˜": "\u0303"}
_UNDERLINE = "\u0332"
_SIGNS = {"|", "+", "−", "=", "≤", "≥", "∈", "<", ">", "→", "∣", "⋅", "∘"}
_CLOSING = {")", "]", "⟩", "}"}
_BARS = {"‖"}
_LARGE = {"∑", "∏"}


@cache
def plain(latex: str) -> str:
    """The formula as text.

    Examples
    --------
    >>> plain(r"-\\frac{4 K L^{2}}{n}"), plain(r"\\mathbb E\\|\\hat u^t - u^t\\|^2")
    ('−(4 K L²)/n', '𝔼‖û^t − u^t‖²')
    """
    return _text(ET.fromstring(f"<mrow>{to_mathml(latex)}</mrow>"))


def _text(node: ET.Element) -> str:
    inner = [_text(child) for child in node]
    match node.tag, inner:
        case "mfrac", [above, below]:
            return f"{_grouped(above)}/{_grouped(below)}"
        case "msup" | "mover", [base, high]:
            mark = _ACCENTS.get(high)
            return unicodedata.normalize("NFC", base + mark) if mark else base + _above(base, high)
        case "munder", [base, "‾"]:
            return base + _UNDERLINE
        case "msub" | "munder", [base, low]:
            return base + _script("_", low)
        case "msubsup" | "munderover", [base, low, high]:
            return base + _script("_", low) + _above(low, high)
        case "msqrt", [inside]:
            return f"√{_grouped(inside)}"
        case "mroot", [inside, degree]:
            return f"{degree.translate(_UP)}√{_grouped(inside)}"
        case "mo", _:
            return ", " if node.text == "," else node.text or ""
        case "mi", _:
            return _letter(node.text or "")
        case (("mrow" | "math"), _):
            return _row(list(node), inner)
    return (node.text or "") + " ".join(inner)


def _letter(text: str) -> str:
    """Script letters plain; those of other alphabets stay, so that 𝔼 is not the letter E."""
    script = len(text) == 1 and "SCRIPT" in unicodedata.name(text, "")
    return unicodedata.normalize("NFKC", text) if script else text


def _row(nodes: list[ET.Element], texts: list[str]) -> str:
    """Spaces around relations and sums, and between factors; none within delimiters."""
    found, before, bars = "", "start", 0
    for node, text in zip(nodes, texts, strict=True):
        own = _kind(node)
        if own == "bar":
            own, bars = "opening" if bars % 2 == 0 else "closing", bars + 1
        if own == "sign" and before not in ("start", "opening", "sign"):
            text = f" {text} "
        elif own == "term" and before in ("term", "closing"):
            text = f" {text}"
        found += text
        before = own
    return found


def _kind(node: ET.Element) -> str:
    """What it is to its neighbours; of something with scripts, what its base is."""
    while node.tag in ("msup", "msub", "msubsup", "munder", "munderover") and len(node):
        node = node[0]
    text = node.text or ""
    if node.tag != "mo" or text.isalpha() or text in _LARGE:
        return "term"
    kinds = {"sign": _SIGNS, "closing": _CLOSING, "bar": _BARS}
    return next((kind for kind, marks in kinds.items() if text in marks), "opening")


def _above(base: str, high: str) -> str:
    if high == "′":
        return high
    # after a script, a raised digit would be read as part of it
    return high.translate(_UP) if high.isdigit() and "_" not in base else _script("^", high)


def _script(mark: str, text: str) -> str:
    text = text.replace(" ", "")
    return f"{mark}{text}" if text.isalnum() else f"{mark}{{{text}}}"


def _grouped(text: str) -> str:
    closed = text.startswith("(") and text.find(")") == len(text) - 1
    return text if closed or text.isalnum() else f"({text})"
