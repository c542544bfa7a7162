"""Numbers as the page prints them: few digits, true minus signs, powers of ten."""

import re
from fractions import Fraction
from typing import Any

NONE = "–"
_UP = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# no exponent that would make a fraction of a million digits
_PLAIN_TEXT = re.compile(r"\s*[-+]?\d+(/\d+|(\.\d*)?([eE][-+]?\d{1,3})?)\s*", re.ASCII)
_PLAIN = (1e-3, 1e5)  # sizes printed without a power of ten


def to_float(value: Any) -> float | None:
    """A record's value: a number, a fraction "p/q" or None; None for anything else."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str) and not _PLAIN_TEXT.fullmatch(value):
        return None
    try:
        return float(Fraction(value) if isinstance(value, str) else value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        return None


def number(value: Any, digits: int = 3) -> str:
    """A few significant digits.

    Examples
    --------
    >>> number(0.24279631), number(-9.2e-13), number(1000.0), number("1/3"), number(None)
    ('0.243', '−9.2×10⁻¹³', '1000', '0.333', '–')
    """
    real = to_float(value)
    if real is None:
        return NONE if value is None else str(value)
    if real == 0 or _PLAIN[0] <= abs(real) < _PLAIN[1]:
        short = float(f"{real:.{digits}g}")
        text = f"{short:.0f}" if short == int(short) else f"{short:.{digits + 3}g}"
        return text.replace("-", "−")
    mantissa, _, exponent = f"{real:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}×10{str(int(exponent)).translate(_UP)}".replace("-", "−")


def exact(value: Any) -> str:
    """A fraction with its decimal value beside it; other numbers with more digits.

    Examples
    --------
    >>> exact("2/27"), exact("3"), exact(0.9738016871454677)
    ('2/27 ≈ 0.07407', '3', '0.973802')
    """
    if isinstance(value, str):
        text = value.replace("-", "−") if to_float(value) is not None else value
        return f"{text} ≈ {number(value, 4)}" if "/" in value else text
    return number(value, 6)


def side(text: str) -> str:
    """One side of a premise as the witness states it: a rational, a decimal or a ball.

    Examples
    --------
    >>> side("3.00000000000000"), side("[2.82842712474619 +/- 5.98e-16]"), side("-1/32")
    ('3', '2.82842712474619 ± 5.98e-16', '−1/32')
    """
    if "." in text and to_float(text) is not None and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    if to_float(text) is not None:
        text = re.sub(r"^-", "−", text)
    return text.strip("[]").replace("+/-", "±")


def sort_key(value: Any) -> str:
    """A number a browser can sort by; empty if there is none."""
    real = to_float(value)
    return "" if real is None else repr(real)


def span(bounds: Any) -> str:
    """A range "low to high", or the one value."""
    low, high = (number(bound) for bound in bounds)
    return low if low == high else f"{low} to {high}"


def count(amount: int, noun: str, plural: str = "") -> str:
    """A number of things: "1 claim", "2 claims"."""
    return f"{amount} {noun if amount == 1 else plural or noun + 's'}"


def capital(text: str) -> str:
    """With a capital letter first, and the rest as it is."""
    return text[:1].upper() + text[1:]


def listed(words: Any) -> str:
    """Words joined as in a sentence: "a, b and c"."""
    every = [str(word) for word in words]
    return f"{', '.join(every[:-1])} and {every[-1]}" if len(every) > 1 else every[0]
