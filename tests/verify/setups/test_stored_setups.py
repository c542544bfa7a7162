"""The description of stored set-ups fits the classes, and lets through what the suite writes."""

import json
import re
from dataclasses import fields, replace
from itertools import chain

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.beside import Beside
from fedbounds.theory.language.choices import Choice
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Ladder, Run, Setup
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide import case
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.plan import own_cases, quick_cases
from fedbounds.verify.measure import moments
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.found import InFloats, Named
from fedbounds.verify.setups.instance_file import from_data, stored_setups, to_data
from fedbounds.verify.setups.rungs import LadderInFloats
from fedbounds.verify.setups.sampled import InSamples
from fedbounds.verify.setups.stored import stored
from fedbounds.verify.setups.stored_fields import (
    Either,
    Known,
    Listed,
    Maybe,
    Number,
    Record,
)
from fedbounds.verify.setups.stored_work import MOST_WORK, Cost, check, power
from fedbounds.vocabulary import Method


def records(kind):
    """Every record of a description, those inside others too."""
    match kind:
        case Record():
            yield kind
            yield from chain.from_iterable(map(records, kind.fields.values()))
        case Maybe() | Listed():
            yield from records(kind.kind)
        case Either():
            yield from chain.from_iterable(map(records, kind.kinds.values()))


def described():
    return [record for setup in stored_setups().values() for record in records(setup.record)]


def test_every_field_of_every_class_is_described():
    found = described()
    assert {record.make for record in found} >= {Setup, Ladder, Beside, Choice, Run}
    for record in found:
        named = [field.name for field in fields(record.make) if field.init]
        assert sorted(record.fields) == sorted(named), record.make


def test_every_set_up_in_rationals_is_described():
    known = {setup.record.make for setup in stored_setups().values()}
    measured = {kind for kind in case.find.registry if kind is not object}
    assert known <= measured
    here = {kind for kind in measured if kind.__module__.startswith("fedbounds.verify.")}
    here = {kind for kind in here if ".selftest." not in kind.__module__}  # planted
    # floats, some quantities alone, samples
    assert here - known == {InFloats, LadderInFloats, Named, InSamples}


# ---- what the suite writes is let through


def planned(paper):
    """Every case in rationals; what is planned in floats becomes a witness only if it may."""
    every = own_cases(paper, Profile.DEFAULT, 0)
    return (one for one in every if one.method is Method.RATIONAL)


@pytest.mark.parametrize(
    ("paper", "least"),
    [
        ("fedplt", 80),
        ("submodel", 200),
        ("personalization", 30),
        ("meerkat", 60),
        ("overparam", 30),
    ],
)
def test_every_planned_case_may_be_replayed(paper, least):
    """One of each that differ in nothing but their numbers: of these the first."""
    every = {}
    for one in planned(paper):
        every.setdefault(shape_of(to_data(one)), one)
    for one in every.values():
        assert from_data(to_data(one)).algorithm_name == one.algorithm_name
    assert len(every) >= least


def shape_of(data):
    """All but the numbers and how many there are, as text."""
    text, before = re.sub(r'"?-?\d+(/\d+)?"?', "0", json.dumps(data)), ""
    while text != before:
        before, text = text, re.sub(r"\[0(, 0)*\]", "0", text)
    return text


def test_what_search_saves_is_replayed(tmp_path, capsys):
    path = str(tmp_path / "found.json")
    arguments = ["--examples", "1", "--budget", "4", "--save", path]
    assert status(["search", "personalization/thm-3.7", *arguments]) == 0
    capsys.readouterr()
    assert status(["search", "--replay", path]) == 0
    assert "personalization/thm-3.7, reading: as printed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("fedplt/A2-final", 0),
        ("fedplt/decaying-step", 0),
        ("submodel/claim-variance", 0),
        ("submodel/claim-capacity", 3),
    ],
)
def test_a_witness_breaks_its_claim_again(name, reading, tmp_path, capsys):
    broken = claim(name)
    cases = quick_cases(broken.entry.paper)
    suspects = [case for case in cases if case.algorithm_name in broken.algorithms]
    witness = find_witness(broken, broken.readings[reading], suspects)
    assert witness is not None
    path = tmp_path / "witness.json"
    path.write_text(json.dumps({"claim": name, "instance": to_data(witness.judgement.instance)}))
    assert status(["search", "--replay", str(path)]) == 0
    said = capsys.readouterr().out.split(f"{name}, reading: ")
    (again,) = [part for part in said if part.startswith(broken.readings[reading].name)]
    assert f"gap {witness.judgement.deciding.gap}" in again


# ---- work


def test_work_beyond_the_bound_is_refused_with_its_counts():
    known = Known({"n": 3, "T": 10**6}, digits=12)
    check((Cost(MOST_WORK / 2),), known, "here")
    for costs in ([Cost(2 * MOST_WORK)], [Cost(MOST_WORK / 2)] * 3, [Cost(MOST_WORK / 2, 1000)]):
        with pytest.raises(FedboundsError) as refused:
            check(costs, known, "here")
        said = str(refused.value)
        words = ["here would cost", "n = 3", "T = 1000000", "12 digits", f"{MOST_WORK:.2g}"]
        assert [word for word in words if word not in said] == []


def of_meerkat(rounds=None, chosen=(), **parameters):
    """The first planned run of rounds, with other parameters."""
    one = next(x for x in planned("meerkat") if x.setup.view == "rounds")
    run = one.setup.run
    given = tuple({**dict(run.parameters), **parameters}.items())
    run = replace(run, parameters=given, rounds=rounds or run.rounds)
    return replace(one, setup=replace(one.setup, run=run, chosen=(*one.setup.chosen, *chosen)))


def test_rounds_in_which_nothing_moves_cost_as_many():
    with pytest.raises(FedboundsError, match="would cost about"):
        stored().cost(of_meerkat(10**12, eta="0").setup)


def test_runs_by_moments_cost_what_is_multiplied_at_most():
    """Eight clients of four steps for 30 rounds are exact in a moment; their file was refused."""
    every = own_cases("personalization", Profile.DEFAULT, 0)
    one = next(x for x in every if "n=8 m=8 K=1 T=60" in x.name)
    exact, method = case.without_floats(one.setup)
    one, run = replace(one, setup=exact, method=method), exact.run
    more = replace(run, parameters=tuple((dict(run.parameters) | {"K": 4}).items()))
    longer = replace(one, setup=replace(one.setup, run=replace(more, rounds=30)))
    assert to_data(from_data(to_data(longer))) == to_data(longer)
    for rounds in (400, 10**6):  # digits grow with rounds; and what is kept is counted
        data = to_data(
            replace(longer, setup=replace(longer.setup, run=replace(more, rounds=rounds)))
        )
        with pytest.raises(FedboundsError, match="would cost about"):
            from_data(data)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("mask", (0, 0), "expected a 1 at least once"),
        ("mask", (1, "1/2"), "expected"),
        ("mask", (1, 0, 1), "entries; expected d"),
        ("own", 2, "expected"),
        ("epsilon", 0, "expected a number > 0"),
    ],
)
def test_what_is_no_mask_and_no_perturbation_is_refused(name, given, said):
    assert len(dict(of_meerkat().setup.run.parameters)["mask"]) == 2
    with pytest.raises(FedboundsError, match=rf"parameters.{name}.*{said}"):
        from_data(to_data(of_meerkat(**{name: given})))


def of_network(**other):
    """The first planned run on a schedule, with other data, parameters and entries of the run."""
    one = next(x for x in planned("overparam") if x.setup.view == "rounds")
    run = one.setup.run

    def changed(pairs):
        return tuple((x, other.pop(x, y)) for x, y in pairs)

    data, parameters = changed(run.problem.data), changed(run.parameters)
    run = replace(run, problem=replace(run.problem, data=data), parameters=parameters, **other)
    return replace(one, setup=replace(one.setup, run=run))


ONES = (1,) * 12  # of two layers of width 4


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"schedule": ((1, 0, 0),)}, r"schedule\[0\] has 3 entries; expected n = 2"),
        ({"schedule": ((1, 0), (0, 0))}, r"schedule\[1\] is .* a 1 at least once"),
        ({"schedule": ((1, 2),)}, r"schedule\[0\]\[1\] is 2; expected"),
        ({"schedule": ()}, "schedule is .*a list of at least 1"),
        ({"width": 0}, "width is 0; expected an integer, at least 1"),
        ({"depth": 0}, "depth is 0; expected an integer, at least 1"),
        ({"targets": (((1,),),)}, "targets has 1 entries; expected n = 2"),
        ({"targets": (((1,),), ((1,), (2,)))}, r"targets\[1\] has 2 entries; expected samples = 1"),
        ({"targets": (((1,),), ((1, 2),))}, r"\[0\] has 2 entries; expected d_out = 1"),
        ({"depth": 2, "width": 4}, "start has 2 entries; expected d = 12"),
        ({"depth": 2, "width": 4, "start": ONES, "rounds": 20}, "would cost about"),
    ],
)
def test_what_is_no_network_and_no_schedule_is_refused(other, said):
    with pytest.raises(FedboundsError, match=said) as refused:
        from_data(to_data(of_network(**other)))
    assert "\n" not in str(refused.value)


def test_networks_of_several_layers_are_read():
    found = from_data(to_data(of_network(depth=2, width=4, start=ONES, rounds=3))).setup.run
    assert len(found.start) == 12


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize(
    ("name", "view"),
    [("Meerkat", "few local steps"), ("Meerkat-vp", "few local steps, some clients stopped")],
)
def test_polynomials_of_too_many_terms_are_not_made(name, view, rounds, monkeypatch):
    """What a round costs is told by its degrees: its terms grow with every local step."""

    def unroll(*_, **__):
        raise AssertionError

    monkeypatch.setattr(moments, "unroll", unroll)
    of_view = (x for x in planned("meerkat") if x.setup.view == view)
    one = next(x for x in of_view if sum(x.setup.run.parameter("mask")) == 3)
    given = tuple({**dict(one.setup.run.parameters), "K": 8}.items())
    run = replace(one.setup.run, parameters=given, rounds=rounds)
    assert one.algorithm_name == name
    with pytest.raises(FedboundsError, match="few local steps.* would cost about .*e\\+1"):
        from_data(to_data(replace(one, setup=replace(one.setup, run=run))))
    given = tuple({**dict(given), "K": 40}.items())
    run = replace(run, parameters=given)
    with pytest.raises(FedboundsError, match="products of terms; at most"):
        from_data(to_data(replace(one, setup=replace(one.setup, run=run))))


@pytest.mark.parametrize("name", ["F_0", "sigma^2"])
def test_a_constant_of_the_run_is_not_chosen(name):
    with pytest.raises(FedboundsError, match="choice in the view 'rounds'|unknown .*chosen"):
        from_data(to_data(of_meerkat(chosen=((name, 1),))))


def test_powers_never_overflow():
    assert power(3, 4) == pytest.approx(81)
    assert power(2, 0) == 1
    assert power(1, 10**9) == 1
    assert power(10**6, 10**6) == power(2, 10**30) == 2.0**1000


@pytest.mark.parametrize(
    ("data", "value"),
    [("1/3", "1/3"), ("-4/6", "-2/3"), (5, "5"), ({"rational": "7"}, "7"), (0.5, "1/2")],
)
def test_numbers_are_read_exactly(data, value):
    assert str(Number().read(data, "x", Known())) == value


@pytest.mark.parametrize(
    "data",
    [True, None, "", "1/0", "1e3", "0x1", " 1", "1 ", "+1", "1/-2", "1_0", "\u0661", "9" * 62,
     "1/" + "9" * 62, 10**61, 5e-324, float("nan"), float("inf"), [], {}, {"rational": 1.5, "x": 1},
     {"float": "0x1p0"}, "\ud800"],
)  # fmt: skip
def test_what_is_no_short_rational_is_refused(data):
    with pytest.raises(FedboundsError, match=r"^x is .*expected a number") as refused:
        Number().read(data, "x", Known())
    assert len(str(refused.value)) < 200
