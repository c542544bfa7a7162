"""What a witness script computes for each quantity, in the names of its template.

In a script, u, v and p are a state and its probability, `past` holds every client's points and
noise of its last participation; z are the local iterates of all clients under the noise `walk`,
S the participants, a and b the next u and v, and w the probability of all that. Single braces
stand for the client and the local step of which a statement per client or step speaks.
"""

import re
from collections.abc import Iterable

# one state, before anyone moves
STATE = {
    "f": "sum((u * (x + F[i][3]) + v[i] * (y + F[i][4])) / 2 for i, (x, y) in enumerate(g)) / n"
    " - infimum",
    "G_u": "(sum(x for x, y in g) / n) ** 2",
    "G_v": "sum(y**2 for x, y in g) / n",
    "B": "sum(x**2 for x, y in g)",
    "g_ui": "g[{i}][0] ** 2",
    "g_vi": "g[{i}][1] ** 2",
}

# the same for Scaffold-P, whose analysis remembers the last participation
MEMORY = {
    "cd_2": "(c - d) ** 2",
    "C": "sum((x - u) ** 2 + (y - v[i]) ** 2 for i in range(n) for x, y, e in past[i])",
    "W_own": "sum((K * sum(c_[i] - d_[i] for i in S)) ** 2 for S in sets) / len(sets)",
    "W_mean": "(m * K * (c - d)) ** 2",
    "W_2": "sum(x[2] ** 2 for S in sets for i in S for x in past[i]) / len(sets)",
    "What_2": "sum(x[2] ** 2 for i in range(n) for x in past[i])",
    "What_sum": "sum(x[2] for i in range(n) for x in past[i]) ** 2",
    "c_2": "c**2",
    "cd_i": "(c_[{i}] - d_[{i}]) ** 2",
    "C_i": "sum((x - u) ** 2 + (y - v[{i}]) ** 2 for x, y, e in past[{i}])",
    "c_i2": "c_[{i}] ** 2",
    "A_ik": "(past[{i}][{k}][0] - u) ** 2",
    "Bt_ik": "(past[{i}][{k}][1] - v[{i}]) ** 2",
}

# one outcome of a round
WALK = {
    "T_1u": "-gamma * sum(x for x, y in g) / n * sum(x for x, y in s) / n",
    "T_1v": "-gamma * m / n**2 * sum(g[i][1] * s[i][1] for i in range(n))",
    "T_2u": "(gamma * sum(x for x, y in s) / n) ** 2",
    "T_2v": "gamma**2 * m / n**2 * sum(y**2 for x, y in s)",
    "T_3u": "sum((x - sum(x for x, y in s) / n) ** 2 for x, y in s)",
    "E": "sum((x - u) ** 2 + (y - v[i]) ** 2 for i in range(n) for x, y in z[i][:K])",
    "Du_2": "(a - u) ** 2",
    "Dv_2": "sum((x - y) ** 2 for x, y in zip(b, v)) / n",
    "X_u": "sum(x for x, y in g) / n * (a - u)",
    "X_v": "sum(g[i][1] * (b[i] - v[i]) for i in range(n)) / n",
    "P_u": "(gamma / m * sum(s[i][0] for i in S)) ** 2",
    "Y_sum": "sum(x for i in S for x, y in walk[i]) ** 2",
    "Y_2": "sum(x**2 for i in S for x, y in walk[i])",
    "s_vi": "s[{i}][1] ** 2",
    "Dv_i": "(b[{i}] - v[{i}]) ** 2",
    "E_ik": "(z[{i}][{k}][0] - u) ** 2 + (z[{i}][{k}][1] - v[{i}]) ** 2",
    "Eu_ik": "(z[{i}][{k}][0] - u) ** 2",
    "Ev_ik": "(z[{i}][{k}][1] - v[{i}]) ** 2",
    "Y_ik": "({i} in S) * walk[{i}][{k}][0] ** 2",
}
MEMORY_WALK = {
    "S_3u": "sum((s[i][0] - sum(x for x, y in s) / n - K * (d_[i] - d)) ** 2 for i in range(n))",
    "A_new": "((z if {i} in S else past)[{i}][{k}][0] - u) ** 2",
    "Bt_new": "((z if {i} in S else past)[{i}][{k}][1] - v[{i}]) ** 2",
}

# what a statement of round t + 1 says of round t
LATER = {
    "A_old": "(past[{i}][{k}][0] - a) ** 2",
    "Bt_old": "(past[{i}][{k}][1] - b[{i}]) ** 2",
    "U_ik": "(z[{i}][{k}][0] - a) ** 2",
    "V_ik": "(z[{i}][{k}][1] - b[{i}]) ** 2",
}


_STATE_NAMES = {
    "g": "g = [gradient(i, u, v[i]) for i in range(n)]",
    "c_": "c_ = [sum(gradient(i, x, y)[0] + e for x, y, e in past[i]) / K for i in range(n)]"
    "  # c_i",
    "c": "c = sum(c_) / n",
    "d_": "d_ = [sum(gradient(i, x, y)[0] for x, y, e in past[i]) / K for i in range(n)]  # d_i",
    "d": "d = sum(d_) / n",
}
_WALK_NAMES = {
    "s": "s = [[sum(gradient(i, *x)[r] for x in z[i][:K]) for r in (0, 1)] for i in range(n)]",
}
_NEEDS = {"c": {"c_"}, "d": {"d_"}}


def known(scaffold: bool) -> frozenset[str]:
    """Quantities that a script of these rounds can compute."""
    own = STATE.keys() | WALK.keys()
    return frozenset(own | MEMORY.keys() | MEMORY_WALK.keys() | LATER.keys() if scaffold else own)


def state_lines(names: Iterable[str], extra: str, place: dict[str, int]) -> list[str]:
    """Lines for one state; ``extra`` is code further down that uses names defined here."""
    table = STATE | MEMORY
    own = [_added(name, "t", "p", table[name], place) for name in table if name in names]
    return _definitions(_STATE_NAMES, [*own, extra]) + own


def walk_lines(names: Iterable[str], place: dict[str, int]) -> list[str]:
    """Lines for one outcome of a round."""
    table = WALK | MEMORY_WALK
    own = [_added(name, "t", "w", table[name], place) for name in table if name in names]
    own += [_added(name, "t + 1", "w", LATER[name], place) for name in LATER if name in names]
    return _definitions(_WALK_NAMES, own) + own


def _added(name: str, at: str, weight: str, code: str, place: dict[str, int]) -> str:
    product = code.format(**place)
    return f'q["{name}"][{at}] += {weight} * ({product})'


def _definitions(table: dict[str, str], lines: list[str]) -> list[str]:
    used = {word for line in lines for word in re.findall(r"\b[a-z]+_?\b", line)}
    used |= {more for name in used & _NEEDS.keys() for more in _NEEDS[name]}
    return [line for name, line in table.items() if name in used]
