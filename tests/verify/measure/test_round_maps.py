"""The map of a round: what is skipped is zero, and a shift of the centre changes no moment."""

from flint import fmpq
from traced_runs import partial_training

from fedbounds.algorithms.traced import Algorithm
from fedbounds.own import quadratic
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.many_rounds import in_rationals, rounds_of, traced
from fedbounds.verify.measure.round_maps import by_source, flat
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unknowns import Unknown, Variables
from fedbounds.verify.measure.whole_rounds import round_maps


def _draw(random, problem, p):
    return {
        "present": random.participants(3, 2),
        "kept": random.bernoulli(fmpq(2, 3), 3, 2),
        "signs": random.signs(3, 2),
        "noise": random.noise(problem, 1),
    }


def _step(problem, p, state, drawn):
    x = state["x"]
    gradients = problem.gradient(x) + drawn["noise"][:, :, 0] * drawn["signs"]
    weights = drawn["present"][:, :, None] * drawn["kept"] * (1 + drawn["signs"])
    return {"x": x - p["eta"] * (weights * gradients).sum(axis=1)}


def _subject(**changing):
    hessians = [[[2, 1], [1, 2]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]]
    problem, start = quadratic(hessians, [[1, 2], [0, -1], [3, 1]], [4, -3], fmpq(1, 2))
    algorithm = Algorithm(lambda problem, start: {"x": start}, _draw, _step, "with everything")
    return Subject(algorithm, Clients(problem), start, {"eta": fmpq(1, 7)}, 3, changing=changing)


def test_products_of_lone_entries_of_mean_0_are_zero(monkeypatch):
    """With none of them skipped the map is the same; planted: with all skipped it is another."""
    trace = traced(_subject())
    found = round_maps(trace)
    count = len(trace.variables.centred)
    assert 0 < sum(trace.variables.centred) < count
    for centred, same in ((False, True), (True, False)):
        monkeypatch.setattr(Variables, "centred", (centred,) * count)
        assert (round_maps(traced(_subject())) == found) is same


def test_polynomials_of_degree_one_are_read_as_any_other(monkeypatch):
    trace = traced(partial_training(tau=2))
    values, centre = flat(trace.after), (fmpq(1, 3), fmpq(-2))
    quick = [by_source(trace.variables, value, centre) for value in values]
    monkeypatch.setattr(Unknown, "affine", None)
    assert [by_source(trace.variables, value, centre) for value in values] == quick


def test_means_from_another_centre_are_the_same_means():
    subject = _subject(eta=lambda t: fmpq(1, 7 + t))
    trace = traced(subject)
    centre = (fmpq(1, 3), fmpq(-2, 7))
    plain, moved = (in_rationals(rounds_of(subject, trace, c)).means() for c in ((), centre))
    assert (plain == moved + centre).all()
