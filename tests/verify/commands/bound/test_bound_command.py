"""The command: what it prints, its JSON, its errors; an answer or an error for every claim."""

import json
import re
import subprocess
import sys

import pytest
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import PAPERS, paper
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.inputs import STEP_SIZES, used_by
from fedbounds.theory.language.registry import encoded
from fedbounds.verify.commands.bound.answer import answers
from fedbounds.verify.commands.bound.tables import as_data
from fedbounds.verify.commands.bound.usual import usual
from fedbounds.verify.commands.command_line import status

THM_37 = "personalization/thm-3.7"
SETTINGS = ["n=100", "m=10", "K=5", "L=1", "F_0=1", "sigma_u^2=1", "sigma_v2=1", "b2=1"]


def run(capsys, *arguments, settings=SETTINGS):
    code = status(["bound", *arguments, *(x for s in settings for x in ("--set", s))])
    out = capsys.readouterr()
    return code, " ".join(out.out.split()), out.err


def test_terms_shares_and_the_dominating_one(capsys):
    code, out, _ = run(capsys, THM_37, "--set", "T=1000", "--set", "gamma=1/200")
    assert code == 0
    assert "transient: 4*F_0/(K*T*gamma) 4/25 = 0.16 55.9 % dominates" in out
    assert "bound 179/625 = 0.2864 exact" in out
    assert "eta_u = sqrt(m) = 3.16228, from: least that eta_u >= sqrt(m) allows" in out


def test_the_best_step_and_where_it_is(capsys):
    _, out, _ = run(capsys, THM_37, "--set", "T=1000")
    assert "0.00546384, the best admissible, inside the conditions (the bound is convex" in out
    _, out, _ = run(capsys, THM_37, "--set", "T=1")
    assert "the best admissible, at the edge of gamma <= 1/(32*K*L)" in out


def test_numbers_that_are_not_given_are_taken_as_usual_and_told(capsys, tmp_path):
    """Half of the clients, an L/mu of 10, and nothing for a number that has no usual value."""
    path = tmp_path / "bound.json"
    code, out, _ = run(capsys, THM_37, "n=7", "L=3", "--json", str(path), settings=[])
    assert code == 0
    assert (
        "not given, and taken to be: K = 5, T = 1000, F_0 = 1, b^2 = 1, sigma_u^2 = 1, "
        "sigma_v^2 = 1, m = 4" in out
    )
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["taken"] == {
        "K": "5", "T": "1000", "F_0": "1", "b^2": "1", "sigma_u^2": "1", "sigma_v^2": "1", "m": "4",
    }  # fmt: skip
    assert usual(["mu", "psi_max"], {"L": sp.Integer(3)}) == {"mu": sp.Rational(3, 10)}


def test_rounds_and_the_floor(capsys):
    _, out, _ = run(capsys, THM_37, "--to", "1/100")
    assert "T = 769702: the smallest with a bound of at most 1/100" in out
    _, out, _ = run(capsys, THM_37, "--to", "1/100", "--set", "gamma=1/1000")
    assert "never at most 1/100: the bound exceeds its floor 379/15625 = 0.024256" in out


def test_outside_is_said(capsys):
    code, out, err = run(capsys, THM_37, "--set", "T=9", "--set", "gamma=1")
    assert code == 2
    assert "gamma <= 1/(32*K*L) fails: 1 against 0.00625; --outside" in err
    code, out, _ = run(capsys, THM_37, "--set", "T=9", "--set", "gamma=1", "--outside")
    assert code == 0
    assert "it says nothing here: gamma <= 1/(32*K*L) fails: 1 against 0.00625" in out


def test_json_holds_exact_numbers(capsys, tmp_path):
    path = tmp_path / "bound.json"
    run(capsys, THM_37, "--set", "T=1000", "--set", "gamma=1/200", "--json", str(path))
    data = json.loads(path.read_text(encoding="utf-8"))
    (part,) = data["parts"]
    assert part["bound"] == {"exact": "179/625", "float": 0.2864, "provenance": "exact"}
    assert [term["dominates"] for term in part["terms"]] == [True, False, False]


def test_a_grid_goes_to_the_screen_or_a_file(capsys, tmp_path):
    code, out, _ = run(capsys, THM_37, "--grid", "T=10:20")
    assert code == 0
    assert "n,m,K,L,F_0,sigma_u^2,sigma_v^2,b^2,T,gamma,transient,noise,heterogeneity,bound" in out
    path = tmp_path / "grid.csv"
    run(capsys, THM_37, "--grid", "T=10:20", "--csv", str(path))
    assert len(path.read_text(encoding="utf-8").splitlines()) == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([THM_37, "--set", "T"], "expected NAME=VALUE, such as n=100"),
        ([THM_37, "--set", "n=3"], "--set n is given twice; expected one value"),
        (["fedplt/constant-step"], "needs Gamma (sum_k c_k alpha_k^2)"),
        ([THM_37, "--csv", "x.csv"], "--csv needs a --grid"),
        ([THM_37, "--grid", "T=1:5", "--to", "1"], "--grid excludes --to and --json"),
        (["personalization/thm-3.77"], "unknown claim"),
        (["personalization/rem-3.10"], "is of kind comparison: it has no bound"),
        (["personalization/sc-psgd"], "is of kind equivalence: it has no bound"),
        (["personalization/alg-3.1"], "is a definition"),
        (["personalization/lem-A.1"], "an identity bounds nothing"),
        (["fedplt/A2-grouped"], "its right side speaks of vectors"),
        (["submodel/claim-gap"], "its right side is one number, tg_full(T)"),
    ],
)
def test_errors_are_one_line(capsys, arguments, said):
    settings = SETTINGS if arguments[0].endswith("thm-3.7") else []
    code, _, err = run(capsys, *arguments, settings=settings)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


PLAUSIBLE = {"n": 10, "m": 5, "K": 3, "T": 1000, "t": 10, "tau": 2, "j": 1, "sigma_v^2": 0,
             "first_stage": 10**6}  # fmt: skip


NO_ANSWER = "no bound to evaluate|fails:|divides by zero"


@pytest.mark.parametrize("key", PAPERS)
def test_every_claim_has_an_answer_or_a_clear_error(key):
    """Missing numbers are filled in as the errors ask for them, until there is an answer."""
    answered = 0
    for entry in paper(key).entries:
        found = encoded(entry) if entry.module else None
        if not isinstance(found, Claim):
            continue
        known = frozenset().union(*(used_by(part) for part in found.parts))
        given: dict[str, object] = {}
        said = ""
        for _ in range(6):
            try:
                json.dumps(as_data(answers(found, given)), allow_nan=False)
                answered += 1
                said = ""
                break
            except FedboundsError as error:
                said = str(error)
            asked = {x for x in known - given.keys() if f" {x} (" in said}
            asked |= {x for x in STEP_SIZES & known if f"the bound falls as {x} " in said}
            asked |= {x for x in STEP_SIZES & known - given.keys() if said.endswith(f"give {x}")}
            if not asked:
                break
            given |= {x: "1/9999" if x in STEP_SIZES else PLAUSIBLE.get(x, 1) for x in asked}
        assert not said or re.search(NO_ANSWER, said), (entry.id, said)
    least = {"personalization": 80, "fedplt": 20, "submodel": 25, "meerkat": 10, "overparam": 5}
    assert answered >= least[key]


def test_heavy_imports_wait_until_claims_are_read():
    code = (
        "import sys; import fedbounds.verify.commands.bound.command; "
        "print({'sympy', 'numpy', 'flint', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
