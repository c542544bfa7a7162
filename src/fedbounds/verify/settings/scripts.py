"""Standalone programs for what breaks a claim in words."""

from dataclasses import replace
from textwrap import fill, wrap
from typing import Any

import numpy as np

from fedbounds.algorithms.fedplt_rows import shares
from fedbounds.theory.setting import Asked, Says
from fedbounds.vocabulary import Assumption

from ..fedplt.script import given_numbers
from ..fedplt.script_premises import ASSUMED, COMPUTED, OF_STEPS, lines_of, named
from ..script_asserts import Table, asserted, fitting, packed, told
from ..script_code import IDENTIFIERS, TEMPLATES, WIDTH
from .exhibits import Exhibit
from .facts import facts, first_step
from .iterates import fixed_point, minimiser
from .premises import constants
from .says import halved

_PIECE = 80  # of a long number, on a line
_DERIVED = {"z": "z = mu * psi_min * rho_min", "w_gap": "w_gap = 1 / eta - z"}
_COMPUTED = {x: y for x, y in COMPUTED.items() if x not in ("Lambda", "D_0", "variance")} | _DERIVED
# no noise is drawn, and W* may be among the models
_OF_NOISE = (
    Assumption.NOISE, Assumption.UNBIASED, Assumption.BOUNDED_VARIANCE, Assumption.INDEPENDENT,
    Assumption.NOISY, Assumption.NOISELESS,
)  # fmt: skip
_ASSUMED = {a: x for a, x in ASSUMED.items() if a not in _OF_NOISE} | {
    Assumption.ALIGNED: (
        "assert all(ip(g, x, M[k]) / ip(g, x) >= rho_min > 0 for k, g, x in at if ip(g, x))",
    ),
}
_AT_MODELS = (Assumption.ALIGNED, Assumption.GLOBAL_GRADIENT, Assumption.LOCAL_GRADIENTS)
_ROUNDS = {
    Says.STAYS: 1, Says.LIMIT: 8, Says.BOUND: 2, Says.SETTLES: 8, Says.REACHES: 8, Says.LESS: 1,
    Says.SLOWER: 1,
}  # fmt: skip


def script_in_words(
    claim_id: str, asked: Asked, says: Says, subject: Any, numbers: dict[str, str]
) -> str:
    """A program that shows how an instance breaks what a claim says of it.

    Parameters
    ----------
    asked : Asked
        The reading, whose assumptions and conditions are asserted.
    numbers : dict
        Both sides as the verdict has them, for a bound.
    """
    heading = f'"""{claim_id} (reading: {asked.name}) fails on these numbers."""'
    docstring = fill(heading, WIDTH, break_on_hyphens=False)
    if not isinstance(subject, Exhibit):
        return TEMPLATES.get_template("fedplt_rate.py.j2").render(
            docstring=docstring, premises=told(asked.assumptions, asked.conditions, OF_STEPS)
        )
    best = minimiser(subject.problem, subject.algorithm)
    settles = subject.start is None or says in (Says.SETTLES, Says.REACHES, Says.LESS)
    stays = fixed_point(subject) if settles else subject.start
    known = {
        "docstring": docstring,
        "hessians": "|".join(";".join(map(_row, own)) for own in subject.problem.hessian),
        "slopes": ";".join(map(_row, subject.problem.linear)),
        "masks": subject.algorithm.masks,
        "shares": " ".join(map(str, shares(subject.algorithm))),
        "local_steps": subject.algorithm.local_steps,
        "best": _row(best),
        "start": _row(best if says is Says.STAYS or stays is None else stays),
        "rounds": _ROUNDS[says],
        "step": _step(subject, says),
        "verdict": _verdict(says, numbers, subject),
    }

    def write(table: Table) -> str:
        lines = _premises(subject, asked, says, table)
        text = TEMPLATES.get_template("fedplt_words.py.j2").render(premises=lines, **known)
        return str(text)

    # a script follows the mean of W^t, not every model that noise leads to
    noisy = bool(subject.problem.noise.scale_u)
    return fitting(write, {a: x for a, x in _ASSUMED.items() if not (noisy and a in _AT_MODELS)})


def _premises(subject: Exhibit, asked: Asked, says: Says, table: Table) -> list[str]:
    """Numbers, and lines that assert what the reading asks for."""
    strict = [replace(c, relation=c.relation[0]) for c in asked.strict]
    conditions = [*asked.conditions, *strict]
    wanted = named(asked.assumptions, conditions)
    if wanted & _DERIVED.keys():
        wanted |= {"z", "psi_min", "rho_min", "mu", "eta"}
    computed = {x: line for x, line in _COMPUTED.items() if x in wanted}
    values = {IDENTIFIERS.get(x, x): number for x, number in constants(subject)[0].items()}
    known = values | {"G2": facts(subject).G2_wide}
    given = {x: known[x] for x in sorted(wanted - computed.keys()) if known.get(x) is not None}
    lines = lines_of(asked.assumptions, conditions, given, computed, table)
    if says in (Says.LESS, Says.SLOWER) and "eta" in given:
        again = [_DERIVED["w_gap"]] if "w_gap" in wanted else []
        lines += packed(["eta = eta / 2", *again, *asserted(conditions)])
    if any("alpha" in line for line in lines):
        lines = ["alpha = [Q(any(m)) for m in M]  # min(1, sqrt(d r_k))", *lines]
    return [*given_numbers(given).splitlines(), *lines]


def _row(numbers: np.ndarray) -> str:
    return " ".join(map(str, numbers))


def _step(subject: Exhibit, says: Says) -> str:
    if says is Says.LIMIT:
        return f'Q("{first_step(subject)}") / (t + 1)'
    return f'Q("{subject.algorithm.inner_step_u}")'


def _verdict(says: Says, numbers: dict[str, str], subject: Exhibit) -> str:
    half = f'Q("{halved(subject).algorithm.inner_step_u}")'
    match says:
        case Says.SETTLES | Says.REACHES:
            sign, broken = (
                ("<=", "D[0] > right") if says is Says.SETTLES else ("==", "D[0] != right")
            )
            level = '"\n          "'.join(wrap(numbers["right"], _PIECE))
            return (
                "assert len(set(D)) == 1  # the mean of W^t stays; noise adds to D^t\n"
                f'right = Q("{level}")  # eta B/z\n'
                f'print("claimed: lim D^t {sign} right; broken:", {broken})'
            )
        case Says.LESS:
            other = fixed_point(halved(subject))
            assert other is not None
            return (
                f'other = [Q(x) for x in """\n{_row(other)}""".split()]  # where eta/2 settles\n'
                f"assert w == start and after(other, {half}) == other\n"
                "less = sum((x - y) ** 2 for x, y in zip(other, best))\n"
                'print("claimed: less than D[0],", less, "is; broken:", 0 < D[0] <= less)'
            )
        case Says.SLOWER:
            return (
                "def size(eta, w=[Q(i + 1) for i in range(d)], v=[Q(0)] * d):  # of 64 rounds\n"
                "    for t in range(64):\n"
                "        w, v = after(w, eta), after(v, eta)\n"
                "    return sum((x - y) ** 2 for x, y in zip(w, v))\n"
                f'print("claimed: slower; broken:", size({half}) < size({_step(subject, says)}))'
            )
        case Says.STAYS:
            return 'print("claimed: W* is a fixed point; broken:", D[1] > 0)'
        case Says.LIMIT:
            return 'print("claimed: W^t tends to W*; broken:", D[0] > 0 and len(set(D)) == 1)'
    return (
        f'right = Q("{numbers["right"]}")  # the bound, from the constants of the record\n'
        'print("claimed: D^t <= right; broken:", any(left > right for left in D[1:]))'
    )
