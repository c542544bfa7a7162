"""A stored set-up that is no set-up of a theory is told in one line, before anything is measured."""

import json
from copy import deepcopy

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt.setups import run_of
from fedbounds.theory.language.setups import Setup
from fedbounds.verify import setups
from fedbounds.verify.decide.case import Case
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.vocabulary import Method

RUN = run_of((((2, 1), (1, 2)), ((1, 0), (0, 3))), ((1, 0), (0, "1/2")), ((1, 1), (1, 0)), (3, 2),
             2, eta="1/8", tau=2, noise="1/4")  # fmt: skip
SETUP = Setup("fedplt", "rounds", RUN, (("rho_min", "aligned"), ("G^2", "global")))


def stored():
    case = Case("stored", "FedPLT", SETUP, Method.RATIONAL)
    return json.loads(json.dumps(to_data(case)))


def run_in(data):
    return data["setup"]["fields"]["run"]["fields"]


def pairs(data, name):
    """The list of pairs of that name."""
    run = run_in(data)
    found = {
        "parameters": run["parameters"],
        "data": run["problem"]["fields"]["data"],
        "chosen": data["setup"]["fields"]["chosen"],
    }[name]
    return found["tuple"]


def without(name, key):
    def edit(data):
        rows = pairs(data, name)
        rows[:] = [row for row in rows if row["tuple"][0] != key]

    return edit


def with_value(name, key, value):
    def edit(data):
        without(name, key)(data)
        pairs(data, name).append({"tuple": [key, value]})

    return edit


def with_field(key, value):
    def edit(data):
        data["setup"]["fields"][key] = value

    return edit


def nested(value):
    return {"tuple": [nested(x) for x in value]} if isinstance(value, tuple) else value


BAD = {
    "no slopes": (without("data", "slopes"), "names in .*data is .*hessians, slopes, noise"),
    "no Hessians": (without("data", "hessians"), "names in .*data is .*'noise', 'slopes'"),
    "no masks": (without("parameters", "masks"), "parameters is .*expected .*'masks'"),
    "another parameter": (with_value("parameters", "z", 1), "parameters is .*expected .*'tau'"),
    "a parameter of nobody": (with_value("parameters", "zeta", 1), "'zeta'"),
    "a mask too long": (
        with_value("parameters", "masks", nested(((1, 1), (1, 0, 1)))),
        r"masks\[1\] has 3 entries; expected d = 2",
    ),
    "a half mask": (
        with_value("parameters", "masks", nested(((1, 1), (1, "1/2")))), r"masks\[1\]\[1\] is '1/2'"),
    "an indefinite problem": (
        with_value("data", "hessians", nested((((1, 2), (2, 1)), ((1, 0), (0, 3))))),
        "Hessian is .*expected definite",
    ),
    "a choice that the view has not": (with_value("chosen", "psi_free", 2), "choice in the view"),
    "a client alone": (with_value("chosen", "k", 0), "choice in the view 'rounds' .*'k'"),
    "a choice of nobody": (with_value("chosen", "rho_min", "alined"), "rho_min is 'alined'"),
    "another view": (with_field("view", "round"), "view of fedplt .*'round'.*rounds"),
    "another theory": (with_field("theory", "fedpl"), "theory 'fedpl'"),
    "a list for a view": (with_field("view", [1]), "view is"),
    "too many steps": (with_value("parameters", "tau", 40), "operations"),
    "too many digits": (with_value("parameters", "eta", "1/" + "7" * 99), "eta is"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_data_are_told_before_anything_is_measured(what, monkeypatch):
    edit, told = BAD[what]
    data = stored()
    edit(data)
    monkeypatch.setattr(setups.found, "known_of", None)
    with pytest.raises(FedboundsError, match=told) as refused:
        from_data(data)
    assert "\n" not in str(refused.value)


def test_what_is_stored_is_read_again():
    assert from_data(stored()).setup.run.parameters == RUN.parameters


def test_every_entry_may_be_missing_or_anything():
    """Each place of the data in turn is nothing, and a text: read, or refused in one line."""
    whole, refused = stored(), []
    for at in list(places(whole["setup"])):
        for value in (None, "nothing", -1, [], {"tuple": []}):
            data = deepcopy(whole)
            inside = data["setup"]
            for key in at[:-1]:
                inside = inside[key]
            inside[at[-1]] = value
            try:
                from_data(data)
            except FedboundsError as error:
                refused.append(str(error))
    assert len(refused) > 200
    assert not [told for told in refused if "\n" in told]


def places(data, at=()):
    """Every place inside of data."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))
