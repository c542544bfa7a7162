"""A stored instance is read back as the same instance; anything else is refused by name."""

import copy
import json
from itertools import islice

import numpy as np
import pytest
from each import each
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from rational_runs import rational_instances
from set_ups import choice, vectors_case
from stored_documents import documents

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
)
from fedbounds.verify.instance import Instance
from fedbounds.verify.instance_file import from_data, to_data
from fedbounds.verify.measurement import fingerprint, measure
from fedbounds.verify.records import dumps
from fedbounds.vocabulary import Method

fraction = st.fractions(-100, 100, max_denominator=1000).map(
    lambda x: fmpq(x.numerator, x.denominator)
)
above_zero = st.fractions(min_value="1/1000", max_value=100, max_denominator=1000).map(
    lambda x: fmpq(x.numerator, x.denominator)
)


def objects(shape, numbers):
    out = np.empty(shape, dtype=object)
    out.reshape(-1)[:] = numbers
    return out


@st.composite
def instances(draw):
    """Random rational instances; blocks may be absent."""
    n = draw(st.integers(1, 3))
    m = draw(st.integers(1, n))

    def array(*shape):
        size = int(np.prod(shape))
        return objects(shape, draw(st.lists(fraction, min_size=size, max_size=size)))

    d_u, d_v = draw(st.sampled_from([(1, 1), (2, 1), (1, 2), (0, 2), (2, 0)]))
    half = array(n, d_u + d_v, d_u + d_v)
    law = draw(st.sampled_from(NoiseLaw))
    noise = Noise(law, *draw(st.lists(above_zero, min_size=2, max_size=2)))
    problem = FederatedQuadratic(half + half.transpose(0, 2, 1), array(n, d_u + d_v), d_u, noise)
    steps = draw(st.lists(above_zero, min_size=4, max_size=4))
    return Instance(
        "replay", problem, FedAvgP(m, draw(st.integers(1, 4)), *steps), draw(st.integers(1, 9)),
        Method.RATIONAL, Start(array(d_u), array(n, d_v)),
    )  # fmt: skip


@given(instances())
def test_an_instance_survives_a_round_trip_through_text(instance):
    again = from_data(json.loads(json.dumps(to_data(instance))))
    assert fingerprint(again) == fingerprint(instance)


def test_the_fingerprint_would_show_a_lost_digit():
    data = to_data(QUADRATIC)
    data["linear"][0][0] = "1000000000000000000001/1000000000000000000000"
    assert fingerprint(from_data(data)) != fingerprint(from_data(to_data(QUADRATIC)))


def test_what_is_read_back_measures_the_same():
    every = [*islice(rational_instances(FedAvgP), 6), vectors_case(), choice(K=3, j=2)]
    for instance in every:
        again = from_data(to_data(instance))
        before, after = measure(instance).numbers, measure(again).numbers
        assert before.constants == after.constants
        for name, series in before.series.items():
            assert (series == after.series[name]).all()


def test_every_number_is_stored_exactly_as_text():
    text = json.dumps(to_data(QUADRATIC))
    assert '"1/3"' in text
    assert "." not in text.replace("FederatedQuadratic", "")


def test_only_what_is_exact_is_stored():
    cosine = coupled_cosine(clients=2, shared_dimension=1, personal_dimension=1)
    start = Start(np.ones(1), np.ones((2, 1)))
    instance = Instance(
        "cosine 1", cosine, with_effective_step(1, 1, 0.1), 1, Method.ENUMERATION, start
    )
    with pytest.raises(FedboundsError, match=r"cosine 1.*exactly"):
        to_data(instance)


def test_floats_are_stored_as_the_rationals_they_are():
    hessian = np.array([[[0.1, 0.0], [0.0, 1.0]]])
    problem = FederatedQuadratic(hessian, np.zeros((1, 2)), 1)
    start = Start(np.ones(1), np.ones((1, 1)))
    instance = Instance("floats", problem, with_effective_step(1, 1, 0.5), 1, Method.MOMENTS, start)
    again = from_data(to_data(instance))
    assert float(again.problem.hessian[0, 0, 0]) == 0.1
    assert again.problem.hessian[0, 0, 0] != fmpq(1, 10)


# ---- what is refused


def quadratic():
    one, two = fmpq(1), fmpq(2)
    hessian = objects((2, 2, 2), [two, one, one, two, one, 0 * one, 0 * one, fmpq(1, 3)])
    problem = FederatedQuadratic(
        hessian, objects((2, 2), [one, two, -one, one]), 1,
        Noise(NoiseLaw.RADEMACHER, one, fmpq(1, 2)),
    )  # fmt: skip
    start = Start(objects(1, [one]), objects((2, 1), [one, two]))
    return Instance(
        "replay", problem, with_effective_step(1, 2, fmpq(1, 64), two, one), 3, Method.RATIONAL,
        start,
    )  # fmt: skip


QUADRATIC = quadratic()


def keys(data, above=()):
    for key, value in data.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from keys(value, (*above, key))


def inside(data, path):
    for key in path:
        data = data[key]
    return data


def test_every_key_is_needed_and_missed_by_name():
    whole = to_data(QUADRATIC)
    for path in keys(whole):
        data = copy.deepcopy(whole)
        del inside(data, path[:-1])[path[-1]]
        with pytest.raises(FedboundsError, match=f"'{path[-1]}'"):
            from_data(data)


@pytest.mark.parametrize("data", [None, [], "text", 3, {}])
def test_what_is_no_object_of_ours_is_refused(data):
    with pytest.raises(FedboundsError, match="'family'"):
        from_data(data)


NOT_NUMBERS = ["x/0", "1/0", "abc", "nan", "NaN", "inf", "", "1/2/3", "0.5", float("nan"),
               float("inf"), None, [], {}]  # fmt: skip
PLACES = [("hessian", 0, 0, 0), ("linear", 1, 1), ("noise", "scale_u"), ("start", "u", 0),
          ("start", "v", 1, 0), ("inner_step_u",), ("outer_step_v",)]  # fmt: skip


@each("path", PLACES)
@each("value", NOT_NUMBERS)
def test_what_is_no_number_is_refused_with_its_place(path, value):
    data = to_data(QUADRATIC)
    inside(data, path[:-1])[path[-1]] = value
    place = next(key for key in reversed(path) if isinstance(key, str))
    with pytest.raises(FedboundsError, match=place):
        from_data(data)


# path, value, words of the message
INVALID = [
    (("family",), "Cubic", ["'Cubic'", "FederatedQuadratic"]),
    (("noise", "law"), "cauchy", ["'cauchy'", "rademacher"]),
    (("participants",), 3, ["participants", "3", "n = 2"]),
    (("participants",), 0, ["participants", "0", "at least 1"]),
    (("participants",), "1", ["participants", "'1'", "an integer"]),
    (("participants",), 1.0, ["participants", "1.0", "an integer"]),
    (("participants",), True, ["participants", "True", "an integer"]),
    (("local_steps",), 0, ["local_steps", "0", "at least 1"]),
    (("local_steps",), "two", ["local_steps", "'two'"]),
    (("rounds",), 0, ["rounds", "0", "at least 1"]),
    (("rounds",), -1, ["rounds", "-1"]),
    (("inner_step_u",), "0", ["inner_step_u", "0", "> 0"]),
    (("outer_step_v",), "-1/2", ["outer_step_v", "-1/2", "> 0"]),
    (("noise", "scale_v"), "-1", ["scale_v", "-1", ">= 0"]),
    (("hessian", 0, 0, 1), "5", ["client 0", "not symmetric", "5", "1"]),
    (("hessian",), [["1"]], ["hessian", "2 dimensions", "3"]),
    (("hessian",), "1", ["hessian", "0 dimensions", "3"]),
    (("hessian", 0), [["1"]], ["hessian"]),
    (("hessian",), [], ["hessian"]),
    (("hessian",), [[["1", "2"]], [["1", "2"]]], ["hessian", "(2, 1, 2)", "d = 1"]),
    (("linear",), [["1", "2"]], ["linear", "(1, 2)"]),
    (("linear",), ["1", "2"], ["linear", "1 dimensions", "2"]),
    (("shared_dimension",), 3, ["shared_dimension", "3", "at most d = 2"]),
    (("shared_dimension",), -1, ["shared_dimension", "-1", "at least 0"]),
    (("shared_dimension",), 2, ["start"]),
    (("shared_dimension",), 0, ["start"]),
    (("shared_dimension",), "1", ["shared_dimension", "'1'", "an integer"]),
    (("start", "u"), ["1", "2"], ["start"]),
    (("start", "u"), [], ["start"]),
    (("start", "u"), [["1"]], ["u", "2 dimensions"]),
    (("start", "v"), [["1"]], ["start"]),
    (("start", "v"), [["1"], ["2"], ["3"]], ["start"]),
    (("start", "v"), [["1", "2"], ["3", "4"]], ["start"]),
]


@pytest.mark.parametrize(
    ("path", "value", "words"), INVALID, ids=[f"{'.'.join(map(str, c[0]))}={c[1]}" for c in INVALID]
)
def test_an_invalid_instance_is_refused_in_words(path, value, words):
    data = to_data(QUADRATIC)
    inside(data, path[:-1])[path[-1]] = value
    with pytest.raises(FedboundsError) as refused:
        from_data(data)
    message = str(refused.value)
    assert [word for word in words if word not in message] == []
    assert "\n" not in message


def test_nothing_that_is_read_is_run_as_code():
    """A number is parsed, never evaluated."""
    data = to_data(QUADRATIC) | {"linear": [["__import__('os').getcwd()", "1"], ["1", "1"]]}
    with pytest.raises(FedboundsError, match="linear"):
        from_data(data)


def test_an_instance_is_the_same_whatever_the_order_of_its_fields():
    """A record that was stored has them sorted; a second run must find the witness of the first."""
    for name, data in documents().items():
        instance = data["instance"]
        stored = json.loads(dumps(instance))
        assert fingerprint(from_data(instance)) == fingerprint(from_data(stored)), name
