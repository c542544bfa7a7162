"""Check convergence theorems of partial federated optimisation.

``import fedbounds as fb`` is enough for a look around: ``fb.papers()``, ``fb.claims(paper)``,
``fb.claim(id)`` and its ``evaluate(...)``. ``fb.run(paper)`` judges as the command `verify` does,
``fb.results(folder)`` reads what it left, ``fb.prove(paper)`` replays proofs; all three show their
claims, with formula, standing and curve. ``fb.instance(paper, view, data, ...)`` is one run, for
``fb.check(claim, case)`` and ``fb.judge(claims, case)``. What other commands print is a table too:
``fb.bound(id, n=100, ...)``, ``fb.search(id)``, ``fb.compare(id, id, over={"K": "1:100"}, ...)``
and ``fb.check_laws(file)``. And the packages, as ``fb.problems``. All is imported when it is first
asked for.

Examples
--------
>>> import fedbounds as fb
>>> fb.claim("personalization/thm-3.7").entry.place
'Theorem 3.7'
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

# name -> the module that it is of
_TOUR = {
    "Algorithm": "fedbounds.algorithms.traced",
    "Theory": "fedbounds.verify.own.declare",
    "bound": "fedbounds.verify.commands.tour",
    "check": "fedbounds.verify.commands.judged",
    "check_laws": "fedbounds.verify.commands.shown",
    "claim": "fedbounds.theory.language.registry",
    "claims": "fedbounds.verify.commands.shown",
    "compare": "fedbounds.verify.commands.tour",
    "instance": "fedbounds.verify.commands.judged",
    "judge": "fedbounds.verify.commands.judged",
    "papers": "fedbounds.theory.proof.library",
    "prove": "fedbounds.verify.commands.shown",
    "results": "fedbounds.verify.commands.verdicts",
    "run": "fedbounds.verify.commands.verdicts",
    "search": "fedbounds.verify.commands.tour",
}
_PACKAGES = ("algorithms", "facts", "laws", "own", "problems", "strategies", "theory", "verify")

__all__ = ["__version__", *_TOUR, *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _TOUR:
        return getattr(import_module(_TOUR[name]), name)
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
