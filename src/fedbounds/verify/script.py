"""A witness as a program that shows the gap without this package."""

import re
from textwrap import fill
from typing import Any

import numpy as np
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.theory.claims import Part
from fedbounds.theory.symbols import RunOperator, T, k, t
from fedbounds.vocabulary import Assumption, Method, Relation

from .case import Case, script_of
from .evaluate import Numbers
from .instance import Instance
from .judge import Judgement
from .script_asserts import Table, fitting, told
from .script_code import (
    COUNTS,
    IDENTIFIERS,
    MOST_LINES,
    QUOTED,
    TEMPLATES,
    UNQUOTED,
    WIDTH,
    assigned,
    code,
    joined,
    table,
    wrapped,
)
from .script_lines import LATER, MEMORY, MEMORY_WALK, WALK, known, state_lines, walk_lines
from .script_premises import ASSUMED, COMPUTED, NOISE, of_quadratics
from .small import MOST_OUTCOMES, outcomes

_FOR_DRAWS = 60  # more where the draws are a user's own
_STEPS = ("gamma_u", "gamma_v", "eta_u", "eta_v")


def script(judgement: Judgement, part: Part, numbers: Numbers) -> str:
    """A program that prints the gap: of an instance in 60 lines of the standard library.

    Of a set-up it quotes what defines it, and may need NumPy.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    instance = judgement.instance
    if isinstance(instance, Case):
        return _checked(script_of(instance.setup, judgement, part, numbers), instance.name)

    def write(asserted: Table) -> str:
        template, values = _values(judgement, part, instance, numbers, asserted)
        return rendered(template, judgement, part, values)

    return _checked(fitting(write, ASSUMED), instance.name)


def rendered(template: str, judgement: Judgement, part: Part, values: dict[str, Any]) -> str:
    """A template with the sides of a part, and what else it is filled with."""
    left, right = code(part.left), code(part.right)
    both = f"left, right = {left}, {right}"
    apart = f"{wrapped('left', left)}\n{wrapped('right', right)}"
    heading = (
        f'"""{judgement.claim.id} (reading: {judgement.reading.name}) fails on these numbers."""'
    )
    text = TEMPLATES.get_template(template).render(
        docstring=fill(heading, WIDTH, break_on_hyphens=False),
        root="sqrt(" in " ".join(map(code, _expressions(part))),
        sides=both if len(both) <= WIDTH else apart,
        relation=part.relation.value,
        broken="left != right" if part.relation is Relation.EQUAL else "left > right",
        **{"premises": told(part.assumptions, part.conditions, {})} | values,
    )
    return str(text)


def _values(
    judgement: Judgement, part: Part, instance: Any, numbers: Numbers, asserted: Table
) -> tuple[str, dict[str, Any]]:
    """A template and what it is filled with; premises are those of rounds."""
    return "rounds.py.j2", _round_values(judgement, part, instance, numbers, asserted)


def _checked(text: str, name: str) -> str:
    before, _, rest = text.partition(QUOTED)
    lines = (before + rest.partition(UNQUOTED)[2] if rest else before).splitlines()
    widest, most = max(map(len, lines)), MOST_LINES + (_FOR_DRAWS if rest else 0)
    # numbers of a user's problem are on one line each, however many they are
    if len(lines) > most or (widest > WIDTH and not rest):
        raise FedboundsError(
            f"{name}: a script has {len(lines)} lines, the longest of {widest} "
            f"characters; expected at most {most} of at most {WIDTH}"
        )
    return text


def _own_constants(part: Part, numbers: Numbers, given: set[str]) -> dict[str, Any]:
    names = sorted(part.constants - given - {"t", "k"})
    return {IDENTIFIERS.get(name, name): numbers.constants[name] for name in names}


def _scalar_blocks(instance: Instance) -> tuple[np.ndarray, Any, list[Any]]:
    """Rows a, b, d, p, r of the clients, u and v at the start; an absent block is zero."""
    problem, start = instance.problem, instance.start
    if not isinstance(problem, FederatedQuadratic) or start is None:
        raise FedboundsError(f"{instance.name}: a script needs a quadratic and a start")
    widest = max(problem.shared_dimension, problem.personal_dimension)
    if widest > 1:
        raise FedboundsError(
            f"{instance.name} has a block of dimension {widest}; scripts are written for "
            "at most one coordinate a block"
        )
    n, d_u = problem.clients, problem.shared_dimension
    size = d_u + problem.personal_dimension
    at = range(size) if d_u else [1]
    hessian = np.full((n, 2, 2), fmpq(0), dtype=object)
    linear = np.full((n, 2), fmpq(0), dtype=object)
    hessian[np.ix_(range(n), at, at)] = problem.hessian
    linear[:, at] = problem.linear
    blocks = [hessian[:, 0, 0], hessian[:, 0, 1], hessian[:, 1, 1], linear[:, 0], linear[:, 1]]
    u = start.u[0] if d_u else fmpq(0)
    v = [row[0] for row in start.v] if problem.personal_dimension else [fmpq(0)] * n
    return np.stack(blocks, axis=1), u, v


def _steps_and_noise(instance: Instance) -> dict[str, Any]:
    problem, algorithm = instance.problem, instance.algorithm
    assert isinstance(problem, FederatedQuadratic)
    assert isinstance(algorithm, FedAvgP)
    return {
        "gamma_u": algorithm.inner_step_u,
        "gamma_v": algorithm.inner_step_v,
        "eta_u": algorithm.outer_step_u,
        "eta_v": algorithm.outer_step_v,
        "noise_u": problem.noise.scale_u * problem.shared_dimension,
        "noise_v": problem.noise.scale_v * problem.personal_dimension,
    }


def _round_values(
    judgement: Judgement, part: Part, instance: Instance, numbers: Numbers, asserted: Table
) -> dict[str, Any]:
    problem, algorithm = instance.problem, instance.algorithm
    scaffold = type(algorithm) is ScaffoldP
    if not (scaffold or type(algorithm) is FedAvgP) or instance.method is not Method.RATIONAL:
        raise FedboundsError(f"{instance.name}: no script for {instance.algorithm_name}")
    assert isinstance(algorithm, FedAvgP)
    if not part.quantities <= known(scaffold) or _shifts_steps(part):
        raise FedboundsError(f"{judgement.claim.id}: no script for some of its quantities")
    rows, u, v = _scalar_blocks(instance)
    assert isinstance(problem, FederatedQuadratic)
    outcome = judgement.deciding
    # the last round whose start is looked at, and how many rounds are walked through
    last = max([0, *_rounds(part, outcome.at, instance.rounds)])
    moved = [at + 1 for at in _rounds(part, outcome.at, instance.rounds, WALK | MEMORY_WALK)]
    walks = max([last, *moved, *_rounds(part, outcome.at, instance.rounds, LATER)])
    shape = (problem.clients, algorithm.participants, algorithm.local_steps)
    if outcomes(type(algorithm), *shape, walks, problem.noise) > MOST_OUTCOMES:
        raise FedboundsError(f"{instance.name}: too many outcomes to enumerate in a script")
    place = {"i": outcome.client or 0, "k": outcome.step or 0}
    moving = walk_lines(part.quantities, place)
    steps = _steps_and_noise(instance)
    noisy = any(steps[name] != 0 for name in ("noise_u", "noise_v"))
    noted = bool(part.constants & NOISE) or Assumption.NOISE in part.assumptions
    if not (noisy or noted):
        steps = {name: steps[name] for name in _STEPS}
    remembered = MEMORY.keys() | MEMORY_WALK.keys() | LATER.keys()
    memory = scaffold and (noisy or bool(part.quantities & remembered))
    pulled = "c_" if memory and walks else ""
    standing = state_lines(part.quantities, " ".join([pulled, *moving]), place)
    text = " ".join([*standing, *moving, str(part.left), str(part.right)])
    used = set(part.constants) | ({"gamma"} if re.search(r"\bgamma\b", text) else set())
    parameters = _own_constants(part, numbers, {*COUNTS, *_STEPS, *COMPUTED})
    bounded = problem.infimum() is not None
    if "infimum" in text and not bounded:
        parameters["infimum"] = 0
    clients = "; ".join(" ".join(map(str, [*row, x])) for row, x in zip(rows, v, strict=True))
    return {
        "n": shape[0],
        "m": shape[1],
        "K": shape[2],
        "T": instance.rounds,
        "scaffold": scaffold,
        "clients": table("F", clients, '[[Q(x) for x in row.split()] for row in {}.split(";")]'),
        "noisy": noisy,
        "steps": assigned(steps | {"u": u}),
        "parameters": assigned(parameters) if parameters else "",
        "premises": of_quadratics(part, used, "infimum" in text and bounded, asserted),
        "silent": "noise_u, noise_v" if "noise_u" in steps else "0, 0",
        "last": max(last, walks - 1),
        "walks": walks,
        "sets": "sets" in text,
        "state": "u, v, past" if memory else "u, v, c_" if scaffold else "u, v",
        "memory": memory,
        "names": sorted(part.quantities),
        "state_lines": joined(standing, 8),
        "walk_lines": joined(moving, 12),
        "t": outcome.at,
    }


def _expressions(part: Part) -> list[Any]:
    """Both sides, and those of the conditions."""
    return [part.left, part.right, *(side for c in part.conditions for side in (c.left, c.right))]


def _atoms(part: Part) -> set[Any]:
    return set(part.left.atoms(AppliedUndef)) | set(part.right.atoms(AppliedUndef))


def _shifts_steps(part: Part) -> bool:
    return any(len(atom.args) == 2 and atom.args[1] != k for atom in _atoms(part))


def _rounds(part: Part, at: int | None, rounds: int, names: Any = None) -> list[int]:
    """The rounds in which (these) quantities of a statement are needed."""
    found = []
    whole = [x for side in (part.left, part.right) for x in side.atoms(RunOperator)]
    for atom in _atoms(part):
        if names is not None and atom.func.__name__ not in names:
            continue
        when = atom.args[0]
        if when == T or when.is_Integer:
            found.append(rounds if when == T else int(when))
        if any(atom in x.atoms(AppliedUndef) for x in whole):
            found.append(rounds - 1 + int(when - t) if when.has(t) else 0)
        elif when.has(t) and at is not None:
            found.append(at + int(when - t))
    return found
