"""`check`: an own instance is judged, or refused with the reason and both sides."""

import pytest
from flint import fmpq
from personal_cases import alike, case, coupled, quadratics, run, sizes
from set_ups import vectors_case

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant
from fedbounds.problems import ConstantValue, FederatedQuadratic
from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import check, judge
from fedbounds.vocabulary import Provenance, Side, Verdict

THEOREM = claim("personalization/thm-3.7")


def here(gamma, problem=alike):
    own = problem(4, noise="1/5", law="gaussian")
    return case(run(own, sizes(2, 3, gamma, 2, 2), 20), name="mine")


INSIDE, OUTSIDE = here("1/96"), here("1/90")


def test_inside_the_conditions_there_is_a_verdict_with_both_sides():
    found = check(THEOREM, INSIDE)
    assert found.verdict is Verdict.NOT_VIOLATED
    assert 0 < found.deciding.left < found.deciding.right


def test_outside_is_an_error_that_shows_both_sides():
    with pytest.raises(
        FedboundsError, match=r"gamma <= 1/\(32\*K\*L\) fails: 0.0111111 against 0.0104"
    ):
        check(THEOREM, OUTSIDE)


def test_research_outside_is_measured_and_never_called_a_verdict():
    found = check(THEOREM, OUTSIDE, outside=True)
    assert found.verdict is Verdict.OUTSIDE
    assert found.deciding.left is not None
    assert "gamma" in found.deciding.reason


def test_an_assumption_that_fails_is_an_error_that_names_it():
    with pytest.raises(FedboundsError, match="bounded gradient dissimilarity: the deviation"):
        check(THEOREM, here("1/96", coupled))


@pytest.mark.parametrize(
    ("provenance", "side"),
    [(Provenance.ESTIMATE, Side.UPPER), (Provenance.CERTIFIED, Side.LOWER)],
)
def test_no_firm_verdict_rests_on_an_estimate_or_on_the_wrong_side(monkeypatch, provenance, side):
    original = FederatedQuadratic.constants

    def guessed(problem, start):
        found = original(problem, start)
        value = found[Constant.SMOOTHNESS].value
        return found | {Constant.SMOOTHNESS: ConstantValue(value, provenance, side)}

    monkeypatch.setattr(FederatedQuadratic, "constants", guessed)
    found = check(THEOREM, here("1/96"))
    assert found.verdict is Verdict.UNDECIDED
    assert found.deciding.reason.startswith(f"L is {provenance.value}, side {side.value}")


@pytest.mark.parametrize("floats", [True, False])
def test_more_participants_than_clients_is_an_error(floats):
    with pytest.raises(FedboundsError, match="participants m is 5; expected between 1 and n = 4"):
        measure(case(run(alike(4), sizes(5, 3, "1/96", 3, 2), 20), floats=floats))


@pytest.mark.parametrize("number", [0.3, float("nan"), float("inf")])
@pytest.mark.parametrize("where", ["problem", "start", "steps"])
def test_a_float_is_the_decimal_that_is_written_or_refused(where, number):
    """Rounding decided by sign would be a firm verdict on nothing."""

    def own(value):
        numbers = dict.fromkeys(("problem", "start", "steps"), "3/10") | {where: value}
        problem = quadratics([((1, 0), (0, numbers["problem"]))] * 2, [(1, 0), (-1, 0)])
        steps = sizes(2, 3, "1/96") | {"gamma_u": numbers["steps"]}
        return measure(case(run(problem, steps, 2, (numbers["start"], 1, 1)), floats=False)).numbers

    if number != 0.3:
        with pytest.raises(FedboundsError, match="expected a rational number"):
            own(number)
        return
    found, meant = own(number), own("3/10")
    assert found.constants == meant.constants
    assert all(isinstance(x, fmpq) for x in found.series["f"])
    assert (found.series["f"] == meant.series["f"]).all()


def test_a_claim_about_another_algorithm_is_an_error():
    other = case(run(alike(), sizes(2, 2, "1/96"), 2), rule="Scaffold-P")
    for instance, name in ((vectors_case(), "participant mean"), (other, "Scaffold-P")):
        with pytest.raises(FedboundsError, match=f"about FedAvg-P; the instance runs {name}"):
            check(THEOREM, instance)
        assert judge([THEOREM], instance).judgements == ()
