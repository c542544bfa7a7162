"""The Python of witness scripts: expressions, tables of numbers, and lines of bounded width."""

from textwrap import fill
from typing import Any

import jinja2
import sympy as sp
from flint import fmpq
from sympy.printing.pycode import PythonCodePrinter

from fedbounds.theory.language.symbols import T

WIDTH = 99
MOST_LINES = 60
# what stands between these lines is the user's own, and counts towards no limit
QUOTED, UNQUOTED = "# ---- quoted", "# ---- end of the quotation"
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("fedbounds.verify"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=jinja2.StrictUndefined,
    autoescape=False,
)

COUNTS = ("n", "m", "K", "T")
IDENTIFIERS = {
    "sigma_u^2": "variance_u", "sigma_v^2": "variance_v", "b^2": "b2", "sigma^2": "variance",
    "G^2": "G2",
}  # fmt: skip


class Script(PythonCodePrinter):
    """Python for an expression, in fractions."""

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        if expr.name in COUNTS:
            return f"Q({expr.name})"
        return IDENTIFIERS.get(expr.name, str(expr.name))

    def _print_Rational(self, expr: sp.Rational) -> str:
        return f"Q({expr.p}, {expr.q})"

    def _print_AppliedUndef(self, expr: Any) -> str:
        at = str(expr.args[0]) if expr.args[0] != T else "T"
        return f'q["{expr.func.__name__}"][{at}]'

    def _print_Function(self, expr: Any) -> str:
        inside = self._print(expr.args[0])
        first = getattr(expr, "first", 0)
        total = f"sum({inside} for t in range(T))"
        return {
            "Mean_t": f"{total} / T",
            "Sum_t": total,
            "Max_t": f"max({inside} for t in range(T))",
            "Min_t": f"min({inside} for t in range(T))",
            "Prod_to": f"prod({inside} for t in range({first}, t + 1))",
            "Min_to": f"min({inside} for t in range({first}, t + 1))",
        }[expr.func.__name__]

    def _print_sign(self, expr: sp.sign) -> str:
        inside = self._print(expr.args[0])
        return f"(({inside} > 0) - ({inside} < 0))"

    def _print_Sum(self, expr: sp.Sum) -> str:
        ((index, low, high),) = expr.limits
        ends = f"range(int({self._print(low)}), int({self._print(high)}) + 1)"
        return f"sum({self._print(expr.function)} for {index} in {ends})"

    def _print_Max(self, expr: sp.Max) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"

    def _print_Min(self, expr: sp.Min) -> str:
        return f"min({', '.join(self._print(a) for a in expr.args)})"


def code(expression: sp.Expr) -> str:
    """An expression in the names of a script."""
    printed = Script({"fully_qualified_modules": False}).doprint(expression)
    return str(printed)


def wrapped(name: str, value: str) -> str:
    """An assignment, broken at spaces inside brackets where it is too wide."""
    line = f"{name} = {value}"
    return line if len(line) <= WIDTH else fill(
        f"{name} = ({value})", WIDTH, subsequent_indent="    ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def table(name: str, rows: str, reader: str) -> str:
    """``name = reader`` with a string of numbers for its {}; on several lines where it is long."""
    line = f"{name} = " + reader.format(f'"{rows}"')
    if len(line) <= WIDTH:
        return line
    long = f"{name} = " + reader.format(f'"""{rows}"""')
    return fill(long, WIDTH, break_long_words=False, break_on_hyphens=False)


def assigned(values: dict[str, Any]) -> str:
    """Several names and their numbers in one statement."""
    names = ", ".join(values)
    if len(values) == 1:
        return f'{names} = Q("{fmpq(*values.values())}")'
    return table(names, " ".join(str(fmpq(x)) for x in values.values()), "map(Q, {}.split())")


def nested(value: Any) -> str:
    """Numbers as they are written: whole ones bare, others as texts that a fraction is made of."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(nested, value))}]"
    return str(value) if isinstance(value, int) else f'"{value}"'
