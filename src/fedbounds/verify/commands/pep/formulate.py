"""FedAvg-P on unknown functions, as a worst-case problem in exact rationals.

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

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any

import numpy as np
from flint import fmpq

from .forms import Form, Vector, inner, mean, number, square

ORIGIN_SMOOTH = "smooth interpolation (Taylor, Hendrickx and Glineur 2017)"
ORIGIN_INFIMUM = "f - inf f >= ||grad f||^2 / (2 L) (Drori and Shamir 2020)"
ORIGIN_LIPSCHITZ = "block-Lipschitz gradients"
ORIGIN_DISSIMILARITY = "bounded gradient dissimilarity"
ORIGIN_START = "the constant's definition"


@dataclass(frozen=True)
class Setting:
    """One choice of parameters and constants; ``constants`` by symbol name.

    ``dissimilar``: whether b^2 bounds the clients' dissimilarity. The step sizes are the inner
    ones, gamma_u and gamma_v.
    """

    clients: int
    participants: int
    local_steps: int
    rounds: int
    shared: bool
    personal: bool
    inner_steps: tuple[fmpq, fmpq]
    outer_steps: tuple[fmpq, fmpq]
    constants: dict[str, fmpq]
    dissimilar: bool


@dataclass(frozen=True, eq=False)
class Inequality:
    """``form <= 0``, with a name and where it comes from."""

    name: str
    origin: str
    form: Form


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A client at a point: its value and the gradients in both blocks."""

    u: Vector
    v: Vector
    value: Form
    in_u: Vector
    in_v: Vector


@dataclass(frozen=True)
class State:
    """The iterates after some rounds, for one choice of all participants so far."""

    u: Vector
    v: tuple[Vector, ...]


@dataclass(eq=False)
class Oracle:
    """Unknown functions: the same point gives the same gradients and the same value.

    ``vectors`` and ``values`` are the names of the atoms so far.
    """

    setting: Setting
    vectors: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    seen: list[dict[tuple[Vector, Vector], Evaluation]] = field(default_factory=list)

    def at(self, client: int, u: Vector, v: Vector) -> Evaluation:
        """The evaluation of a client at a point."""
        while len(self.seen) <= client:
            self.seen.append({})
        known = self.seen[client]
        if (u, v) not in known:
            name = f"{client}_{len(known)}"
            value = self.unknown(f"f_{name}")
            in_u = self._vector(f"gu_{name}") if self.setting.shared else Vector()
            in_v = self._vector(f"gv_{name}") if self.setting.personal else Vector()
            known[u, v] = Evaluation(u, v, value, in_u, in_v)
        return known[u, v]

    def unknown(self, name: str) -> Form:
        """A new unknown number."""
        self.values.append(name)
        return Form(values={len(self.values) - 1: fmpq(1)})

    def _vector(self, name: str) -> Vector:
        self.vectors.append(name)
        return Vector(((len(self.vectors) - 1, fmpq(1)),))


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


def formulate(setting: Setting, last: int) -> WorstCase:
    """The worst-case problem of a setting with quantities of rounds 0 to ``last``."""
    oracle = Oracle(setting)
    infimum = _infimum(oracle)
    start = State(Vector(), (Vector(),) * setting.clients)  # the origin: a translation
    states = {start: fmpq(1)}
    joint: dict[State, tuple[Evaluation, ...]] = {}
    series: dict[str, list[Form]] = {"f": [], "G_u": [], "G_v": [], "B": []}
    for t in range(last + 1):
        for state in states:
            joint[state] = tuple(oracle.at(i, state.u, v) for i, v in enumerate(state.v))
        for name, form in _quantities(states, joint, infimum).items():
            series[name].append(form)
        if t < last:
            states = _round(oracle, states)
    points = list(joint.values())
    if setting.clients == 1:  # its local iterates are points of f too
        points = [(evaluation,) for evaluation in oracle.seen[0].values()]
    inequalities = [
        *_starting(setting, joint[start], infimum),
        *_below(oracle, points, infimum),
        *_dissimilar(setting, points),
        *_smooth(oracle),
    ]
    return WorstCase(
        tuple(oracle.vectors),
        tuple(oracle.values),
        tuple(inequalities),
        {name: _array(forms) for name, forms in series.items()},
        tuple(tuple(known.values()) for known in oracle.seen),
    )


def _array(forms: list[Form]) -> Any:
    found = np.empty(len(forms), dtype=object)
    found[:] = forms
    return found


def _infimum(oracle: Oracle) -> tuple[Form, ...]:
    """inf f; without a shared block the clients have infima of their own."""
    if oracle.setting.shared:
        return (oracle.unknown("inf"),)
    return tuple(oracle.unknown(f"inf_{i}") for i in range(oracle.setting.clients))


def _quantities(
    states: dict[State, fmpq],
    joint: dict[State, tuple[Evaluation, ...]],
    infimum: tuple[Form, ...],
) -> dict[str, Form]:
    """Expectations over everybody who took part so far."""
    found = dict.fromkeys(("f", "G_u", "G_v", "B"), Form())
    for state, chance in states.items():
        every = joint[state]
        own = {
            "f": mean((e.value for e in every), Form()) - mean(infimum, Form()),
            "G_u": square(mean((e.in_u for e in every), Vector())),
            "G_v": mean((square(e.in_v) for e in every), Form()),
            "B": sum((square(e.in_u) for e in every), start=Form()),
        }
        found = {name: total + chance * own[name] for name, total in found.items()}
    return found


def _round(oracle: Oracle, states: dict[State, fmpq]) -> dict[State, fmpq]:
    """The states after a round, with their chances: every set of m clients is equally likely."""
    setting = oracle.setting
    sets = list(combinations(range(setting.clients), setting.participants))
    eta_u, eta_v = setting.outer_steps
    found: dict[State, fmpq] = {}
    for state, chance in states.items():
        reached = [_local(oracle, i, state.u, v) for i, v in enumerate(state.v)]
        for present in sets:
            moved = mean((reached[i][0] for i in present), Vector()) - state.u
            personal = tuple(
                v + eta_v * (reached[i][1] - v) if i in present else v
                for i, v in enumerate(state.v)
            )
            after = State(state.u + eta_u * moved, personal)
            found[after] = found.get(after, fmpq(0)) + chance / len(sets)
    return found


def _local(oracle: Oracle, client: int, u: Vector, v: Vector) -> tuple[Vector, Vector]:
    """K gradient steps on both blocks at once."""
    gamma_u, gamma_v = oracle.setting.inner_steps
    for _ in range(oracle.setting.local_steps):
        here = oracle.at(client, u, v)
        u, v = u - gamma_u * here.in_u, v - gamma_v * here.in_v
    return u, v


def _starting(
    setting: Setting, start: tuple[Evaluation, ...], infimum: tuple[Form, ...]
) -> Iterator[Inequality]:
    """What the constants say of the start."""
    gap = mean((e.value for e in start), Form()) - mean(infimum, Form())
    own = {
        "F_0": gap,
        "B_0": sum((square(e.in_u) for e in start), start=Form()),
        "G_0": square(mean((e.in_u for e in start), Vector())),
    }
    for name, form in own.items():
        if name in setting.constants:
            yield Inequality(name, ORIGIN_START, form - number(setting.constants[name]))


def _below(
    oracle: Oracle, points: list[tuple[Evaluation, ...]], infimum: tuple[Form, ...]
) -> Iterator[Inequality]:
    """inf f is below what a gradient step reaches: in one block, or half a step in both."""
    setting, smoothness = oracle.setting, oracle.setting.constants["L"]
    if not setting.shared:
        for client, lowest in enumerate(infimum):
            for at, e in enumerate(oracle.seen[client].values()):
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


def _dissimilar(setting: Setting, points: list[tuple[Evaluation, ...]]) -> Iterator[Inequality]:
    if not (setting.dissimilar and setting.shared and setting.clients > 1):
        return
    for at, every in enumerate(points):
        middle = mean((e.in_u for e in every), Vector())
        spread = mean((square(e.in_u - middle) for e in every), Form())
        form = spread - number(setting.constants["b^2"])
        yield Inequality(f"dissimilarity at {at}", ORIGIN_DISSIMILARITY, form)


def _smooth(oracle: Oracle) -> Iterator[Inequality]:
    """What smoothness says of every two points of a client."""
    smoothness = oracle.setting.constants["L"]
    both = oracle.setting.shared and oracle.setting.personal
    for client, known in enumerate(oracle.seen):
        for (i, a), (j, b) in permutations(enumerate(known.values()), 2):
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
