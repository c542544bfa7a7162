"""The rules of TeX that a formula can break: groups that match, one script of each sort."""

import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\s]", re.S)


class TexError(ValueError):
    """What TeX would refuse, with the place."""


def check_formula(formula):
    """Raise `TexError` where TeX would stop: double scripts, braces, \\left without \\right."""
    tokens = _TOKEN.findall(formula)
    if tokens.count(r"\left") != tokens.count(r"\right"):
        raise TexError(f"\\left and \\right differ: {formula}")
    if any(ord(sign) > 127 for sign in formula) or {"$", "#", "%", "&"} & set(tokens):
        raise TexError(f"a sign that is no mathematics: {formula}")
    _group(tokens, formula, depth=0)


def _group(tokens, formula, depth):
    raised = set()
    while tokens:
        token = tokens.pop(0)
        if token == "}":
            if not depth:
                raise TexError(f"a closing brace too many: {formula}")
            return
        if token in ("^", "_", "'"):
            sort = "_" if token == "_" else "^"
            if sort in raised:
                raise TexError(f"double script before {''.join(tokens)[:20]!r} in {formula}")
            raised.add(sort)
            if token == "'":  # more primes, and then a superscript, are one with it
                while tokens[:1] == ["'"]:
                    tokens.pop(0)
                if tokens[:1] != ["^"]:
                    continue
                tokens.pop(0)
            _argument(tokens, formula, depth)
        else:
            raised = set()
            if token == "{":
                _group(tokens, formula, depth + 1)
    if depth:
        raise TexError(f"a brace is not closed: {formula}")


def _argument(tokens, formula, depth):
    if not tokens or tokens[0] in ("^", "_", "}"):
        raise TexError(f"a script is missing: {formula}")
    first = tokens.pop(0)
    if first.startswith("\\") and tokens[:1] == ["{"]:
        first = tokens.pop(0)
    if first == "{":
        _group(tokens, formula, depth + 1)
