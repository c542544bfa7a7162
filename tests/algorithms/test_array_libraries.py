"""Every traced algorithm runs on every kind of array, and gives the same on equal draws.

On floats of NumPy, of array-api-strict and of CuPy, on exact rationals, and on polynomials.
"""

from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from each import each
from flint import fmpq
from special_case_oracles import KINDS, quadratic, starting
from traced_rounds import some

import fedbounds.algorithms
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import SILENT, FactorPairs, to_float, to_namespace
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.registry import besides, ladders, setups, views
from fedbounds.theory.language.setups import Setup, Shown
from fedbounds.verify.measure.clients import Clients, on_host
from fedbounds.verify.measure.contract import drawn_by, one_step, started
from fedbounds.verify.measure.enumerated import sources_of_init
from fedbounds.verify.measure.random import answered, sources_of
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import Refused, bare
from fedbounds.verify.measure.unrolled import unroll

ROWS = 3
CHOICE = {
    **{"calibration": 3, "initial": 1, "later": 2, "m": 1},
    **{"quiet": 1, "ratio": 2, "share": fmpq(1, 2), "latest": 1, "absolute": 1},
}
# what is looked at in points, or on all data sets, where clients are taken apart: on the host
ON_THE_HOST = ("points.", "points_over.", "coupled.")


@cache
def named():
    """Every algorithm of the package by module and name."""
    folder = Path(fedbounds.algorithms.__path__[0])
    modules = sorted(path.stem for path in folder.glob("*.py"))
    return {
        f"{module}.{name}": value
        for module in modules
        for name, value in vars(import_module(f"fedbounds.algorithms.{module}")).items()
        if isinstance(value, Algorithm) and name.isupper()
    }


def planned(theory):
    """Every set-up of a theory."""
    yield from (one.setup for one in setups(theory))
    yield from chain.from_iterable(one.ladder.setups for one in ladders(theory))
    yield from chain.from_iterable(one.beside.setups for one in besides(theory))


@cache
def subjects():
    """One of each algorithm: of a paper's set-up, or of the oracles' problem."""
    found = {}
    for theory in PAPERS:
        every = views(theory)
        for setup in planned(theory):
            assert isinstance(setup, Setup)
            view = every[setup.view]
            own = [view, *view.variants.values()]
            for one in own:
                if one.algorithm not in found:
                    found[one.algorithm] = subject_of(setup.run, one)
    for kind in KINDS.values():
        name = next(name for name, own in named().items() if own is kind.algorithm)
        if name not in found:
            problem = quadratic(3, *kind.blocks)
            values = kind.make(3, 2, 2)
            found[name] = Subject(kind.algorithm, Clients(problem), starting(problem), values, 2)
    for module in ("personal_averaging", "personal_scaffold"):
        own = found[f"{module}.SAMPLED"]
        found[f"{module}.BATCHES"] = replace(own, algorithm=named()[f"{module}.BATCHES"])
    many = views("personalization")["Scaffold-P, rounds of many clients"]
    name, seen = many.algorithm, found["personal_scaffold.OBSERVED"]
    found[name] = replace(seen, algorithm=named()[name], shown=many.shown)
    drawn, trained = found["scheduled_averaging.SAMPLED"], "scheduled_averaging.TRAINED"
    found.setdefault(trained, replace(drawn, algorithm=named()[trained], shown=Shown()))
    rounds = found["sparse_zeroth_order.WHOLE"]
    for name in (name for name in named() if name.startswith("virtual_path.")):
        found[name] = replace(rounds, algorithm=named()[name], shown=Shown())
    plain = "sparse_zeroth_order.PLAIN"
    found.setdefault(plain, replace(rounds, algorithm=named()[plain], shown=Shown()))
    stopped = found["sparse_zeroth_order.STOPPED"]
    for name in ("CALIBRATION", "CHOSEN", "FLAGS", "AT_RANDOM", "ANEW"):
        module, values = "early_stopped_rounds", {**stopped.values, **CHOICE}
        values["pretraining"] = tuple(range(1, stopped.problem.dimension + 1))
        own = named()[f"{module}.{name}"]
        found[f"{module}.{name}"] = replace(stopped, algorithm=own, values=values, shown=Shown())
    pairs = FactorPairs(quadratic(2, 4, 0, noise=SILENT), np.array([fmpq(1)] * 4), 2, 1, fmpq(3))
    values = {"mask": (1,) * 4, "eta": fmpq(1, 9), "epsilon": fmpq(1, 2), "K": 1, "own": 0}
    lora = Subject(
        named()["virtual_path.VIRTUAL"], Clients(pairs), pairs.start([[2, -1]]), values, 2
    )
    found["virtual_path.VIRTUAL on factor pairs"] = lora
    masks = found["sub_models.RANDOM"]
    kept = tuple((1,) * masks.problem.dimension for _ in range(int(masks.problem.clients)))
    for name in ("sub_models.STATIC", "sub_models.OVER_HOLDERS"):
        values = {x: masks.values[x] for x in ("K", "eta")} | {"masks": kept}
        if name not in found:
            found[name] = replace(masks, algorithm=named()[name], values=values)
    return found


def cases():
    return [name for name in subjects() if not name.startswith(ON_THE_HOST)]


def test_every_algorithm_is_looked_at():
    left = named().keys() - subjects().keys()
    assert {name for name in left if not name.startswith(ON_THE_HOST)} == set()
    assert len(cases()) >= 47


# ---- array libraries, on equal draws


def in_floats(subject):
    problem = Clients(to_float(subject.problem.objective))
    return replace(subject, problem=problem, start=to_floats(subject.start))


def moved(subject, xp):
    """The problem on another library; its parameters are moved where they are asked for."""
    objective = to_namespace(subject.problem.objective, xp)
    return replace(subject, problem=Clients(objective, xp))


def rounds(subject, xp=np):
    """States, and what is shown, of two rounds at most; draws are made on the host."""
    floats, rng = in_floats(subject), np.random.default_rng(0)
    own = floats if xp is np else moved(floats, xp)

    def there(arrays):
        return arrays if xp is np else [xp.asarray(array) for array in arrays]

    asked, p = sources_of_init(floats), own.parameters()
    (start,) = there([np.repeat(floats.start[None], ROWS, axis=0)])
    state = answered(
        lambda random: started(own.algorithm, own.problem, start, random, p),
        asked, there(some(asked, rng, ROWS, exact=False)),
    )  # fmt: skip
    found = [state]
    for t in range(min(2, own.rounds)):
        host, p = floats.parameters(t), own.parameters(t)
        sources = sources_of(
            lambda random, host=host: drawn_by(floats.algorithm, random, floats.problem, host),
            exact=False,
        )
        answers = there(some(sources, rng, ROWS, exact=False))
        drawn = answered(
            lambda random, p=p: drawn_by(own.algorithm, random, own.problem, p), sources, answers
        )
        state, shown = one_step(own.algorithm, own.problem, p, state, drawn)
        found += [state, shown]
    return found


def agree(found, wanted, kind):
    for one, other in zip(found, wanted, strict=True):
        assert one.keys() == other.keys()
        for name, array in one.items():
            assert isinstance(array, kind), name
            np.testing.assert_allclose(on_host(array), other[name], rtol=1e-9, atol=1e-9)


@each("name", cases)
def test_the_strict_array_library_gives_the_same(name):
    import array_api_strict as strict

    subject = subjects()[name]
    agree(rounds(subject, strict), rounds(subject), type(strict.zeros(1)))


@pytest.mark.gpu
def test_cupy_gives_the_same():
    import cupy

    for name in cases():
        agree(rounds(subjects()[name], cupy), rounds(subjects()[name]), cupy.ndarray)


# ---- rationals and polynomials


def one_round(subject, rng):
    """A state, answers to a round's calls, and what the step makes of them, in rationals."""
    asked, p = sources_of_init(subject), subject.parameters()
    start = np.repeat(subject.start[None], 1, axis=0)
    state = answered(
        lambda random: started(subject.algorithm, subject.problem, start, random, p),
        asked, some(asked, rng, 1),
    )  # fmt: skip

    def draw(random):
        return drawn_by(subject.algorithm, random, subject.problem, p)

    return state, draw, sources_of(draw, exact=True)


@each("name", cases)
def test_rationals_are_what_floats_round(name):
    subject, rng = subjects()[name], np.random.default_rng(1)
    if subject.problem.irrational:
        return  # balls: `tests/verify/personalization/test_cosines.py`
    state, draw, sources = one_round(subject, rng)
    answers = some(sources, rng, 1)
    p, floats = subject.parameters(), in_floats(subject)
    after, _ = one_step(
        subject.algorithm, subject.problem, p, state, answered(draw, sources, answers)
    )
    rounded = {x: y.astype(float) if y.dtype == object else y for x, y in state.items()}
    again = [y.astype(float) if y.dtype == object else y for y in answers]
    own = floats.parameters()

    def draw_floats(random):
        return drawn_by(subject.algorithm, random, floats.problem, own)

    drawn = answered(draw_floats, sources_of(draw_floats, exact=False), again)
    found, _ = one_step(subject.algorithm, floats.problem, own, rounded, drawn)
    for field, array in after.items():
        wanted = array.astype(float)
        np.testing.assert_allclose(found[field], wanted, rtol=1e-9, atol=1e-9)


def evaluated(entry, point):
    value = bare(entry)
    return value(*point) if hasattr(value, "to_dict") else value


@cache
def polynomials(name):
    """Whether the polynomials of a round are its numbers; why not, where they are refused."""
    subject, rng = subjects()[name], np.random.default_rng(2)
    subject = replace(subject, algorithm=replace(subject.algorithm, stages=None))  # a whole round
    state, draw, sources = one_round(subject, rng)
    try:
        found = unroll(subject, {x: (1, *y.shape[1:]) for x, y in state.items()})
    except Refused as error:
        return str(error)
    listed = iter(found.listed.answers)
    answers = [
        next(listed)[:1] if number is None else some([source], rng, 1)[0]
        for source, number in zip(sources, found.numbers, strict=True)
    ]
    free = [x for x, number in zip(answers, found.numbers, strict=True) if number is not None]
    point = [fmpq(x) for own in (*state.values(), *free) for x in own.reshape(-1)]
    after, _ = one_step(
        subject.algorithm, subject.problem, subject.parameters(), state,
        answered(draw, sources, answers),
    )  # fmt: skip
    for field, array in after.items():
        values = [evaluated(x, point) for x in found.after[field][0].reshape(-1)]
        assert values == array[0].reshape(-1).tolist(), field
    return ""


@each("name", cases)
def test_polynomials_are_the_numbers_that_they_stand_for(name):
    assert not (why := polynomials(name)) or any(word in why for word in ("compares", "balls"))


def test_projections_kinks_and_balls_alone_have_no_polynomials():
    refused = {name for name in cases() if polynomials(name)}
    both = ("personal_averaging", "personal_scaffold")
    sampled = {f"{module}.{name}" for module in both for name in ("SAMPLED", "BATCHES")}
    sampled |= {"minibatch_steps.SCORED"}
    boxed = {"sub_models.IN_BOX", "sub_models.GAPS"}
    boxed |= {f"rolling_models.{name}" for name in ("IN_BOX", "EACH_PROJECTED", "GAPS")}
    boxed |= {"rolling_ends.PROJECTED", "rolling_ends.EACH_PROJECTED"}
    kinked = {"relu_averaging.ROUNDS", "relu_averaging.SAMPLED"}
    assert refused == sampled | boxed | kinked
