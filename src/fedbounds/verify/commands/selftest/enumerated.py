"""Two ways to one expectation: by moments, and by every outcome of the randomness."""

from collections.abc import Mapping
from typing import Any

from fedbounds.algorithms.traced import Algorithm, State
from fedbounds.theory.language.setups import Objective, Shown
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import given, ip, sq

from ...measure.answers import Asked, by_enumeration, by_moments
from ...measure.clients import Clients
from ...measure.objectives import exact, exact_array, objective
from ...measure.subject import Subject
from .planted import Said

WAYS = "moments against enumeration of every outcome"
AGREES, DISAGREES = "agrees", "disagrees"


# ---- two of three clients take a step with noise, from anywhere


def _init(problem: Any, start: Any) -> State:
    return {"x": start}


def _draw(random: Any, problem: Any, p: Any) -> State:
    present = random.participants(problem.clients, p["m"])
    return {"present": present, "xi": random.noise(problem, 1)}


def _step(problem: Any, p: Any, state: State, drawn: State, see: Any) -> State:
    x = state["x"]
    sent = (problem.gradient(x) + drawn["xi"][:, :, 0]) * drawn["present"][:, :, None]
    see(sent=sent)
    return {"x": x - problem.xp.sum(sent, axis=1) * p["gamma"] / p["m"]}


_RUN = Algorithm(_init, _draw, _step, "a step of some clients")
_SHOWN = Shown(
    draws={"S": ("present",), "xi": ("xi",)},
    indices={"i": ""},
    vectors={"x": (), "x_next": (), "sent": ("i",)},
)
_HESSIANS = (((2, 1), (1, 3)), ((1, 0), (0, 2)), ((3, -1), (-1, 1)))
_DATA = (("hessians", _HESSIANS), ("slopes", ((1, -1), (-1, 2), (2, 1))), ("noise", "1/2"))
_x, _next, _sent, _past = (VectorSymbol(x, x) for x in ("x", "x_next", "sent", "past"))
_ASKED = Asked(
    definitions={
        "state": sq(_x),
        "moved": sq(_next - _x),
        "pair": ip(_x, _next),
        "sent": sq(_sent),
        "expected": sq(given(_sent, _past)),
    }
)


def _subject() -> Subject:
    problem, start = Clients(objective(Objective("quadratics", _DATA))), exact_array((1, -2))
    return Subject(_RUN, problem, start, {"m": 2, "gamma": exact("1/5")}, 2, _SHOWN)


def moments_and_enumeration() -> Said:
    """Every expected quantity, in rationals, by both."""
    ways = [way(_subject(), _ASKED) for way in (by_moments, by_enumeration)]
    missing = {**ways[0].missing, **ways[1].missing}
    if missing:
        return Said("not measured", str(missing))
    apart = _apart(*(own.series for own in ways))
    if apart:
        return Said(DISAGREES, apart[0])
    return Said(AGREES, f"{len(_ASKED.definitions)} quantities are equal in every round")


def _apart(moments: Mapping[str, Any], outcomes: Mapping[str, Any]) -> list[str]:
    """Where the two give other numbers."""
    return [
        f"{name} of round {t}: {a} against {b}"
        for name in _ASKED.definitions
        for t, (a, b) in enumerate(zip(moments[name], outcomes[name], strict=False))
        if a != b
    ]
