"""What a script's problem and random sources are made of: Python by the names that are used.

Lines are written in the names of the template ``setup.py.j2``.
"""

import re
from collections.abc import Mapping
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.setups import Objective
from fedbounds.vocabulary import Assumption

from ..script_asserts import Table, broken, curvature
from ..script_code import WIDTH

Lines = tuple[str, ...]
SOURCES: Mapping[str, Lines] = {
    "participants": (
        "def participants(self, n, m):",
        "    every = list(combinations(range(n), m))",
        "    return self.pick([[int(i in s) for i in range(n)] for s in every])",
    ),
    "participants_with_replacement": (
        "def participants_with_replacement(self, n, m):",
        "    every = list(product(range(n), repeat=m))",
        "    return self.pick([[s.count(i) for i in range(n)] for s in every])",
    ),
    "signs": (
        "def signs(self, *shape):",
        "    every = list(product((-1, 1), repeat=prod(shape)))",
        "    return self.pick(every).reshape(1, *shape)",
    ),
    "bernoulli": (
        "def bernoulli(self, x, *shape):",
        "    every = list(product((0, 1) if x != 1 else (1,), repeat=prod(shape)))",
        "    odds = [Q(x) ** sum(r) * (1 - Q(x)) ** (len(r) - sum(r)) for r in every]",
        "    return self.pick(every, odds).reshape(1, *shape)",
    ),
    "index": (
        "def index(self, count):",
        "    return self.pick(range(count), made=np.array)",
    ),
    "permutation": (
        "def permutation(self, count):",
        "    return self.pick(list(permutations(range(count))), made=np.array)",
    ),
    "noise": (
        "def noise(self, problem, steps):",
        "    return self.signs(n, steps, d) * problem.noise_scale",
    ),
}
_SILENT = (
    "def noise(self, problem, steps):",
    "    return self.pick([np.zeros((n, steps, d), int)])",
)
_OWN_NOISE = (
    "def personal_noise(self, problem, steps):",
    "    return self.signs(n, steps, h.shape[1] - d) * problem.personal_noise_scale",
)
_OWN_SILENT = (
    "def personal_noise(self, problem, steps):",
    "    return self.pick([np.zeros((n, steps, h.shape[1] - d), int)])",
)
# of the clients' quadratics, by the attribute that an algorithm asks for
_QUADRATIC: Mapping[str, str] = {
    "clients": "Count(n)",
    "dimension": "d",
    "noise_scale": "",
    "xp": "np",
    "spread": "models",
    "gradient": "lambda y: slope(y) + h",
    "full_gradient": "lambda x: (slope(x) + h).sum(axis=1) / n",
    "wide_gradient": "lambda y, c: y @ np.tensordot(c, H, 1) + c @ h",
    "minimiser": "solve(H.sum(axis=0), -h.sum(axis=0))",
    "value": "lambda y: (models(y) * (slope(y) / 2 + h)).sum(axis=2)",
    "best": "lambda c: solve(np.tensordot(c, H, 1), -c @ h)",
    "lowest": "exact([b @ solve(A, -b) / 2 for A, b in zip(H, h)])",
}
# where clients have personal blocks
_BLOCKS: Mapping[str, str] = {
    "blocks": "lambda z: (z[:, :d], z[:, d:].reshape(len(z), n, -1))",
    "personal_dimension": "h.shape[1] - d",
    "personal_noise_scale": "",
    "gradients": "lambda u, v: np.split(slope(whole(u, v)) + h, [d], axis=2)",
    "value": "lambda u, v: (whole(u, v) * (slope(whole(u, v)) / 2 + h)).sum(axis=2)",
}
_SHARED = ("clients", "dimension", "noise_scale", "xp", "spread")  # that both have
_NEEDED = {
    "whole": ("whole = lambda u, v: np.concatenate([models(u), v], axis=2)",),
    "models": ("models = lambda y: y if y.ndim == 3 else np.stack([y] * n, axis=1)",),
    "slope": ("slope = lambda y: (H[None] * models(y)[:, :, None, :]).sum(axis=3)",),
    "solve": (
        "def solve(A, b):  # A x = b of a definite A, by elimination",
        "    A = np.column_stack([A, b])",
        "    for i in range(len(b)):",
        "        assert A[i, i] > 0",
        "        A[i] = A[i] / A[i, i]",
        "        for j in {*range(len(b))} - {i}:",
        "            A[j] = A[j] - A[j, i] * A[i]",
        "    return A[:, -1]",
    ),
}
_NOISES = (
    "(probe := Random()).noise(problem, 1)",
    "noises = [Random(x).noise(problem, 1) for x in product(*(range(len(o)) for o in probe.odds))]",
)
_UNBIASED = (*_NOISES, "assert not sum(noises).any()")
# what a problem tells of itself
FACTS: Table = {
    **curvature("H"),
    Assumption.UNBIASED: _UNBIASED,
    Assumption.NOISE: _UNBIASED,
    Assumption.BOUNDED_VARIANCE: (
        *_NOISES,
        "assert max(sum((e * e).sum(axis=(0, 2, 3)) for e in noises)) <= variance * len(noises)",
    ),
    Assumption.NOISELESS: ("assert problem.noise_scale == 0",),
    Assumption.NOISY: ("assert problem.noise_scale != 0",),
    Assumption.QUADRATIC: ("assert (H == H.transpose(0, 2, 1)).all()",),
    Assumption.DISSIMILARITY: ("assert all((A == H[0]).all() for A in H)",),
    Assumption.BOUNDED_BELOW: (
        "assert not problem.full_gradient(problem.minimiser[None]).any()",
        "assert positive(plus(0, sum(H), 1))",
    ),
    Assumption.SHARED_MINIMISER: ("assert not problem.gradient(problem.minimiser[None]).any()",),
}
# with personal blocks L is a bound of the norms of the blocks of every H, the first of d rows
FACTS_OF_BLOCKS: Table = {
    **{name: FACTS[name] for name in (Assumption.STRONGLY_CONVEX, Assumption.CONVEX)},
    Assumption.SMOOTH: (
        "diagonal = [B for A in H for B in (A[:d, :d], A[d:, d:])]",
        "assert all(positive(plus(L, B, s)) for B in diagonal for s in (1, -1))",
        "assert all(positive(plus(L * L, A[:d, d:] @ A[d:, :d], -1)) for A in H)",
    ),
    Assumption.QUADRATIC: FACTS[Assumption.QUADRATIC],
    Assumption.NOISELESS: ("assert problem.noise_scale == 0 == problem.personal_noise_scale",),
    Assumption.NOISY: ("assert problem.noise_scale != 0 or problem.personal_noise_scale != 0",),
}
OF_CONSTANTS = {
    Assumption.SMOOTH: "L",
    Assumption.STRONGLY_CONVEX: "mu",
    Assumption.BOUNDED_VARIANCE: "sigma^2",
}
COMPUTED = {
    "n": "n",
    "sigma^2": "d * problem.noise_scale**2",
    "b^2": "((h - h.sum(axis=0) / Q(n)) ** 2).sum() / n",
    "B_0": "(problem.gradient(start[None]) ** 2).sum()",
    "G_0": "(problem.full_gradient(start[None]) ** 2).sum()",
}


def problem_lines(data: Objective, functions: str) -> list[str]:
    """The problem, with what functions ask of it.

    Raises
    ------
    FedboundsError
        If it is of a family, or is asked for something, that has no lines.
    """
    if data.family != "quadratics":
        raise FedboundsError(f"no script is written for the family {data.family!r}")
    own = dict(data.data)
    asked = {*re.findall(r"\bproblem\.(\w+)", functions), "noise_scale"}
    table = {**_QUADRATIC, "noise_scale": f'Q("{own.get("noise", 0)}")'}
    shared = "h.shape[1]"
    if "personal" in own:
        table = {**{name: table[name] for name in _SHARED}, **_BLOCKS}
        table["personal_noise_scale"] = f'Q("{own["personal_noise"]}")'
        asked |= {"personal_noise_scale"} if "personal_noise" in functions else set()
        shared = f"h.shape[1] - {own['personal']}"
    missing = sorted(asked - table.keys())
    if missing:
        raise FedboundsError(f"no script is written for problem.{missing[0]}")
    fields = [f"{name}={table[name]}" for name in table if name in asked]
    text = " ".join(fields)
    text += "models" if "slope(" in text or "whole(" in text else ""
    needed = [line for name, lines in _NEEDED.items() if name in text for line in lines]
    return [
        *assigned_to("H", nested(own["hessians"])),
        *assigned_to("h", nested(own["slopes"])),
        f"n, d = len(h), {shared}  # F_k(x) = x' H_k x / 2 + h_k' x",
        *needed,
        "problem = SimpleNamespace(",
        *(f"    {line}," for line in packed_fields(fields)),
        ")",
    ]


def assigned_to(name: str, numbers: str) -> list[str]:
    """A line that makes an exact array."""
    return broken(f"{name} = exact({numbers})")


def packed_fields(fields: list[str]) -> list[str]:
    """Neighbouring fields on one line where they fit."""
    found: list[str] = []
    for one in fields:
        if found and len(found[-1]) + len(one) + 8 <= WIDTH:
            found[-1] += f", {one}"
        else:
            found.append(one)
    return found


def source_lines(functions: str, noisy: bool, own_noisy: bool = False) -> list[Lines]:
    """Methods of the random object that functions, or premises, call; by blocks with noise."""
    table = {
        **SOURCES,
        "noise": SOURCES["noise"] if noisy else _SILENT,
        "personal_noise": _OWN_NOISE if own_noisy else _OWN_SILENT,
    }
    used = {name for name in table if f".{name}(" in functions}
    used |= {"signs"} if any("self.signs(" in line for x in used for line in table[x]) else set()
    return [table[name] for name in table if name in used]


def nested(value: Any) -> str:
    """Numbers as they are written: whole ones bare, others as texts that a fraction is made of."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(nested, value))}]"
    return str(value) if isinstance(value, int) else f'"{value}"'
