"""A refuted reading after the first is told where a standing is."""

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.registry import encoded
from fedbounds.verify.page.limits import limits
from fedbounds.verify.page.tables import print_claim, print_results
from fedbounds.verify.page.words import described, print_words

_EMPTY = {
    "ambiguity": "", "counts": {}, "tightness": None, "power": None, "tightest": None, "idle": 0,
    "uninformative": None, "least_relative_gap": None, "equal_parts": [], "equal_everywhere": False,
}  # fmt: skip
READINGS = [
    _EMPTY | {"name": "as printed", "statement": "survived"},
    _EMPTY | {"name": "the convergence analysis covers it too", "statement": "refuted"},
]
SAID = "refuted in another reading: the convergence analysis covers it too"


def test_only_later_refuted_readings_are_limits():
    assert limits({"readings": READINGS}) == SAID
    assert limits({"readings": READINGS[:1]}) == ""
    assert limits({"readings": READINGS[1:]}) == ""
    assert limits({"readings": []}) == ""


def summary(name, standing):
    return {"id": name, "standing": standing, "statement": "survived", "paper_proof": "open",
            "reason": "", "readings": READINGS}  # fmt: skip


def flat(text):
    return " ".join(text.split())


def test_show_tells_them(capsys):
    print_words(
        encoded(entry("personalization/sc-fedsim")), summary("personalization/sc-fedsim", "tested")
    )
    assert SAID in flat(capsys.readouterr().out)
    print_claim(
        encoded(entry("personalization/rem-3.12")), summary("personalization/rem-3.12", "tested")
    )
    assert SAID in flat(capsys.readouterr().out)


def test_show_describes_what_an_analysis_would_need():
    assert any("sqrt(m)" in line for line in described(encoded(entry("personalization/sc-fedsim"))))


def test_claims_in_one_line_are_named_where_they_are_limited(capsys):
    row = {"kind": "equivalence", "source": "verbatim", "text": "", "readings_differ": True}
    ids = [f"personalization/x-{at}" for at in range(9)]
    claims = {name: summary(name, "tested") | row for name in ids}
    for name in ids[1:]:
        claims[name]["readings"] = READINGS[:1]
    for reading in READINGS:
        reading["coverage"] = {"instances": 1, "ranges": {}, "corners": []}
    run = {"profile": "quick", "seed": 0, "timing": {"seconds": 1.0}}
    print_results({"claims": claims, "results": [], "proofs": {}, "run": run}, ())
    told = flat(capsys.readouterr().out)
    assert f"9 tested: 9 equivalence; 1 of them refuted in another reading: {ids[0]}" in told
