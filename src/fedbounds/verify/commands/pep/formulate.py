"""An algorithm on unknown functions, as a worst-case problem in exact rationals.

Its steps and the quantities are those of every run, traced on unknowns.

What is unknown enters through gradients and values at the points that the run visits. Smoothness
relates them by the interpolation inequalities of Taylor, Hendrickx and Glineur, "Smooth strongly
convex interpolation and exact worst-case performance of first-order methods", Math. Program. 161
(2017); the infimum by f - inf f >= ||grad f||^2 / (2 L) (Drori and Shamir, "The complexity of
finding stationary points with stochastic gradient descent", ICML 2020). Every function of the
class obeys all of them, so the problem's value is never below the worst case. It is the worst case
itself for one client with one block. It may lie above it for several clients, whose mean has its
infimum and its dissimilarity bounded at the visited points only, and for two blocks, for which no
interpolation inequality is known: there 2 L-smoothness of both together is used.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import View

from ...measure.clients import Clients
from ...measure.contract import BLOCK_U, BLOCK_V, MODEL, State
from ...measure.enumerated import enumerated
from ...measure.known import Known, MissingError
from ...measure.subject import Subject
from ...measure.trace import algorithm, of_outcomes
from ...measure.unknowns import Refused
from .forms import Form, Vector, inner, mean, number, square
from .unknown import Evaluation, Restricted, Unknown

ORIGIN_SMOOTH = "smooth interpolation (Taylor, Hendrickx and Glineur 2017)"
ORIGIN_INFIMUM = "f - inf f >= ||grad f||^2 / (2 L) (Drori and Shamir 2020)"
ORIGIN_LIPSCHITZ = "block-Lipschitz gradients"
ORIGIN_DISSIMILARITY = "bounded gradient dissimilarity"
ORIGIN_START = "the constant's definition"
Joint = tuple[Evaluation, ...]  # all clients where a round starts


@dataclass(frozen=True, eq=False)
class Setting:
    """One choice of parameters and constants.

    Attributes
    ----------
    view : View
        The algorithm, and what quantities are.
    clients, rounds : int
    shared, personal : bool
        Which blocks there are.
    parameters : dict from the algorithm's parameters to numbers
    constants : dict from symbol name to bound
    dissimilar : bool
        Whether b^2 bounds the clients' dissimilarity.
    """

    view: View
    clients: int
    rounds: int
    shared: bool
    personal: bool
    parameters: dict[str, fmpq]
    constants: dict[str, fmpq]
    dissimilar: bool


@dataclass(frozen=True, eq=False)
class Inequality:
    """``form <= 0``, with a name and where it comes from."""

    name: str
    origin: str
    form: Form


@dataclass(frozen=True, eq=False)
class WorstCase:
    """Maximise a form over all unknowns that obey the inequalities.

    Attributes
    ----------
    vectors, values : tuples of str
        Names of the atoms.
    inequalities : tuple of Inequality
    series : dict from quantity name to object array of Form
        Expected quantities of rounds 0, 1, ...
    evaluations : tuple of tuples of Evaluation
        Of every client, in the order of its calls; the start is the origin.
    """

    vectors: tuple[str, ...]
    values: tuple[str, ...]
    inequalities: tuple[Inequality, ...]
    series: dict[str, Any]
    evaluations: tuple[tuple[Evaluation, ...], ...]


def formulate(setting: Setting, last: int, asked: Collection[str]) -> WorstCase:
    """The worst-case problem of a setting, with some quantities of rounds 0 to ``last``.

    Raises
    ------
    FedboundsError
        If iterates are no combinations of gradients with known factors, or a quantity is none of
        inner products and values.
    """
    unknown = Unknown(setting.clients, setting.shared, setting.personal)
    infimum = unknown.lowest()
    begun = unknown.constants(infimum)
    try:
        states, joint, series = _run(setting, unknown, begun, last, asked)
    except (Refused, MissingError) as error:
        raise FedboundsError(f"no worst-case problem: {error}") from error
    kept = _kept(unknown, states, joint, series, len(infimum))
    evaluations = tuple(tuple(map(kept.evaluation, own)) for own in kept.evaluations)
    lowest = tuple(map(kept.form, infimum))
    points = [tuple(map(kept.evaluation, every)) for every in joint]
    if setting.clients == 1:  # its local iterates are points of f too
        points = [(evaluation,) for evaluation in evaluations[0]]
    inequalities = [
        *_starting(setting, {name: kept.form(x) for name, x in begun.items()}),
        *_below(setting, evaluations, points, lowest),
        *_dissimilar(setting, points),
        *_smooth(setting, evaluations),
    ]
    return WorstCase(
        kept.vectors,
        kept.values,
        tuple(inequalities),
        {name: _array([kept.form(x) for x in forms]) for name, forms in series.items()},
        evaluations,
    )


def _run(
    setting: Setting,
    unknown: Unknown,
    constants: Mapping[str, Form],
    last: int,
    asked: Collection[str],
) -> tuple[list[State], list[Joint], dict[str, list[Form]]]:
    """The states at which rounds start, all clients there, and the quantities."""
    view, start = setting.view, unknown.start
    begun = np.concatenate([start.u, start.v.reshape(-1)])
    rounds = max(1, last)  # what is of round 0 is seen in it
    subject = Subject(
        algorithm(view.algorithm), Clients(unknown), begun, setting.parameters, rounds, view.shown
    )
    found = enumerated(subject)
    states = [*(one.start.state for one in found.rounds), found.last.state][: last + 1]
    every = {point: None for state in states for point in _points(state, setting.clients)}
    joint = [tuple(unknown.at(i, own) for i, own in enumerate(point)) for point in every]
    numbers = {"n": fmpq(setting.clients), **setting.parameters}
    known = Known(
        of_outcomes(subject, found),
        {**constants, **numbers, **view.constants},
        view.quantities,
        view.states,
    )
    series = {name: [Form() + x for x in known.series(name)[: last + 1]] for name in asked}
    return states, joint, series


def _points(state: State, clients: int) -> Iterator[tuple[tuple[Vector, ...], ...]]:
    """Where all clients are, row by row."""
    whole = state[MODEL] if MODEL in state else state[BLOCK_U]
    for at, row in enumerate(whole):
        own = state[BLOCK_V][at] if BLOCK_V in state else [()] * clients
        yield tuple((*row, *v) for v in own)


def _kept(
    unknown: Unknown,
    states: Sequence[State],
    joint: Sequence[Joint],
    series: Mapping[str, Sequence[Form]],
    infima: int,
) -> Restricted:
    """Without evaluations that the algorithm shows, and that nothing asked for depends on."""
    forms = [form for own in series.values() for form in own]
    vectors = {a for form in forms for pair in form.products for a in pair}
    every = (x for state in states for array in state.values() for x in array.flat)
    vectors |= {a for x in every if isinstance(x, Vector) for a, _ in x.entries}
    values = {at for form in forms for at in form.values}
    started = {id(e) for every in joint for e in every}

    def kept(e: Evaluation) -> bool:
        own = {a for x in (e.in_u, e.in_v) for a, _ in x.entries}
        return id(e) in started or bool(own & vectors or e.value.values.keys() & values)

    while new := unknown.reached(kept) - vectors:  # a gradient may cancel from all but such points
        vectors |= new
    return unknown.restricted(kept, infima)


def _array(forms: list[Form]) -> Any:
    found = np.empty(len(forms), dtype=object)
    found[:] = forms
    return found


def _starting(setting: Setting, own: Mapping[str, Form]) -> Iterator[Inequality]:
    """What the constants say of the start."""
    for name, form in own.items():
        if name in setting.constants:
            yield Inequality(name, ORIGIN_START, form - number(setting.constants[name]))


def _below(
    setting: Setting,
    evaluations: Sequence[Sequence[Evaluation]],
    points: Sequence[Joint],
    infimum: Sequence[Form],
) -> Iterator[Inequality]:
    """inf f is below what a gradient step reaches: in one block, or half a step in both."""
    smoothness = setting.constants["L"]
    if not setting.shared:
        for client, lowest in enumerate(infimum):
            for at, e in enumerate(evaluations[client]):
                form = lowest - e.value + square(e.in_v) / (2 * smoothness)
                yield Inequality(f"infimum of {client} at {at}", ORIGIN_INFIMUM, form)
        return
    (lowest,) = infimum
    for at, every in enumerate(points):
        gap = mean((e.value for e in every), Form()) - lowest
        in_u = square(mean((e.in_u for e in every), Vector()))
        in_v = mean((square(e.in_v) for e in every), Form())
        drops = {"u": in_u / (2 * smoothness)}
        if setting.personal:
            drops |= {
                "v": in_v / (2 * smoothness),
                "u and v": (in_u + in_v) / (4 * smoothness),
            }
        for block, drop in drops.items():
            yield Inequality(f"infimum at {at} along {block}", ORIGIN_INFIMUM, drop - gap)


def _dissimilar(setting: Setting, points: Sequence[Joint]) -> Iterator[Inequality]:
    if not (setting.dissimilar and setting.shared and setting.clients > 1):
        return
    for at, every in enumerate(points):
        middle = mean((e.in_u for e in every), Vector())
        spread = mean((square(e.in_u - middle) for e in every), Form())
        form = spread - number(setting.constants["b^2"])
        yield Inequality(f"dissimilarity at {at}", ORIGIN_DISSIMILARITY, form)


def _smooth(setting: Setting, evaluations: Sequence[Sequence[Evaluation]]) -> Iterator[Inequality]:
    """What smoothness says of every two points of a client."""
    smoothness = setting.constants["L"]
    both = setting.shared and setting.personal
    for client, known in enumerate(evaluations):
        for (i, a), (j, b) in permutations(enumerate(known), 2):
            name = f"client {client} at {i} from {j}"
            moved = [(a.u - b.u, a.in_u, b.in_u), (a.v - b.v, a.in_v, b.in_v)]
            gap = b.value - a.value
            factor = 2 * smoothness if both else smoothness
            yield Inequality(f"smooth, {name}", ORIGIN_SMOOTH, gap + _rise(moved, factor))
            if not both:
                continue
            still = [block for block in moved if block[0] == Vector()]
            if still:  # one block moves: f is L-smooth along it
                rest = [block for block in moved if block[0] != Vector()]
                form = gap + _rise(rest, smoothness)
                yield Inequality(f"smooth in one block, {name}", ORIGIN_SMOOTH, form)
            if i < j:
                apart = sum((square(step) for step, _, _ in moved), start=Form())
                times = smoothness**2 * (1 if still else 2)
                for block, (_, here, there) in zip("uv", moved, strict=True):
                    form = square(here - there) - times * apart
                    yield Inequality(f"Lipschitz in {block}, {name}", ORIGIN_LIPSCHITZ, form)


def _rise(moved: list[tuple[Vector, Vector, Vector]], smoothness: fmpq) -> Form:
    """What f gains at least: from b to a, of an L-smooth function that need not be convex."""
    total = Form()
    for step, here, there in moved:
        slope = inner(here + there, step) / 2
        total = total + slope + square(here - there) / (4 * smoothness)
        total = total - smoothness / 4 * square(step)
    return total
