"""A stored instance is read back as the same instance; anything else is refused by name."""

import copy
import json

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from personal_cases import VIEWS, case, quadratics, run, sizes
from set_ups import choice, vectors_case
from stored_documents import documents

from fedbounds.errors import FedboundsError
from fedbounds.problems import NoiseLaw
from fedbounds.theory.language.registry import setups
from fedbounds.theory.personalization.setups import PLANNED
from fedbounds.verify.decide.measurement import fingerprint, measure
from fedbounds.verify.results.records import dumps
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.plan import case_of

fraction = st.fractions(-100, 100, max_denominator=1000)
above_zero = st.fractions(min_value="1/1000", max_value=100, max_denominator=1000)


@st.composite
def instances(draw):
    """Random quadratics in rationals; blocks may be absent."""
    n = draw(st.integers(1, 2))
    d_u, d_v = draw(st.sampled_from([(1, 1), (2, 0), (0, 2), (0, 1), (1, 0)]))
    d = d_u + d_v

    def rows(*shape):
        if not shape:
            return draw(fraction)
        return [rows(*shape[1:]) for _ in range(shape[0])]

    half = [rows(d, d) for _ in range(n)]
    hessians = [[[one[a][b] + one[b][a] for b in range(d)] for a in range(d)] for one in half]
    noise = {
        "noise": draw(above_zero) if d_u else 0,
        "personal_noise": draw(above_zero) if d_v else 0,
    }
    problem = quadratics(hessians, rows(n, d), personal=d_v, law=draw(st.sampled_from(NoiseLaw)).value,
                         **noise)  # fmt: skip
    parameters = {"cohort": draw(st.integers(1, n)), "K": draw(st.integers(1, 2))}
    parameters |= {x: draw(above_zero) for x in ("gamma_u", "gamma_v", "eta_u", "eta_v")}
    own = run(problem, parameters, draw(st.integers(1, 4)), rows(d_u + n * d_v))
    return case(own, rule=draw(st.sampled_from(["FedAvg-P", "Scaffold-P"])), floats=False)


@settings(max_examples=20)
@given(instances())
def test_an_instance_survives_a_round_trip_through_text(instance):
    again = from_data(json.loads(json.dumps(to_data(instance))))
    assert fingerprint(again.setup) == fingerprint(instance.setup)
    assert again.algorithm_name == instance.algorithm_name


def test_the_fingerprint_would_show_a_lost_digit():
    data = stored()
    put(data, ("data", "slopes", 0, 0), "1000000000000000000001/1000000000000000000000")
    assert fingerprint(from_data(data)) != fingerprint(from_data(stored()))


def test_what_is_read_back_measures_the_same():
    small = [
        one for one in PLANNED if one.judged and one.quick and one.setup.view in VIEWS.values()
    ]
    every = [*(case_of(one, "") for one in small[:6]), vectors_case(), choice(K=3, j=2)]
    assert len(every) == 8
    for instance in every:
        again = from_data(to_data(instance))
        before, after = measure(instance).numbers, measure(again).numbers
        assert before.constants == after.constants
        for name, series in before.series.items():
            assert (series == after.series[name]).all()


def test_every_number_is_stored_exactly_as_text():
    text = json.dumps(stored())
    assert '"1/3"' in text
    assert "." not in text.replace("fedbounds.theory.language.setups", "")


def test_only_what_is_exact_is_stored():
    with pytest.raises(FedboundsError, match=r"here: only what is in rationals .* exactly"):
        to_data(quadratic(floats=True))
    planned = next(one for one in setups("personalization") if one.name.startswith("cosines"))
    with pytest.raises(FedboundsError, match=r"cosines.*exactly"):
        to_data(case_of(planned, ""))


# ---- what is refused


def quadratic(*, floats=False):
    problem = quadratics(
        [((2, 1), (1, 2)), ((1, 0), (0, "1/3"))], [(1, 2), (-1, 1)], noise=1, personal_noise="1/2"
    )
    return case(run(problem, sizes(1, 2, "1/64", 2, 1), 3, (1, 1, 2)), floats=floats)


def stored():
    return json.loads(json.dumps(to_data(quadratic())))


def put(data, path, value):
    """Change one number of a stored set-up, by where it stands in the run."""
    of_run = data["setup"]["fields"]["run"]["fields"]
    first, *rest = path
    places = {"data": of_run["problem"]["fields"]["data"], "parameters": of_run["parameters"]}
    if first in ("family", "algorithm"):
        data[first] = value
        return
    if first == "problem":
        of_run["problem"]["fields"]["family"] = value
        return
    if first == "rounds":
        of_run["rounds"] = value
        return
    if first == "start":
        inside, where = of_run, "start"
    else:
        every = places[first]["tuple"]
        inside = next(one["tuple"] for one in every if one["tuple"][0] == rest[0])
        where, rest = 1, rest[1:]
    for at in rest:
        inside, where = inside[where]["tuple"], at
    inside[where] = value


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
    whole = stored()
    for path in keys(whole):
        data = copy.deepcopy(whole)
        del inside(data, path[:-1])[path[-1]]
        own = path[-1] not in ("type", "fields", "tuple")  # of the notation
        with pytest.raises(FedboundsError, match=path[-1] if own else None) as refused:
            from_data(data)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("data", [None, [], "text", 3, {}])
def test_what_is_no_object_of_ours_is_refused(data):
    with pytest.raises(FedboundsError, match="'family'"):
        from_data(data)


NOT_NUMBERS = ["x/0", "1/0", "abc", "nan", "NaN", "inf", "", "1/2/3", "0.5", float("nan"),
               float("inf"), None, [], {}]  # fmt: skip
PLACES = [("data", "hessians", 0, 0, 0), ("data", "slopes", 1, 1), ("data", "noise"),
          ("start", 0), ("start", 2), ("parameters", "gamma_u"), ("parameters", "eta_v")]  # fmt: skip


@each("path", PLACES)
@each("value", NOT_NUMBERS)
def test_what_is_no_number_is_refused_with_its_place(path, value):
    data = stored()
    put(data, path, value)
    place = next(key for key in reversed(path) if isinstance(key, str))
    with pytest.raises(FedboundsError, match=place):
        from_data(data)


def t(*entries):
    """As data."""
    return {"tuple": [t(*x) if isinstance(x, tuple) else x for x in entries]}


# path, value, words of the message
INVALID = [
    (("family",), "Cubic", ["'Cubic'", "Case"]),
    (("algorithm",), "FedProx", ["'FedProx'", "FedAvg-P"]),
    (("algorithm",), "Scaffold-P", ["'Scaffold-P'", "FedAvg-P"]),
    (("problem",), "cubics", ["'cubics'", "quadratics"]),
    (("data", "law"), "cauchy", ["'cauchy'", "rademacher"]),
    (("parameters", "cohort"), 3, ["cohort", "3", "n = 2"]),
    (("parameters", "cohort"), 0, ["cohort", "0"]),
    (("parameters", "cohort"), "x", ["cohort", "'x'"]),
    (("parameters", "cohort"), 1.5, ["cohort", "1.5"]),
    (("parameters", "cohort"), True, ["cohort", "True"]),
    (("parameters", "K"), 0, ["K", "0", "at least 1"]),
    (("parameters", "K"), "two", ["K", "'two'"]),
    (("rounds",), 0, ["rounds", "0", "at least 1"]),
    (("rounds",), -1, ["rounds", "-1"]),
    (("parameters", "gamma_u"), 0, ["gamma_u", "0", "> 0"]),
    (("parameters", "eta_v"), "-1/2", ["eta_v", "-1/2", "> 0"]),
    (("data", "personal_noise"), -1, ["personal_noise", "-1", ">= 0"]),
    (("data", "hessians", 0, 0, 1), 5, ["client 0", "not symmetric", "5", "1"]),
    (("data", "hessians"), t((1,)), ["hessian"]),
    (("data", "hessians"), 1, ["hessian"]),
    (("data", "hessians", 0), t((1,)), ["hessian"]),
    (("data", "hessians"), t(), ["hessian"]),
    (("data", "hessians"), t(((1, 2),), ((1, 2),)), ["hessian"]),
    (("data", "slopes"), t((1, 2)), ["slopes"]),
    (("data", "slopes"), t(1, 2), ["slopes"]),
    (("data", "personal"), 3, ["personal", "3"]),
    (("data", "personal"), -1, ["personal", "-1", "at least 0"]),
    (("data", "personal"), 2, ["start"]),
    (("data", "personal"), 0, ["start"]),
    (("data", "personal"), "x", ["personal", "'x'"]),
    (("start",), t(), ["start"]),
    (("start", 0), t(1), ["start"]),
]


@pytest.mark.parametrize(
    ("path", "value", "words"), INVALID, ids=[f"{'.'.join(map(str, c[0]))}={c[1]}" for c in INVALID]
)
def test_an_invalid_instance_is_refused_in_words(path, value, words):
    data = stored()
    if path == ("data", "law"):
        of_run = data["setup"]["fields"]["run"]["fields"]
        of_run["problem"]["fields"]["data"]["tuple"].append(t("law", value))
    elif path == ("start",):
        data["setup"]["fields"]["run"]["fields"]["start"] = value
    else:
        put(data, path, value)
    with pytest.raises(FedboundsError) as refused:
        from_data(data)
    message = str(refused.value)
    assert [word for word in words if word not in message] == []
    assert "\n" not in message


def test_nothing_that_is_read_is_run_as_code():
    """A number is parsed, never evaluated."""
    data = stored()
    put(data, ("data", "slopes", 0, 0), "__import__('os').getcwd()")
    with pytest.raises(FedboundsError, match="slopes"):
        from_data(data)


def test_an_instance_is_the_same_whatever_the_order_of_its_fields():
    """A record that was stored has them sorted; a second run must find the witness of the first."""
    for name, data in documents().items():
        instance = data["instance"]
        stored = json.loads(dumps(instance))
        assert fingerprint(from_data(instance)) == fingerprint(from_data(stored)), name
