"""A claim's expressions as LaTeX in the paper's notation, with all indices of every quantity."""

import re
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter

from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.symbols import VectorSymbol, t

_ROUND = re.compile(r"\^(?:\{t([+-][0-9]+)?\}|t)")
_COMPOSITE = re.compile(r"\\\||\\langle|\s")  # a norm, a product or more than one letter
_RAISED = re.compile(r"(\^(\{[^{}]*\}|\\[A-Za-z]+|[^\\{])(_(\{[^{}]*\}|[^\\{]))?|')$")  # ends so
_ACCENT = r"(\\(bar|hat|tilde|overline|underline|mathcal|mathbf)\s*)?"
_LETTER = re.compile(rf"{_ACCENT}(\\[A-Za-z]+|[A-Za-z])(_(\{{[^{{}}]*\}}|\\[A-Za-z]+|[^\\{{]))?")
_INSIDE = re.compile(r"\{[^{}]*\}|\([^()]*\)|\[[^][]*\]|\\\|.*?\\\||\|.*?\|")
_OPEN_ENDED = re.compile(r"[+-]|\\(ln|log|cos|lim)\b")  # what follows would be drawn in
_MEAN = re.compile(r"\\mathbb E_\{([^{}]*)\}")
_T = sp.Symbol(t.name)
_SUMS = {"Sum_i": r"\sum_i", "Sum_ik": r"\sum_{i,k}"}


def _outside(latex: str) -> str:
    """What of a notation is not in brackets, braces or bars."""
    while (shorter := _INSIDE.sub("", latex)) != latex:
        latex = shorter
    return latex


class _Latex(LatexPrinter):
    """Rounds above and local steps below, as the paper writes them."""

    def __init__(self, names: Glossary) -> None:
        super().__init__({"fold_frac_powers": True})
        self._names = names

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        known = self._names.meanings.get(expr.name)
        if isinstance(expr, VectorSymbol):
            return str(expr.latex)
        return known.latex if known else str(super()._print_Symbol(expr, style))

    def parenthesize_super(self, s: str) -> str:
        """The base of a power: only a letter with its index goes without brackets."""
        whole = _INSIDE.fullmatch(s) and s[0] == "("
        return s if whole or _LETTER.fullmatch(s) else rf"\left({s}\right)"

    def _needs_mul_brackets(self, expr: Any, first: bool = False, last: bool = False) -> bool:
        """Also a notation that is a sum, or that would draw in the next factor."""
        if isinstance(expr, sp.Symbol | sp.core.function.AppliedUndef):
            found = _OPEN_ENDED.search(_outside(self._print(expr)))
            return found is not None and not (last and found[0][0] == "\\")
        return bool(super()._needs_mul_brackets(expr, first, last))

    def _print_sq(self, expr: Any, exp: str | None = None) -> str:
        return self._raised(rf"\mathbb E\|{self._print(expr.args[0])}\|^2", exp)

    def _print_ip(self, expr: Any, exp: str | None = None) -> str:
        left, right = map(self._print, expr.args)
        return self._raised(rf"\mathbb E\langle {left},{right}\rangle", exp)

    def _raised(self, text: str, exp: str | None) -> str:
        return text if exp is None else f"\\left({text}\\right)^{{{exp}}}"

    def _print_given(self, expr: Any) -> str:
        inner, *sources = map(self._print, expr.args)
        return rf"\mathbb E[{inner}\mid {','.join(sources)}]"

    def _print_over(self, expr: Any, exp: str | None = None) -> str:
        mean, *indices = map(self._print, expr.args)
        text = mean.replace(r"\mathbb E", rf"\mathbb E_{{{','.join(indices)}}}", 1)
        return self._raised(text, exp)

    def _print_present(self, expr: Any) -> str:
        return rf"1_{{i\in\mathcal S}}({self._print(expr.args[0])})"

    def _print_AppliedUndef(self, expr: Any, exp: str | None = None) -> str:
        name = expr.func.__name__
        if name in _SUMS:
            return rf"{_SUMS[name]} {self._print(expr.args[0])}"
        base = self._names.meanings[name].latex
        for step in expr.args[1:]:
            named = base.replace("{i,k}", f"{{i,{self._index(step)}}}")
            base = named if "{i,k}" in base else f"\\left({base}\\right)_{{{self._index(step)}}}"
        text = self._at_round(base, _plain(expr.args[0]))
        return self._raised(text, exp)

    def _at_round(self, base: str, when: Any) -> str:
        """A quantity at a round; a norm or product carries it only when it is not t."""
        if _ROUND.search(base):  # the quantity names its rounds itself, relative to t
            return _ROUND.sub(lambda found: self._shifted(found, when), base)
        if not _RAISED.search(base) and not _COMPOSITE.search(
            re.sub(r"\\(mathcal|mathbf|hat) ", "", base)
        ):
            return f"{base}^{{{self._index(when)}}}"
        if when == _T:
            return base
        return f"\\left({base}\\right)^{{{self._index(when)}}}"

    def _shifted(self, found: re.Match[str], when: Any) -> str:
        return f"^{{{self._index(when + int(found[1] or 0))}}}"

    def _index(self, expression: Any) -> str:
        """An index without spaces: t-1."""
        return str(self._print(_plain(expression))).replace(" ", "")

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        """A positive term before a negative one."""
        terms = super()._as_ordered_terms(expr, order)
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))

    def _print_run(self, expr: Any, operator: str, exp: str | None) -> str:
        return self._raised(f"{operator}\\left[{self._print(expr.args[0])}\\right]", exp)

    def _print_Mean_t(self, expr: Any, exp: str | None = None) -> str:
        return self._print_run(expr, r"\frac1T\sum_{t=0}^{T-1}", exp)

    def _print_Sum_t(self, expr: Any, exp: str | None = None) -> str:
        return self._print_run(expr, r"\sum_{t=0}^{T-1}", exp)

    def _print_Max_t(self, expr: Any, exp: str | None = None) -> str:
        return self._print_run(expr, r"\max_{0\le t<T}", exp)

    def _print_Min_t(self, expr: Any, exp: str | None = None) -> str:
        return self._print_run(expr, r"\min_{0\le t<T}", exp)

    def _print_running(self, expr: Any, operator: str, exp: str | None) -> str:
        inside = f"\\left[{self._print(expr.args[0])}\\right]_{{t=s}}"
        return self._raised(f"{operator} {inside}", exp)

    def _print_Prod_to(self, expr: Any, exp: str | None = None) -> str:
        return self._print_running(expr, rf"\prod_{{s={expr.first}}}^{{t}}", exp)

    def _print_Min_to(self, expr: Any, exp: str | None = None) -> str:
        return self._print_running(expr, rf"\min_{{{expr.first}\le s\le t}}", exp)


def _plain(expression: Any) -> Any:
    """The same without assumptions on its symbols, so that t is t whoever wrote it."""
    return bare(sp.sympify(expression, strict=True))


def bare(expression: sp.Expr) -> sp.Expr:
    """The same expression in plain symbols; vectors keep their notation."""
    symbols = {s for s in expression.free_symbols if not isinstance(s, VectorSymbol)}
    return expression.xreplace({s: sp.Symbol(s.name) for s in symbols})


def ordered_terms(expression: sp.Expr) -> list[sp.Expr]:
    """The terms of a sum in printing order, positive ones first."""
    return list(_Latex(Glossary())._as_ordered_terms(expression))


def means_in(texts: Iterable[str], names: Glossary) -> str:
    """In words, the indices over which means in some LaTeX are taken; empty if there are none."""
    used = {name for text in texts for own in _MEAN.findall(text) for name in own.split(",")}
    over = ", ".join(words for name, words in names.indices.items() if name in used)
    return f"E with an index is a mean over that too: {over}" if over else ""


def to_latex(expression: sp.Expr, names: Glossary) -> str:
    """LaTeX in the paper's symbols: rounds as superscripts, local steps as subscripts."""
    return str(_Latex(names).doprint(expression))
