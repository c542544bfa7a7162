"""A fourth paper: descent along the clients' mean gradient, three claims, a proof, a set-up."""

FILES = {
    "algorithms/dummy.py": '''
"""Descent along the mean of the clients' noisy gradients."""

import numpy as np

from fedbounds.algorithms.traced import Algorithm


def init(problem, start):
    return {"x": start}


def draw(random, problem, p):
    return {"noise": random.noise(problem, 1)}


def step(problem, p, state, drawn, see):
    x, noise = state["x"], drawn["noise"][:, :, 0]
    g = problem.gradient(problem.spread(x))
    after = x - (g + noise).sum(axis=1) * p["eta"] / problem.clients
    best = problem.best(np.array([p["eta"]] * problem.clients))
    see(x=x, xs=x * 0 + best, after=after, g=g, noise=noise)
    return {"x": after}


DESCENT = Algorithm(init, draw, step, "mean descent")
''',
    "theory/dummy/__init__.py": '"""Descent along the clients\' mean gradient."""\n',
    "theory/dummy/catalogue.toml": """
[paper]
key = "dummy"
title = "Descent along a mean"
authors = ["A. Nobody"]

[[claim]]
id = "dummy/expansion"
kind = "identity"
source = "verbatim"
place = "(1)"
statement = "The distance to the minimiser, expanded."
module = "claims"

[[claim]]
id = "dummy/stride"
kind = "inequality"
source = "verbatim"
place = "(2)"
statement = "A step is at most as long as gradient and noise allow."
module = "claims"

[[claim]]
id = "dummy/nearer"
kind = "inequality"
source = "verbatim"
place = "(3)"
statement = "Every round comes nearer."
uses = ["dummy/expansion", "dummy/stride"]
module = "claims"
""",
    "theory/dummy/symbols.py": '''
"""Names of this paper alone."""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()
reach = _draft.quantity("reach", "E ||x - x*||^2", "r_t")
reach_after = _draft.quantity("reach_after", "the same after the round", "r_t^+")
lean = _draft.quantity("lean", "2 E <x - x*, x^+ - x>", "l_t", signed=True)
stride = _draft.quantity("stride", "E ||x^+ - x||^2", "s_t")
slope = _draft.quantity("slope", "E ||grad f||^2", "g_t")

NAMES = _draft.closed()
''',
    "theory/dummy/glossary.py": '''
"""The names of this paper: the shared ones, and its own."""

from fedbounds.theory.language.symbols import SHARED

from .symbols import NAMES

GLOSSARY = SHARED | NAMES
''',
    "theory/dummy/claims.py": '''
"""What the paper claims."""

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.symbols import eta, sigma2, t
from fedbounds.facts import Fact
from fedbounds.vocabulary import Relation

from .symbols import lean, reach, reach_after, slope, stride

_ABOUT = ("mean descent",)
_EXPANDED = reach(t) + lean(t) + stride(t)
_LONGEST = eta**2 * (slope(t) + sigma2)

CLAIMS = (
    Claim(entry("dummy/expansion"), _ABOUT, (Part(reach_after(t), _EXPANDED, relation=Relation.EQUAL),)),
    Claim(entry("dummy/stride"), _ABOUT, (Part(stride(t), _LONGEST, assumptions=(Fact.NOISE,)),)),
    Claim(entry("dummy/nearer"), _ABOUT, (Part(reach_after(t), reach(t)),)),
)
''',
    "theory/dummy/vectors.py": '''
"""The vectors of a round, and what the quantities are of them."""

from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors, xi

x, xs, after, g, noise = vectors(
    {"x": "x^t", "xs": "x^*", "after": "x^{t+1}", "g": r"\\\\nabla f_k(x^t)", "noise": r"\\\\xi_k"}
)
QUANTITIES = {
    "reach": sq(x - xs),
    "reach_after": sq(after - xs),
    "lean": 2 * ip(x - xs, after - x),
    "stride": sq(after - x),
    "slope": sq(given(g, past, xi)),
}
'''.replace("\\\\\\\\", "\\\\").replace("\\\\", "\\"),
    "theory/dummy/views.py": '''
"""What is seen of a run."""

from fedbounds.theory.language.setups import Shown, View

from .vectors import QUANTITIES

_OF_CLIENTS = {"g": ("k",), "noise": ("k",)}
VIEWS = {
    "rounds": View(
        told="rounds",
        algorithm="dummy.DESCENT",
        shown=Shown(
            draws={"xi": ("noise",)},
            indices={"k": ""},
            vectors={"x": (), "xs": (), "after": (), **_OF_CLIENTS},
        ),
        scopes=("a round",),
        quantities=QUANTITIES,
        states=("reach",),
        takes=("eta",),
    )
}
''',
    "theory/dummy/setups.py": '''
"""Runs on which the claims are judged."""

from fedbounds.theory.language.setups import Objective, Planned, Run, Setup

_PROBLEM = Objective(
    "quadratics", (("hessians", (((1,),), ((2,),))), ("slopes", ((0,), (1,))), ("noise", 1))
)
_RUN = Run(_PROBLEM, (0,), (("eta", "1/2"),), 2)
PLANNED = (Planned("two clients, two rounds", Setup("dummy", "rounds", _RUN), quick=True),)
''',
    "theory/dummy/sought.py": '''
"""One coordinate, the minimiser at the origin: where instances are searched."""

from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.language.sought import Sought, Steps
from fedbounds.theory.language.symbols import L

_COUNTS = tuple({"n": n, "T": rounds} for n in (1, 2) for rounds in (1, 2))


def _rounds(seek):
    counts = seek.counts()
    data = {
        "hessians": [((seek.size("1/10", 10),),) for _ in range(counts["n"])],
        "slopes": ((0,),) * counts["n"],
        "noise": seek.choice((0, 1)),
    }
    problem = Objective("quadratics", tuple(data.items()))
    start = (str(seek.size("1/10", 10)),)
    steps = seek.steps(problem, start)
    return Setup("dummy", "rounds", Run(problem, start, (("eta", steps["eta"]),), steps["T"]))


SOUGHT = (Sought("mean descent", _COUNTS, Steps(largest={"eta": 2 / L}), _rounds),)
''',
    "theory/dummy/proofs/__init__.py": '"""Proofs."""\n',
    "theory/dummy/proofs/book.py": '''
"""The one proof."""

from functools import cache

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.proof import vectors as of_all
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.text import theory_of
from fedbounds.theory.proof.vectors import notation
from fedbounds.theory.language.symbols import t

from .. import symbols, vectors
from ..glossary import GLOSSARY

_ROUND = Scope(
    sources=("past", "xi", "k"),
    atoms=(("x", ("past",)), ("xs", ()), ("g", ("past", "k")), ("noise", ("past", "xi", "k"))),
    derived=(("after", "x - eta*given(g + noise, past, xi)"),),
)


@cache
def book():
    theory = theory_of(GLOSSARY, {"a round": _ROUND}, frozenset(), frozenset())
    named = Glossary(vectors=notation(of_all, vectors))
    found = Book("dummy", theory, glossary=GLOSSARY | named)
    for name in ("reach", "reach_after", "lean", "stride"):
        is_ = vectors.QUANTITIES[name]
        found.define(name, getattr(symbols, name)(t), is_, "(1)", "a round")
    found.prove("expansion", "", ["def reach", "def reach_after", "def lean", "def stride"], scope="a round")
    return found
''',
}
