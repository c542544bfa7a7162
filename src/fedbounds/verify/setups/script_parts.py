"""What a script's problem and random sources are made of: Python by the names that are used.

Lines are written in the names of the template ``setup.py.j2``.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Objective

from . import script_networks as networks
from . import script_neurons as neurons
from .script_asserts import Table, broken, curvature
from .script_lines_of import nested

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
    "normal": (
        "def normal(self, *shape):  # others, which have its moments up to the fifth",
        "    rows = list(product((0, 1, -1, 2, -2), repeat=prod(shape)))",
        "    chance = [Q(1, 2), Q(1, 6), Q(1, 12)]",
        "    odds = [prod(chance[abs(x)] for x in row) for row in rows]",
        "    return self.pick(rows, odds).reshape(1, *shape)",
    ),
    "signs": (
        "def signs(self, *shape):",
        "    every = list(product((-1, 1), repeat=prod(shape)))",
        "    return self.pick(every).reshape(1, *shape)",
    ),
    "bernoulli": (
        "def bernoulli(self, x, *shape):",
        "    every = list(product((0, 1), repeat=prod(shape)))",
        "    odds = {r: Q(x) ** sum(r) * (1 - Q(x)) ** (len(r) - sum(r)) for r in every}",
        "    odds = {r: chance for r, chance in odds.items() if chance}",
        "    return self.pick(list(odds), list(odds.values())).reshape(1, *shape)",
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
    "noise_on": (
        "def noise_on(self, problem, kept):",
        "    found = np.zeros(kept.shape, object)",
        "    found[kept != 0] = self.signs(int(kept.sum()))[0]",
        "    return found[None] * problem.noise_scale",
    ),
    "personal_noise": (
        "def personal_noise(self, problem, steps):",
        "    return self.signs(n, steps, h.shape[1] - d) * problem.personal_noise_scale",
    ),
    "samples": (
        "def samples(self, problem, steps):",
        "    every = product(np.eye(problem.samples, dtype=int), repeat=n * steps)",
        "    return self.pick([np.reshape(x, (n, steps, -1)) for x in every])",
    ),
    "cohort": (
        "def cohort(self, n, m):",
        "    present = self.participants(n, m)",
        "    return present, present / m",
    ),
}
# of a family whose noise has one direction
_ALONG: Mapping[str, Lines] = {
    "noise": (
        "def noise(self, problem, steps):",
        "    return self.signs(n, steps, 1) * problem.noise_scale * problem.a",
    ),
}
_SILENT: Mapping[str, Lines] = {
    "noise": (
        "def noise(self, problem, steps):",
        "    return self.pick([np.zeros((n, steps, d), int)])",
    ),
    "noise_on": (
        "def noise_on(self, problem, kept):",
        "    return self.pick([np.zeros(kept.shape, int)])",
    ),
    "personal_noise": (
        "def personal_noise(self, problem, steps):",
        "    return self.pick([np.zeros((n, steps, h.shape[1] - d), int)])",
    ),
}
# of the clients' quadratics, by the name that an algorithm asks for
_METHODS: Mapping[str, Lines] = {
    "spread": (
        "def spread(self, y):",
        "    return y if y.ndim == 3 else np.stack([y] * n, axis=1)",
    ),
    "gradient": (
        "def gradient(self, y):",
        "    return (self.H[None] * self.spread(y)[:, :, None, :]).sum(axis=3) + self.h",
    ),
    "full_gradient": (
        "def full_gradient(self, x):",
        "    return self.gradient(x).sum(axis=1) / n",
    ),
    "wide_gradient": (
        "def wide_gradient(self, y, c):  # of sum_k c_k F_k",
        "    return y @ np.tensordot(c, self.H, 1) + c @ self.h",
    ),
    "gradients": (
        "def gradients(self, u, v):",
        "    g = self.gradient(np.concatenate([self.spread(u), v], axis=2))",
        "    return g[:, :, :d], g[:, :, d:]",
    ),
    "value": (
        "def value(self, y, v=None):",
        "    y = self.spread(y) if v is None else np.concatenate([self.spread(y), v], axis=2)",
        "    return (y * (self.gradient(y) + self.h)).sum(axis=2) / 2",
    ),
    "blocks": (
        "def blocks(self, x):",
        "    return x[:, :d], x[:, d:].reshape(len(x), n, -1)",
    ),
    "best": (
        "def best(self, c, box=None):  # where sum_k c_k F_k is least",
        "    A, b = np.tensordot(c, self.H, 1), c @ self.h",
        "    return solve(A, -b) if box is None else solve_in(A, -b, box)",
    ),
    "only_minimiser": (
        "def only_minimiser(self, box=None):",
        "    return self.best(exact([Q(1, n)] * n), box)",
    ),
    "lowest": (
        "@property",
        "def lowest(self):  # min F_k",
        "    return exact([b @ solve(A, -b) / 2 for A, b in zip(self.H, self.h)])",
    ),
    "bests": (
        "@property",
        "def bests(self):  # where F_k is least; of many points, the nearest to 0",
        "    return exact([nearest(A, -b) for A, b in zip(self.H, self.h)])",
    ),
    "nearest_best": (
        "@property",
        "def nearest_best(self):",
        "    return nearest(self.H.sum(axis=0), -self.h.sum(axis=0))",
    ),
    "minimiser": (
        "@property",
        "def minimiser(self):",
        "    return solve(self.H.sum(axis=0), -self.h.sum(axis=0))",
    ),
    "project": (
        "def project(self, w, box):",
        "    return np.where(w < box[0], box[0], np.where(w > box[1], box[1], w))",
    ),
    "kept": ("def kept(self, mask):", "    return [bool(x) for x in mask]"),
    "check_perturbation": ("def check_perturbation(self, size):", "    assert size > 0"),
    "masked": (
        "def masked(self, keep):  # E F_k(m o x), entries of m are 1 with probability keep_k",
        "    p = keep[:, None, None]",
        "    H = p * p * self.H + p * (1 - p) * self.H * np.eye(d, dtype=int)",
        "    return Problem(H, keep[:, None] * self.h)",
    ),
    "rolled": (
        "def rolled(self, masks):  # the mean of F_k(m o x) over the masks of a client",
        "    H = (masks[:, :, :, None] * masks[:, :, None] * self.H[:, None]).sum(axis=1)",
        "    return Problem(H / Count(masks.shape[1]), masks.sum(axis=1) * self.h / "
        "Count(masks.shape[1]))",
    ),
}
_OF_TRILINEAR: Mapping[str, Lines] = {
    **{name: _METHODS[name] for name in ("spread", "full_gradient")},
    "gradient": (
        "def gradient(self, y):",
        "    y, (a, v, c, k) = self.spread(y), self.numbers",
        "    x, z, w = np.moveaxis(y, -1, 0)",
        "    both = np.stack([z * w, x * w, x * z], axis=-1)",
        "    return a * (y - v) + c * (y.sum(axis=-1, keepdims=True) - y) - k * both",
    ),
    "value": (
        "def value(self, y):  # a |y - v|^2 / 2 + c (y_1 y_2 + y_1 y_3 + y_2 y_3) - k y_1 y_2 y_3",
        "    y, (a, v, c, k) = self.spread(y), self.numbers",
        "    x, z, w = np.moveaxis(y, -1, 0)",
        "    bowl = a * ((y - v) ** 2).sum(axis=-1) / 2",
        "    return bowl + c * (x * z + x * w + z * w) - k * x * z * w",
    ),
}
_OF_POWERS: Mapping[str, Lines] = {
    **{name: _METHODS[name] for name in ("spread", "full_gradient", "kept", "check_perturbation")},
    "gradient": (
        "def gradient(self, y):",
        "    s = (self.spread(y) * self.a).sum(axis=2)",
        "    return (self.h * s + self.q * s**3)[:, :, None] * self.a",
    ),
    "value": (
        "def value(self, y):",
        "    s = (self.spread(y) * self.a).sum(axis=2)",
        "    return self.h * s**2 / 2 + self.q * s**4 / 4",
    ),
    "bests": ("@property", "def bests(self):", "    return exact([[0] * d] * n)"),
    "nearest_best": ("@property", "def nearest_best(self):", "    return exact([0] * d)"),
}
_OF_REGRESSION: Mapping[str, Lines] = {
    **{name: _METHODS[name] for name in ("spread", "full_gradient", "project")},
    "picked": (
        "def picked(self, samples):",
        "    i = np.arange(n)[:, None]",
        "    return Problem(self.a[i, samples], self.y[i, samples])",
    ),
    "losses_of": (
        "def losses_of(self, i, x):  # of every sample of a client",
        "    r = (self.a[i] * x[..., None, :]).sum(axis=-1) - self.y[i]",
        "    found = r * r / 2",
        "    if threshold is not None:",
        "        far = (2 * abs(r) - threshold) * threshold / 2",
        "        found = np.where(abs(r) > threshold, far, found)",
        "    return found + ridge * (x * x).sum(axis=-1)[..., None] / 2",
    ),
    "gradients_of": (
        "def gradients_of(self, i, x):  # of every sample of a client",
        "    x = x[..., None, :]",
        "    r = (self.a[i] * x).sum(axis=-1) - self.y[i]",
        "    if threshold is not None:",
        "        r = np.where(abs(r) > threshold, threshold * (1 - 2 * (r < 0)), r)",
        "    return r[..., None] * self.a[i] + ridge * x",
    ),
    "sampled_gradient": (
        "def sampled_gradient(self, y, weights):",
        "    y = self.spread(y)",
        "    every = np.stack([self.gradients_of(i, y[:, i]) for i in range(n)], axis=1)",
        "    return (every * weights[..., None]).sum(axis=2)",
    ),
    "gradient": (
        "def gradient(self, y):",
        "    y = self.spread(y)",
        "    every = [self.gradients_of(i, y[:, i]).sum(axis=1) for i in range(n)]",
        "    return np.stack(every, axis=1) / Q(self.samples)",
    ),
    "value": (
        "def value(self, y):",
        "    y = self.spread(y)",
        "    every = [self.losses_of(i, y[:, i]).sum(axis=1) for i in range(n)]",
        "    return np.stack(every, axis=1) / Q(self.samples)",
    ),
    "samples": ("@property", "def samples(self):", "    return self.a.shape[1]"),
    "features": ("@property", "def features(self):", "    return self.a"),
    "threshold": ("@property", "def threshold(self):", "    return threshold"),
    "ridge": ("@property", "def ridge(self):", "    return ridge"),
}
FAMILIES = {
    "ReLU": neurons.METHODS,
    "deep linear": networks.METHODS,
    "quadratics": _METHODS,
    "regression": _OF_REGRESSION,
    "ridge powers": _OF_POWERS,
    "trilinear": _OF_TRILINEAR,
}
_BEGINNING: Mapping[str, Lines] = {
    "ReLU": neurons.BEGINNING,
    "deep linear": networks.BEGINNING,
    "quadratics": (
        "def __init__(self, H, h):  # F_k(x) = x' H_k x / 2 + h_k' x",
        "    self.H, self.h = H, h",
    ),
    "regression": (
        "def __init__(self, a, y):  # samples (a, y), with r = a' x - y: r^2 / 2 and a ridge",
        "    self.a, self.y = a, y",
    ),
    "ridge powers": (
        "def __init__(self, a, h, q):  # h_k s^2 / 2 + q_k s^4 / 4 with s = a' x",
        "    self.a, self.h, self.q = a, h, q",
    ),
    "trilinear": (
        "def __init__(self, *numbers):",
        "    self.numbers = numbers",
    ),
}
_SOLVE: Mapping[str, Lines] = {
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
    "nearest": (
        "def nearest(A, b):  # of all x with A x = b, the nearest to 0: x = A y with A A y = b",
        "    M, at = np.column_stack([A @ A, b]), []",
        "    for j in range(len(b)):",
        "        r, rest = len(at), [i for i in range(len(at), len(b)) if M[i, j]]",
        "        if rest:",
        "            M[[r, rest[0]]] = M[[rest[0], r]]",
        "            M[r] = M[r] / M[r, j]",
        "            for i in {*range(len(b))} - {r}:",
        "                M[i] = M[i] - M[i, j] * M[r]",
        "            at.append(j)",
        "    y = b * 0",
        "    y[at] = M[: len(at), -1]",
        "    x = A @ y",
        "    assert (A @ x == b).all()",
        "    return x",
    ),
    "solve_in": (
        "def solve_in(A, b, box):  # the least of x' A x / 2 - b' x in a box, of all its faces",
        "    found = []",
        "    low, high = (exact([0] * len(b)) + end for end in box)",
        "    for at in product(*zip(low, [None] * len(b), high)):",
        "        free = [i for i, end in enumerate(at) if end is None]",
        "        x = exact([end or 0 for end in at])",
        "        x[free] = solve(A[np.ix_(free, free)], (b - A @ x)[free])",
        "        found += [x] if all((low <= x) & (x <= high)) else []",
        "    return min(found, key=lambda x: x @ A @ x / 2 - b @ x)",
    ),
}
_NOISES = (
    "(probe := Random()).noise(problem, 1)",
    "noises = [Random(x).noise(problem, 1) for x in product(*(range(len(o)) for o in probe.odds))]",
)
_PROBED = re.compile(r"\(probe := Random\(\)\)\.(\w+)\(")
_LISTED = re.compile(r"(\w+ = \[Random\()x(\)\.(\w+)\(problem, 1\)) for ")
_UNBIASED = (*_NOISES, "assert not sum(noises).any()")
_UNBIASED_BLOCKS = (
    *_UNBIASED,
    *(
        line.replace("noise(", "personal_noise(").replace("noises", "own_noises")
        for line in _UNBIASED
    ),
)
# what a problem tells of itself
FACTS: Table = {
    **curvature("H"),
    Fact.UNBIASED: _UNBIASED,
    Fact.NOISE: _UNBIASED,
    Fact.BOUNDED_VARIANCE: (
        *_NOISES,
        "assert max(sum((e * e).sum(axis=(0, 2, 3)) for e in noises)) <= variance * len(noises)",
    ),
    Fact.NOISELESS: ("assert problem.noise_scale == 0",),
    Fact.NOISY: ("assert problem.noise_scale != 0",),
    Fact.QUADRATIC: ("assert (H == H.transpose(0, 2, 1)).all()",),
    Fact.DISSIMILARITY: ("assert all((A == H[0]).all() for A in H)",),
    Fact.BOUNDED_BELOW: (
        "assert not problem.full_gradient(problem.minimiser[None]).any()",
        "assert positive(plus(0, sum(H), 1))",
    ),
    Fact.SHARED_MINIMISER: ("assert not problem.gradient(problem.minimiser[None]).any()",),
}
# with personal blocks L is a bound of the norms of the blocks of every H, the first of d rows
FACTS_OF_BLOCKS: Table = {
    **{name: FACTS[name] for name in (Fact.STRONGLY_CONVEX, Fact.CONVEX)},
    Fact.SMOOTH: (
        "diagonal = [B for A in H for B in (A[:d, :d], A[d:, d:])]",
        "assert all(positive(plus(L, B, s)) for B in diagonal for s in (1, -1))",
        "assert all(positive(plus(L * L, A[:d, d:] @ A[d:, :d], -1)) for A in H)",
    ),
    Fact.QUADRATIC: FACTS[Fact.QUADRATIC],
    Fact.NOISELESS: ("assert problem.noise_scale == 0 == problem.personal_noise_scale",),
    Fact.NOISY: ("assert problem.noise_scale != 0 or problem.personal_noise_scale != 0",),
    Fact.NOISE: _UNBIASED_BLOCKS,
    Fact.UNBIASED: _UNBIASED_BLOCKS,
    Fact.DISSIMILARITY: (
        "assert n == 1 or not any(A[:d, d:].any() for A in H)",
        "assert all((A[:d, :d] == H[0][:d, :d]).all() for A in H)",
    ),
}
_SAMPLES_SMOOTH = ("assert ((a * a).sum(axis=2) + ridge <= L).all()",)
_SAMPLES_CONVEX = ("assert ridge >= 0",)
_SAMPLES_STRONGLY = ("assert mu <= ridge + ((a * a).min() if d == 1 and threshold is None else 0)",)
FACTS_OF_SAMPLES: Table = {
    Fact.SMOOTH: _SAMPLES_SMOOTH,
    Fact.SMOOTH_SAMPLES: _SAMPLES_SMOOTH,
    Fact.CONVEX: _SAMPLES_CONVEX,
    Fact.CONVEX_SAMPLES: _SAMPLES_CONVEX,
    Fact.STRONGLY_CONVEX: _SAMPLES_STRONGLY,
    Fact.STRONGLY_CONVEX_SAMPLES: _SAMPLES_STRONGLY,
}
OF_CONSTANTS = {
    Fact.SMOOTH: "L",
    Fact.STRONGLY_CONVEX: "mu",
    Fact.BOUNDED_VARIANCE: "sigma^2",
    Fact.SMOOTH_SAMPLES: "L",
    Fact.STRONGLY_CONVEX_SAMPLES: "mu",
}
COMPUTED = {
    "n": "n",
    "sigma^2": "d * problem.noise_scale**2",
    "b^2": "((h - h.sum(axis=0) / Q(n)) ** 2).sum() / n",
    "B_0": "(problem.gradient(start[None]) ** 2).sum()",
    "G_0": "(problem.full_gradient(start[None]) ** 2).sum()",
}
# of other families
FACTS_OF: Mapping[str, Table] = {
    "ReLU": {Fact.NOISELESS: FACTS[Fact.NOISELESS]},
    "deep linear": {Fact.NOISELESS: FACTS[Fact.NOISELESS]},
    "regression": FACTS_OF_SAMPLES,
    "ridge powers": {
        **{x: FACTS[x] for x in (Fact.UNBIASED, Fact.NOISE, Fact.BOUNDED_VARIANCE)},
        **{x: FACTS[x] for x in (Fact.NOISELESS, Fact.NOISY)},
        Fact.SMOOTH: (
            "assert not problem.q.any()",
            "assert max(problem.h) * (problem.a**2).sum() <= L",
        ),
        Fact.QUADRATIC: ("assert not problem.q.any()",),
        Fact.CONVEX: ("assert (problem.h >= 0).all() and (problem.q >= 0).all()",),
    },
}
COMPUTED_OF: Mapping[str, Mapping[str, str]] = {
    "ReLU": neurons.COMPUTED,
    "deep linear": networks.COMPUTED,
    "ridge powers": {"n": "n", "sigma^2": "(problem.a**2).sum() * problem.noise_scale**2"},
}
# lines that assert what numbers are, and what they need
OF_NUMBERS = {"ReLU": neurons, "deep linear": networks}
# what problems of scripts answer where ours may tell more
ANSWERS_OF: Mapping[str, Mapping[str, Any]] = {"deep linear": networks.ANSWERS}
_FIRST = "problem.gradients(*problem.blocks(start[None]))[0]"
COMPUTED_OF_BLOCKS = {
    "n": "n",
    "d_u": "d",
    "d_v": "h.shape[1] - d",
    "sigma_u^2": "d * problem.noise_scale**2",
    "sigma_v^2": "(h.shape[1] - d) * problem.personal_noise_scale**2",
    "b^2": "((h - h.sum(axis=0) / Q(n))[:, :d] ** 2).sum() / n",
    "B_0": f"({_FIRST} ** 2).sum()",
    "G_0": f"({_FIRST}.sum(axis=1) ** 2).sum() / n**2",
}


def problem_lines(data: Objective, functions: str, smoothness: Any) -> tuple[list[str], list[str]]:
    """The kind of problem, with what functions ask of it; and the problem.

    Parameters
    ----------
    smoothness : number
        Of the problem, if it is asked for.

    Raises
    ------
    FedboundsError
        If it is of a family, or is asked for something, that has no lines.
    """
    if data.family not in FAMILIES:
        raise FedboundsError(f"no script is written for the family {data.family!r}")
    own, known = dict(data.data), FAMILIES[data.family]
    sizes = {"xp": "np", "clients": "Count(n)", "dimension": "d"}
    values = {
        "noise_scale": f'Q("{own.get("noise", 0)}")',
        "personal_dimension": "h.shape[1] - d",
        "personal_noise_scale": f'Q("{own.get("personal_noise", 0)}")',
        "smoothness": f'Q("{smoothness}")',
    }
    given = re.findall(r"self\.(\w+)", " ".join(_BEGINNING[data.family]))
    every = {*known, *sizes, *values, *given}
    missing = set(re.findall(r"\bproblem\.(\w+)", functions)) - every
    if missing:
        raise FedboundsError(f"no script is written for problem.{min(missing)}")
    # also of an objective that the problem gives
    named = set(re.findall(r"\.(\w+)\b", functions)) | {"noise_scale"}
    named |= {"personal_noise_scale"} if "personal_noise" in named else set()
    methods = _with_their_own(named & known.keys(), known)
    text = " ".join(line for name in methods for line in known[name])
    kind = [
        *(line for name in _SOLVE if f"{name}(" in text for line in _SOLVE[name]),
        "class Problem:",
        *(f"    {line}" for line in _BEGINNING[data.family]),
        *(f"        self.{name} = {value}" for name, value in sizes.items() if name in named),
        *(f"    {line}" for name in methods for line in known[name]),
    ]
    numbers = [
        *_MADE[data.family](own),
        *(f"problem.{name} = {value}" for name, value in values.items() if name in named),
    ]
    return kind, numbers


def _quadratics(own: Mapping[str, Any]) -> Iterator[str]:
    yield from broken(f"H = exact({nested(own['hessians'])})")
    yield from broken(f"h = exact({nested(own['slopes'])})")
    personal = f"n, d = len(h), h.shape[1] - {own.get('personal')}"
    yield personal if "personal" in own else "n, d = h.shape"
    if "apart" in own:
        yield f'h[:, :d] += (h[:, :d] - h[:, :d].sum(axis=0) / n) * (Q("{own["apart"]}") - 1)'
    yield "problem = Problem(H, h)  # F_k(x) = x' H_k x / 2 + h_k' x"


def _trilinear(own: Mapping[str, Any]) -> Iterator[str]:
    yield "n, d = 1, 3"
    every = [own[name] for name in ("curvature", "centre", "pairs", "triple", "reach")]
    yield from broken(f"a, v, c, k, b = exact({nested(tuple(every))})")
    yield "problem = Problem(a, v, c, k)"
    yield "assert 2 * max(abs(c), abs(c - k * b)) < a  # strongly convex on [0, b]^3"


def _ridge_powers(own: Mapping[str, Any]) -> Iterator[str]:
    for name, data in (("a", "along"), ("h", "curvatures"), ("q", "quartics")):
        yield from broken(f"{name} = exact({nested(own[data])})")
    yield "n, d = len(h), len(a)"
    yield "problem = Problem(a, h, q)"


def _regression(own: Mapping[str, Any]) -> Iterator[str]:
    yield from broken(f"a = exact({nested(own['features'])})")
    yield from broken(f"y = exact({nested(own['targets'])})")
    yield "n, d = len(a), a.shape[2]"
    turned = f'Q("{own["threshold"]}")  # from here on linear' if "threshold" in own else "None"
    yield f'ridge, threshold = Q("{own.get("ridge", 0)}"), {turned}'
    yield "problem = Problem(a, y)"


_MADE = {
    "ReLU": neurons.made,
    "deep linear": networks.made,
    "quadratics": _quadratics,
    "regression": _regression,
    "ridge powers": _ridge_powers,
    "trilinear": _trilinear,
}


def _with_their_own(names: set[str], known: Mapping[str, Lines]) -> list[str]:
    """Methods with those that they call, in the order of the table."""
    found, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        called = re.findall(r"self\.(\w+)", " ".join(known[name]))
        waiting += [one for one in called if one in known and one not in found]
    return [name for name in known if name in found]


def source_lines(functions: str, silent: Collection[str], *, along: bool) -> list[Lines]:
    """Methods of the random object that functions, or premises, call; some noises are zero.

    ``along``: whether noise has one direction.
    """
    table = {**SOURCES, **(_ALONG if along else {}), **{name: _SILENT[name] for name in silent}}
    used = {name for name in table if f".{name}(" in functions}
    used |= {x for x in ("signs", "participants") for y in used if f".{x}(" in " ".join(table[y])}
    return [table[name] for name in table if name in used]


def of_one_outcome(lines: Sequence[str], silent: Collection[str]) -> list[str]:
    """Premises that list noises, of which some are zero."""
    found = []
    for line in lines:
        probed, listed = _PROBED.match(line), _LISTED.match(line)
        if listed and listed[3] in silent:
            found.append(f"{listed[1]}{listed[2]}]")
        elif not probed or probed[1] not in silent:
            found.append(line)
    return found
