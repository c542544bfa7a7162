"""Standalone programs for what breaks a claim in words."""

from textwrap import fill, wrap
from typing import Any

import numpy as np

from fedbounds.algorithms.fedplt import shares
from fedbounds.theory.setting import Says

from ..script_code import TEMPLATES, WIDTH
from .exhibits import Exhibit
from .facts import first_step
from .iterates import fixed_point, minimiser
from .says import halved

_PIECE = 80  # of a long number, on a line
_ROUNDS = {
    Says.STAYS: 1, Says.LIMIT: 8, Says.BOUND: 2, Says.SETTLES: 8, Says.REACHES: 8, Says.LESS: 1,
    Says.SLOWER: 1,
}  # fmt: skip


def script_in_words(
    claim_id: str, reading: str, says: Says, subject: Any, numbers: dict[str, str]
) -> str:
    """A program that shows how an instance breaks what a claim says of it.

    Parameters
    ----------
    numbers : dict
        Both sides as the verdict has them, for a bound.
    """
    heading = f'"""{claim_id} (reading: {reading}) fails on these numbers."""'
    docstring = fill(heading, WIDTH, break_on_hyphens=False)
    if not isinstance(subject, Exhibit):
        return TEMPLATES.get_template("fedplt_rate.py.j2").render(docstring=docstring)
    best = minimiser(subject.problem, subject.algorithm)
    settles = subject.start is None or says in (Says.SETTLES, Says.REACHES, Says.LESS)
    stays = fixed_point(subject) if settles else subject.start
    return TEMPLATES.get_template("fedplt_words.py.j2").render(
        docstring=docstring,
        hessians="|".join(";".join(map(_row, own)) for own in subject.problem.hessian),
        slopes=";".join(map(_row, subject.problem.linear)),
        masks=subject.algorithm.masks,
        counts=[str(c) for c in shares(subject.algorithm)],
        local_steps=subject.algorithm.local_steps,
        best=_row(best),
        start=_row(best if says is Says.STAYS or stays is None else stays),
        rounds=_ROUNDS[says],
        step=_step(subject, says),
        verdict=_verdict(says, numbers, subject),
    )


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
