"""Ladders of rolling masks against plain recursions; what all ladders of runs decide, and scripts."""

from fractions import Fraction as F
from itertools import permutations, product

import pytest
from stored_setups import alike, read_again

from fedbounds.algorithms import rolling_models
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.submodel.names import CAPACITY_LADDERS, ROUNDS_LADDERS, STEPS_LADDER
from fedbounds.theory.submodel.run_ladders import Cohort, over_stages_of_epochs, over_windows
from fedbounds.verify.decide.case import find, ladder_shown
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups.plan import ladder_case, planned
from fedbounds.vocabulary import Method, Verdict

EYE = ((1, 0), (0, 1))
PLANE = Cohort((EYE, EYE), ((3, -1), (-1, 3)), (2, 2), L=1)
HALVES = (EYE, EYE)


@pytest.fixture(autouse=True)
def _anew():
    of_setups.followed.cache_clear()
    yield
    of_setups.followed.cache_clear()


def fraction(x):
    return F(int(x.p), int(x.q))


# ---- in stages


def stages(first=56, count=3):
    return over_stages_of_epochs(PLANE, HALVES, 1, first, count)


def test_losses_of_stages_are_those_of_every_order():
    found = find(stages(1, 2)).series
    ends = [(F(1), [F(2), F(2)])]
    seen = []
    for stage in range(2):
        eta = F(1, 20 * 2**stage)
        for _ in range(2**stage):
            after = []
            for (p, w), order in product(ends, permutations(range(2))):
                v = list(w)
                for j in order:  # both clients train coordinate j, whose mean slope is 1
                    v[j] -= eta * (v[j] + 1)
                after.append((p / 2, v))
            ends = after
        seen.append(sum(p * sum((x + 1) ** 2 for x in w) / 2 for p, w in ends))
    assert [fraction(x) for x in found["F_r"]] == seen
    assert list(found["R_r"]) == [2, 6]


def judged_stages(ladder):
    case = ladder_case("one", ladder, floats=True)
    (judged, *_) = judge((claim("submodel/claim-rate"),), case).judgements
    return {outcome.part: outcome.verdict for outcome in judged.outcomes}


def test_stages_are_judged_where_the_first_is_long_enough():
    assert judged_stages(stages())["rolling"] is Verdict.NOT_VIOLATED
    assert judged_stages(stages())["random"] is Verdict.NOT_APPLICABLE
    assert judged_stages(stages(55))["rolling"] is Verdict.OUTSIDE


def test_a_server_that_forgets_a_client_breaks_the_rate(monkeypatch):
    """Runs then settle elsewhere than at w*(M), however small the steps are."""
    right = rolling_models.clients_mean
    monkeypatch.setattr(
        rolling_models, "clients_mean", lambda w, m, models, xp: right(w, m, models[:, :1], xp)
    )
    assert judged_stages(stages())["rolling"] is Verdict.VIOLATED


# ---- the capacity grows


def test_capacities_grow_and_all_runs_are_equally_long():
    with pytest.raises(FedboundsError, match="q is 1, 1/2; expected growing"):
        find(over_windows(PLANE, 1, 4, (2, 1)))
    short, long = over_windows(PLANE, 1, 4), over_windows(PLANE, 1, 8)
    mixed = type(short)("submodel", "over q", (short.setups[0], long.setups[1]))
    with pytest.raises(FedboundsError, match="of the rungs is .*expected one number"):
        find(mixed)


def test_the_data_of_ladders():
    grown = ladder_shown(over_windows(PLANE, 1, 4))
    assert (grown["parameter"], grown["values"], grown["fit"]) == ("q", [0.5, 1], None)
    assert set(grown["series"]) == {"L_r", "L_lim"}
    shown = ladder_shown(stages(3))
    assert (shown["parameter"], shown["values"]) == ("R", [6, 18, 42])
    assert set(shown["series"]) == {"F_r"}


# ---- what the plan decides


OURS = {*ROUNDS_LADDERS, *STEPS_LADDER, *CAPACITY_LADDERS}


def cases(profile):
    return [x for x in planned("submodel", "", profile) if x.algorithm_name in OURS]


def test_the_quick_plan_decides_every_part(quick_plan):
    broken, held = Verdict.VIOLATED, Verdict.NOT_VIOLATED
    firm = {}
    for row in quick_plan("submodel"):
        for part in row["parts"] if row["algorithm"] in OURS else ():
            seen = firm.setdefault((row["claim"][9:], part["part"]), set())
            seen |= {broken, held} & {part["verdict"]}
    assert firm == {
        ("claim-rate", "random"): {held},
        ("claim-rate", "rolling"): {held},
        ("claim-rate", "distance"): {held},
        ("claim-rate", "residual"): {held},
        # of runs of random masks, not of a ladder
        ("claim-K-speedup", "rate, tuned, 1/(8L)"): set(),
        ("claim-K-speedup", "rate, tuned, root"): set(),
        ("claim-K-speedup", "steps"): {broken},
        ("claim-capacity", "limit, ends, full gradients"): {held},
        ("claim-capacity", "limit, ends"): {broken, held},
        ("claim-capacity", "rounds, ends"): {broken, held},
        ("claim-capacity", "rounds"): {broken, held},
        ("claim-capacity", "limit"): {broken, held},
    }


def test_names_of_cases_are_unique():
    names = [case.name for case in cases(Profile.DEFAULT)]
    assert len(set(names)) == len(names)


def test_setups_survive_storage():
    for case in cases(Profile.QUICK):
        if case.method is not Method.RATIONAL:
            continue
        assert alike(read_again(case.setup, case.algorithm_name), case.setup)
